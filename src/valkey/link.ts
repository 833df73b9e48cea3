/**
 * A socket that stays connected: it opens sessions one after the other for as long as it lives.
 *
 * A session counts as up only when it has been prepared (fence passed, name given), so whoever is told of it may use it
 * at once. States and what leads on:
 *
 *     idle ─start→ opening ─open→ preparing ─passed→ up
 *                     ↑ pause        │ refused, lost  │ lost
 *                     └──────────────┴────────────────┘
 *     preparing ─final refusal→ over;  any ─close→ over
 *
 * A connection that is half open looks healthy to the operating system for many minutes, so a `PING` goes out every few
 * seconds and its silence ends the session: at most {@link BEAT_MS} + {@link BEAT_TIMEOUT_MS} after the last sign of
 * life.
 */

import type { Ports, Timer } from "../engine/ports.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { causeText } from "../protocol/cause-text.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { ask } from "./ask.ts";
import type { Client, Session, SocketRole } from "./client.ts";
import { type Ask, isFinalRefusal } from "./fence.ts";
import { Seldom } from "./seldom.ts";
import { isTlsFault } from "./tls-fault.ts";

/** Pause between the answer to one heartbeat and the next, in ms. */
export const BEAT_MS = 5000;
/** Longest silence after a heartbeat, in ms. Above a server's usual stalls; with `BEAT_MS` below 15 s. */
export const BEAT_TIMEOUT_MS = 8000;

/** Longest time for a socket to open and log in, in ms, and for one answer while it is prepared. */
const OPEN_MS_MAX = 10_000;
/** Longest wait for the end of a session at close, in ms. */
const CLOSE_MS_MAX = 1000;

/** Shortest time between two sessions that are given up because the server takes no writes, in ms. */
const RENEW_MS_MIN = 10_000;

/** First and longest pause between attempts, in ms; each is twice the one before. */
const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 2000;

/** What a {@link Link} works with, and whom it tells. */
export interface LinkOptions {
  readonly client: Client;
  readonly role: SocketRole;
  readonly ports: Ports;
  /** Makes a fresh session fit for use; a final refusal ends the link, any other error the attempt. */
  readonly prepare: (ask: Ask) => Promise<void>;
  /** A session is up. */
  readonly onUp: (session: Session) => void;
  /** The session that was up is over. */
  readonly onDown: (cause: unknown) => void;
  /**
   * Whether the socket for commands to the same server is up. Without it this is that socket. Any other writes a line
   * only about what that one does not share, from its second failure on, when both have noticed.
   */
  readonly isServerUp?: () => boolean;
  /** What was told of late, shared by sockets of the same kind. */
  readonly seldom?: Seldom;
  /** No session will ever come to be. */
  readonly onFinal: (error: EchoMQError) => void;
  /** A message came on a channel that was subscribed by a call. */
  readonly onMessage?: (channel: Bytes, payload: Bytes) => void;
}

