/**
 * A session on a client that belongs to the caller: it is used and never closed.
 *
 * The owner of the client decides when it connects and how it reconnects; a session lasts from the moment that it is
 * ready to the moment that it is not. The library may then send again what it holds; the calls that it holds are spent
 * (see `call.ts`), so that no act runs twice. All listeners are taken off at the end.
 */

import type { Call } from "./call.ts";
import type { LibraryClient, Session, SessionEvents } from "./client.ts";
import { SessionWriter } from "./session-writer.ts";

/** One connected stretch of a client of the caller's. */
export class BorrowedSession implements Session {
  readonly #client: LibraryClient;
  readonly #events: SessionEvents;
  readonly #soon: (action: () => void) => void;
  readonly #writer: SessionWriter;
  #error: Error | undefined;
  #isOpen = false;
  #isOver = false;

  // Held as members, so that the very same functions can be taken off.
  readonly #onReady = (): void => {
    if (this.#isOver || this.#isOpen) return;
    this.#isOpen = true;
    this.#events.onOpen();
  };
  readonly #onError = (error: Error): void => {
    this.#error = error;
  };
  readonly #onClose = (): void => {
    // Before it was open there is nothing to end: the owner goes on trying, and this session goes on waiting.
    if (this.#isOpen) this.#finish();
  };

  constructor(client: LibraryClient, events: SessionEvents, soon: (action: () => void) => void) {
    this.#client = client;
    this.#events = events;
    this.#soon = soon;
    this.#writer = new SessionWriter(client, soon);
    client.on("ready", this.#onReady);
    client.on("error", this.#onError);
    client.on("close", this.#onClose);
    client.on("end", this.#onClose);
    if (client.status === "ready") soon(this.#onReady);
    // A client that was made lazy waits for its first command, which is the fence of this engine. A failure
    // also comes as `error` and `close`, which is where it is looked at.
    if (client.status === "wait") client.connect().catch(() => {});
  }

  send(call: Call): boolean {
    return this.#writer.write(call);
  }

  /** Logging in is the owner's business. */
  get loginRefusal(): undefined {
    return undefined;
  }

  end(why: "closing" | "dead"): void {
    if (this.#isOver) return;
    const { options } = this.#client;
    const canReconnect = "retryStrategy" in options && typeof options.retryStrategy === "function";
    // A connection that no longer answers helps its owner as little as it helps us: let the client open another.
    if (why === "dead" && this.#isOpen && canReconnect) this.#client.disconnect(true);
    this.#soon(() => this.#finish());
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#client.removeListener("ready", this.#onReady);
    this.#client.removeListener("error", this.#onError);
    this.#client.removeListener("close", this.#onClose);
    this.#client.removeListener("end", this.#onClose);
    this.#events.onEnd(this.#error);
  }
}
