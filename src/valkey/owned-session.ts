/**
 * A session on a client that this engine made and ends with it.
 *
 * Each session has a client of its own that never reconnects, so that nothing of an old connection (half a reply, a
 * queue of commands, a subscription) can reach a new one.
 */

import { refusalError } from "../engine/refusal.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { type Call, refusalText } from "./call.ts";
import type { LibraryClient, Session, SessionEvents } from "./client.ts";
import { SessionWriter } from "./session-writer.ts";
import { isTlsFault, tlsFault } from "./tls-fault.ts";
import { probeTls, type TlsPlace } from "./tls-probe.ts";

/** One connected stretch of a client of ours. */
export class OwnedSession implements Session {
  readonly #client: LibraryClient;
  readonly #writer: SessionWriter;
  #error: Error | undefined;
  /** Whether a single byte of an answer came. */
  #isAnswered = false;
  /** Whether this side ended it. */
  #isGivenUp = false;
  /** Tells of the end, once. */
  readonly #finish: () => void;

  constructor(client: LibraryClient, events: SessionEvents, soon: (action: () => void) => void) {
    this.#client = client;
    this.#writer = new SessionWriter(client, soon);
    let isOver = false;
    client.on("error", (error: Error) => {
      const refusal = loginRefusal(error);
      const known = refusal ?? tlsFault(error);
      // A write may fail before the reason for it has been read.
      if (this.#error === undefined || known !== undefined) this.#error = known ?? error;
      // A library goes on in another database, or as another user, when the server refuses what it was told.
      if (refusal !== undefined) client.disconnect();
    });
    // A socket may fail more than once, and an error that nobody listens for would end the process.
    client.on("connect", () => {
      client.stream?.on("error", () => {});
      client.stream?.once("data", () => {
        this.#isAnswered = true;
      });
    });
    client.on("ready", () => {
      if (!isOver) events.onOpen();
    });
    client.on("messageBuffer", (channel: Buffer, payload: Buffer) => {
      if (!isOver) events.onMessage(channel.toString("latin1"), payload.toString("latin1"));
    });
    this.#finish = () => {
      if (isOver) return;
      isOver = true;
      events.onEnd(this.#error);
    };
    client.on("end", () => this.#ended());
    // A failure also comes as `error` and `end`, which is where it is looked at.
    client.connect().catch(() => {});
  }

  send(call: Call): boolean {
    return this.#writer.write(call);
  }

  get loginRefusal(): Error | undefined {
    return this.#error instanceof EchoMQError && !isTlsFault(this.#error) ? this.#error : undefined;
  }

  end(_why: "closing" | "dead"): void {
    this.#isGivenUp = true;
    this.#client.disconnect();
    // The library has nothing more to tell of a client that has ended; see #ended.
    if (this.#client.status === "end") this.#finish();
  }

  /** The library has ended its client. Why it was cut without a word may have to be found out first. */
  #ended(): void {
    const place = this.#client.options as TlsPlace;
    if (this.#isGivenUp || this.#isAnswered || place.tls === undefined || !isCut(this.#error)) return this.#finish();
    void probeTls(place).then((fault) => {
      this.#error = fault ?? this.#error;
      this.#finish();
    });
  }
}

/** Whether a connection broke without a reason: by a reset, by a write into it, or by its end. */
function isCut(error: Error | undefined): boolean {
  const code = error === undefined ? "ECONNRESET" : (error as { code?: unknown }).code;
  return code === "ECONNRESET" || code === "EPIPE";
}

/** What the server said against logging in or against the database; `undefined` for any other failure. */
function loginRefusal(error: Error): EchoMQError | undefined {
  const text = refusalText(error);
  if (text === undefined) return undefined;
  const refusal = refusalError(text);
  const { command } = error as { command?: { readonly name?: string; readonly args?: readonly unknown[] } };
  if (command?.name !== "select" || refusal.code !== "refused") return refusal;
  const message = `The server has no database ${String(command.args?.[0])}: ${refusal.message}`;
  return new EchoMQError("invalid_connection", message, { cause: error });
}