/** A socket that stays connected. */
export class Link {
  readonly #options: LinkOptions;
  #state: "idle" | "opening" | "preparing" | "up" | "pausing" | "over" = "idle";
  /** The present session, from its opening to its end. */
  #session: Session | undefined;
  /** Whichever timer the state needs: opening, heartbeat or pause. */
  #timer: Timer | undefined;
  /** Attempts since the last session that was up. */
  #attempts = 0;
  /** Why the last session or attempt ended; `undefined` while a session is up. */
  #cause: unknown;
  /** Why this side gave up the present session. It knows more than the library, which only sees the session end. */
  #verdict: unknown;
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** Whether a session was ever up: the connection is right then, whatever happens later. */
  #hasBeenUp = false;
  readonly #seldom: Seldom;
  /** Whether the log knows of the present outage. */
  #isOutageSaid = false;
  /** Whether this side ended the session to open another elsewhere, which is no outage. */
  #isMoving = false;
  #onEnded: (() => void) | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#seldom = options.seldom ?? new Seldom(options.ports.clock);
  }

  /** Why there is no connection now, for messages; `undefined` before the first failure. */
  get cause(): unknown {
    if (this.#cause !== undefined || this.#state !== "opening") return this.#cause;
    const doubt = isEncrypted(this.#options.client) ? "; does this port speak TLS?" : "";
    return new Error(`the server has not answered yet${doubt}`);
  }

  /** Begins to connect. Starting twice is starting once. */
  start(): void {
    if (this.#state === "idle") this.#open();
  }

  /**
   * Ends the present session so that a new one is opened: the far side is alive but may be the wrong one. Does nothing
   * to a client of somebody else, nor twice within {@link RENEW_MS_MIN}.
   */
  renew(): void {
    const { ports, client, role } = this.#options;
    const now = ports.clock.now();
    if (this.#state !== "up" || client.isBorrowed(role) || now - this.#renewedAt < RENEW_MS_MIN) return;
    this.#renewedAt = now;
    this.#verdict = new Error("the server takes no writes");
    this.#session?.end("closing");
  }

  /** Ends the present session at once, because it leads to the wrong place; the next one is opened after a pause. */
  reopen(reason: string): void {
    const session = this.#session;
    if (session === undefined || this.#state === "over") return;
    this.#isMoving = true;
    this.#giveUp(session, new Error(reason));
  }

  /** Ends the link. Resolves when its socket is gone, or after a second. */
  close(): Promise<void> {
    const session = this.#session;
    this.#finish();
    if (session === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#options.ports.clock.after(CLOSE_MS_MAX, resolve);
      this.#onEnded = () => {
        timer.cancel();
        resolve();
      };
      session.end("closing");
    });
  }

  #open(): void {
    const { client, role, ports, onMessage } = this.#options;
    this.#state = "opening";
    this.#verdict = undefined;
    const session: Session = client.open(role, {
      onOpen: () => {
        // It may come late: the link was closed, or gave the session up, while the socket was opening.
        if (this.#session === session && this.#state === "opening") this.#prepare(session);
      },
      onMessage: (channel, payload) => {
        if (this.#session === session && this.#state !== "over") onMessage?.(channel, payload);
      },
      onEnd: (error) => {
        if (this.#session === session) this.#ended(error);
      },
    });
    this.#session = session;
    // A client that belongs to somebody else opens when that one likes.
    if (client.isBorrowed(role)) return;
    this.#setTimer(ports.clock.after(OPEN_MS_MAX, () => this.#giveUp(session, slow())));
  }

  #prepare(session: Session): void {
    const { ports, prepare } = this.#options;
    this.#state = "preparing";
    this.#setTimer(undefined);
    const question: Ask = (parts) => ask(session, parts, { clock: ports.clock, timeoutMs: OPEN_MS_MAX });
    prepare(question).then(
      () => this.#rise(session),
      (error: unknown) => this.#unprepared(session, error),
    );
  }

  #unprepared(session: Session, error: unknown): void {
    // A wrong password shows first as a call that lacks one; a turn later the library has told the reason.
    this.#options.ports.later(() => {
      if (this.#session !== session || this.#state !== "preparing") return;
      const reason = session.loginRefusal ?? error;
      if (this.#isFinal(reason)) this.#fail(reason);
      else this.#giveUp(session, reason);
    });
  }

  #rise(session: Session): void {
    if (this.#session !== session || this.#state !== "preparing") return;
    const { ports, client, role, onUp } = this.#options;
    this.#state = "up";
    this.#hasBeenUp = true;
    if (this.#isOutageSaid) ports.logger.info(`Connected to ${client.name} again.`, { socket: role });
    this.#isOutageSaid = false;
    this.#attempts = 0;
    this.#cause = undefined;
    this.#beat(session);
    onUp(session);
  }

  /** Waits, asks for a sign of life, and so on. Any answer is one, a refusal too. */
  #beat(session: Session): void {
    const { clock } = this.#options.ports;
    const pause = clock.after(
      BEAT_MS,
      () => {
        ask(session, ["PING"], { clock, timeoutMs: BEAT_TIMEOUT_MS }).then(
          () => this.#beatAgain(session),
          (error: unknown) => {
            if (isEchoMQError(error, "timeout")) this.#giveUp(session, error);
            else this.#beatAgain(session);
          },
        );
      },
      { background: true },
    );
    this.#setTimer(pause);
  }

  #beatAgain(session: Session): void {
    if (this.#session === session && this.#state === "up") this.#beat(session);
  }

  /** Ends a session that is of no use; the rest happens when its end is told. */
  #giveUp(session: Session, cause: unknown): void {
    if (this.#session !== session || this.#state === "over") return;
    this.#verdict = cause;
    session.end(isEchoMQError(cause, "timeout") ? "dead" : "closing");
  }

  #ended(error: Error | undefined): void {
    const wasUp = this.#state === "up";
    this.#session = undefined;
    this.#onEnded?.();
    if (this.#state === "over") return;
    if (this.#isFinal(error)) return this.#fail(error);
    const cause = this.#verdict ?? this.#explained(error);
    this.#cause = cause;
    this.#pause(cause);
    if (wasUp) this.#options.onDown(cause);
  }

  #pause(cause: unknown): void {
    const { ports, client, role } = this.#options;
    this.#state = "pausing";
    const step = Math.min(PAUSE_MS_MIN * 2 ** this.#attempts, PAUSE_MS_MAX);
    // At most nine tenths of a step, so that work goes on within two seconds of the server's return.
    const pauseMs = Math.ceil(step * (0.5 + 0.4 * ports.random()));
    const reason = causeText(cause).replace(/\.$/, "");
    const isOutage = !this.#isMoving;
    this.#isMoving = false;
    if (isOutage && this.#isOwnTrouble() && this.#seldom.mayTell(reason)) {
      ports.logger.warn(`No connection to ${client.name}: ${reason}. Trying again.`, { socket: role, pauseMs });
      this.#isOutageSaid = true;
    }
    this.#attempts += 1;
    this.#setTimer(ports.clock.after(pauseMs, () => this.#open()));
  }

  /** Whether the trouble is this socket's to tell. */
  #isOwnTrouble(): boolean {
    const { isServerUp } = this.#options;
    return isServerUp === undefined || (this.#attempts > 0 && isServerUp());
  }

  /** Certificates are renewed while programs run, so only a first connection is judged by them. */
  #isFinal(error: unknown): error is EchoMQError {
    return isFinalRefusal(error) && !(this.#hasBeenUp && isTlsFault(error));
  }

  /** What a library gives for the end of a session, with a guess where it says too little. */
  #explained(error: Error | undefined): Error {
    const isReset = error === undefined || (error as { code?: unknown }).code === "ECONNRESET";
    if (!isReset || this.#hasBeenUp || isEncrypted(this.#options.client)) {
      return error ?? new Error("the server closed the connection");
    }
    const text = "the server closed the connection before it answered; if it speaks TLS, use valkeys://";
    return error === undefined ? new Error(text) : new Error(text, { cause: error });
  }

  #fail(error: EchoMQError): void {
    const session = this.#session;
    this.#cause = error;
    this.#finish();
    session?.end("closing");
    this.#options.onFinal(error);
  }

  #finish(): void {
    this.#state = "over";
    this.#setTimer(undefined);
  }

  #setTimer(timer: Timer | undefined): void {
    this.#timer?.cancel();
    this.#timer = timer;
  }
}

function isEncrypted(client: Client): boolean {
  return client.name.startsWith("valkeys");
}

function slow(): EchoMQError {
  return new EchoMQError("timeout", `no connection within ${OPEN_MS_MAX} ms`);
}
