/**
 * Waiting for an entry of a stream, as `XREAD` with `BLOCK` does it.
 *
 * Unlike a token of a wake list an entry is for all who wait: each is told, and reads for itself. As in the server,
 * that happens after the act or command that added it.
 */

import type { EntryHandle, EntryListener } from "../engine/engine.ts";
import type { Ports } from "../engine/ports.ts";
import type { Bytes } from "../protocol/bytes.ts";
import type { Keyspace } from "./store/keyspace.ts";
import { compareIds, LOWEST_ID, parseId, type StreamId } from "./store/stream-id.ts";
import { StreamValue } from "./store/stream-value.ts";

/** One reader's place. */
interface Place {
  readonly key: Bytes;
  readonly listener: EntryListener;
  /** The id above which an entry is waited for. */
  after: StreamId;
  /** Whether it was told to tell its listener, and has not yet. */
  isOnTheWay: boolean;
  isClosed: boolean;
}

export class EntryWaits {
  readonly #keyspace: Keyspace;
  readonly #ports: Ports;
  /** Places that wait, by stream. A stream without any has no entry. */
  readonly #armed: Map<Bytes, Set<Place>> = new Map();
  /** Streams with a waiting place that got an entry in the act that runs. */
  readonly #grown: Set<Bytes> = new Set();
  #isClosed = false;

  constructor(keyspace: Keyspace, ports: Ports) {
    this.#keyspace = keyspace;
    this.#ports = ports;
  }

  listen(key: Bytes, listener: EntryListener): EntryHandle {
    const place: Place = { key, listener, after: LOWEST_ID, isOnTheWay: false, isClosed: false };
    return {
      arm: (after) => this.#arm(place, parseId(after, 0) ?? LOWEST_ID),
      disarm: () => this.#disarm(place),
      close: () => {
        place.isClosed = true;
        this.#disarm(place);
        return Promise.resolve();
      },
    };
  }

  /** A stream got an entry; it is looked at when the act has ended. */
  onAppend(key: Bytes): void {
    if (this.#armed.has(key)) this.#grown.add(key);
  }

  /** After an act: tells those who wait. */
  serve(): void {
    if (this.#grown.size === 0) return;
    for (const key of this.#grown) for (const place of this.#armed.get(key) ?? []) this.#look(place);
    this.#grown.clear();
  }

  /** Whether anything got more that nobody has looked at. */
  get hasGrown(): boolean {
    return this.#grown.size > 0;
  }

  /** Ends all waiting; nobody is told anything any more. */
  close(): void {
    this.#isClosed = true;
    this.#armed.clear();
    this.#grown.clear();
  }

  #arm(place: Place, after: StreamId): void {
    if (this.#isClosed || place.isClosed) return;
    place.after = after;
    const others = this.#armed.get(place.key);
    if (others === undefined) this.#armed.set(place.key, new Set([place]));
    else others.add(place);
    this.#look(place);
  }

  #disarm(place: Place): void {
    const others = this.#armed.get(place.key);
    if (others?.delete(place) && others.size === 0) this.#armed.delete(place.key);
  }

  #look(place: Place): void {
    const stream = this.#keyspace.find(place.key);
    // A value of another type is waited out, as in the server.
    if (!(stream instanceof StreamValue)) return;
    const last = stream.entries.last;
    if (last === undefined || compareIds(last.id, place.after) <= 0) return;
    this.#disarm(place);
    if (place.isOnTheWay) return;
    place.isOnTheWay = true;
    this.#ports.soon(() => {
      place.isOnTheWay = false;
      if (!this.#isClosed && !place.isClosed) place.listener.onEntry();
    });
  }
}
