/**
 * A session with the primary that sentinels name at the moment of opening.
 *
 * It asks one sentinel after the other where the primary is, opens a session there, and makes sure by `ROLE` that the
 * server agrees: a sentinel that was cut off may name one that has meanwhile become a replica. From then on it passes
 * everything through. A failover ends it like any other loss of a connection, and the next session asks anew.
 */

import type { Reply } from "../engine/engine.ts";
import type { Clock } from "../engine/ports.ts";
import { isEchoMQError } from "../protocol/errors.ts";
import { ask } from "./ask.ts";
import type { Call } from "./call.ts";
import type { Session, SessionEvents } from "./client.ts";
import { type Address, addressText } from "./cluster/address.ts";
import type { SentinelPlace } from "./connection.ts";

/** Longest time for one sentinel to answer, connecting included, in ms. */
const SENTINEL_MS_MAX = 2000;
/** Longest time for a server to tell its role, in ms. */
const ROLE_MS_MAX = 2000;

/** Starts a session with a known server. */
export type OpenSession = (events: SessionEvents) => Session;

/** What a {@link SentinelSession} works with. */
export interface SentinelSessionOptions {
  readonly place: SentinelPlace;
  readonly clock: Clock;
  readonly openSentinel: (address: Address) => OpenSession;
  readonly openServer: (address: Address) => OpenSession;
}

/** One connected stretch of one socket to whichever server is the primary. */
export class SentinelSession implements Session {
  readonly #events: SessionEvents;
  readonly #options: SentinelSessionOptions;
  /** The session with a sentinel, then the one with the server. */
  #session: Session | undefined;
  #isOpen = false;
  #isOver = false;

  constructor(events: SessionEvents, options: SentinelSessionOptions) {
    this.#events = events;
    this.#options = options;
    this.#primary().then(
      (address) => this.#open(address),
      (error: unknown) => this.#finish(asError(error)),
    );
  }

  send(call: Call): boolean {
    if (this.#isOpen && this.#session !== undefined) return this.#session.send(call);
    call.abandon();
    return false;
  }

  get loginRefusal(): Error | undefined {
    return this.#isOpen ? this.#session?.loginRefusal : undefined;
  }

  end(why: "closing" | "dead"): void {
    if (this.#session === undefined) return this.#finish(undefined);
    this.#session.end(why);
    // Without a server yet, nobody else tells the end.
    if (!this.#isOpen) this.#finish(undefined);
  }

  async #primary(): Promise<Address> {
    const { sentinels, name } = this.#options.place;
    let reason = new Error(`no sentinel knows the primary ${name}`);
    for (const sentinel of sentinels) {
      if (this.#isOver) break;
      try {
        const address = addressOf(await this.#askSentinel(sentinel));
        if (address !== undefined) return address;
        reason = new Error(`the sentinel ${addressText(sentinel)} knows no primary ${name}`);
      } catch (error) {
        reason = new Error(`sentinel ${addressText(sentinel)}: ${asError(error).message}`, { cause: error });
      }
    }
    throw reason;
  }

  #askSentinel(sentinel: Address): Promise<Reply> {
    const { clock, place, openSentinel } = this.#options;
    return new Promise((resolve, reject) => {
      const timer = clock.after(SENTINEL_MS_MAX, () => over(() => reject(new Error("no answer in time"))));
      const over = (settle: () => void): void => {
        timer.cancel();
        settle();
        session.end("closing");
      };
      const session: Session = openSentinel(sentinel)({
        onOpen: () => {
          const question = ["SENTINEL", "GET-MASTER-ADDR-BY-NAME", place.name];
          ask(session, question, { clock, timeoutMs: SENTINEL_MS_MAX }).then(
            (reply) => over(() => resolve(reply)),
            (error: unknown) => over(() => reject(asError(session.loginRefusal ?? error))),
          );
        },
        onMessage() {},
        onEnd: (error) => {
          timer.cancel();
          reject(error ?? new Error("it closed the connection"));
        },
      });
      this.#session = session;
    });
  }

  #open(address: Address): void {
    if (this.#isOver) return;
    const session: Session = this.#options.openServer(address)({
      onOpen: () => this.#assertPrimary(session),
      onMessage: (channel, payload) => this.#events.onMessage(channel, payload),
      onEnd: (error) => this.#finish(error),
    });
    this.#session = session;
  }

  #assertPrimary(session: Session): void {
    this.#isOpen = true;
    ask(session, ["ROLE"], { clock: this.#options.clock, timeoutMs: ROLE_MS_MAX }).then(
      (reply) => {
        if (this.#isOver) return;
        const role = Array.isArray(reply) ? (reply as readonly Reply[])[0] : undefined;
        if (role === "master") return this.#events.onOpen();
        this.#finish(new Error(`the server that the sentinels name is no primary but ${String(role)}`));
        session.end("closing");
      },
      (error: unknown) => {
        if (this.#isOver) return;
        // Whoever may not ask finds out by the first refused write; a login that was refused is told by the fence.
        if (isEchoMQError(error) && error.code !== "disconnected" && error.code !== "timeout") {
          return this.#events.onOpen();
        }
        session.end("dead");
      },
    );
  }

  #finish(error: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.onEnd(error);
  }
}

function addressOf(reply: Reply): Address | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [host, port] = reply as readonly Reply[];
  return typeof host === "string" && Number.isInteger(Number(port)) ? { host, port: Number(port) } : undefined;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
