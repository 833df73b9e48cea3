/**
 * What is on its way to one client: in order, and never more than it may be.
 *
 * Replies may have to wait until what they tell of is on disk. Those behind them wait as well, since a client counts
 * its replies. What goes out in one step of the program is written at once.
 */

import type { Socket } from "node:net";
import type { Bytes } from "../protocol/bytes.ts";

/**
 * Replies are joined up to this length, and written beyond it. A longer one goes by itself: it may be as long as a text
 * can be, and one byte more would be too much.
 */
const WRITE_BYTES = 64 * 1024;

/** A stretch of replies. */
interface Entry {
  text: Bytes;
  isHeld: boolean;
}

export class Outbox {
  readonly #socket: Socket;
  readonly #onReleased: () => void;
  /** What was not written yet, the oldest first. The last one takes what comes next unless it is held. */
  readonly #entries: Entry[] = [];
  #bytes = 0;

  /** @param onReleased told when replies that were held have left. */
  constructor(socket: Socket, onReleased: () => void) {
    this.#socket = socket;
    this.#onReleased = onReleased;
  }

  /** Bytes that wait here, or in the socket for a reader. */
  get pending(): number {
    return this.#bytes + this.#socket.writableLength;
  }

  /** Adds bytes behind all others. They leave with {@link flush}. */
  add(text: Bytes): void {
    const last = this.#entries.at(-1);
    this.#bytes += text.length;
    if (last !== undefined && !last.isHeld && last.text.length + text.length <= WRITE_BYTES) {
      last.text += text;
      return;
    }
    this.#entries.push({ text, isHeld: false });
    if (this.#bytes > WRITE_BYTES) this.flush();
  }

  /** Adds a reply that may leave once `until` resolves; `refusal` is sent in its place when that rejects. */
  addHeld(text: Bytes, until: Promise<void>, refusal: (reason: unknown) => Bytes): void {
    const entry: Entry = { text, isHeld: true };
    this.#entries.push(entry);
    this.#bytes += text.length;
    const release = (): void => {
      entry.isHeld = false;
      this.flush();
      this.#onReleased();
    };
    until.then(release, (reason: unknown) => {
      this.#bytes -= entry.text.length;
      entry.text = refusal(reason);
      this.#bytes += entry.text.length;
      release();
    });
  }

  /** Writes whatever need not wait. */
  flush(): void {
    let count = 0;
    while (count < this.#entries.length && this.#entries[count]?.isHeld === false) count++;
    if (count === 0) return;
    let text = "";
    for (const entry of this.#entries.splice(0, count)) {
      if (text.length + entry.text.length > WRITE_BYTES) {
        this.#write(text);
        text = "";
      }
      text += entry.text;
    }
    this.#write(text);
  }

  #write(text: Bytes): void {
    if (text === "") return;
    this.#bytes -= text.length;
    if (this.#socket.writable) this.#socket.write(text, "latin1");
  }

  /** Whether everything was handed to the socket. */
  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }
}
