/**
 * Waits for the ends of jobs of one queue, however many callers and jobs.
 *
 * Invariants: a job is marked before its end is waited for, so its outcome is left although its row goes; who waits is
 * woken by a message, and asks by itself where messages fail (a right that lacks, a connection that was lost), so a
 * wait never depends on one; one job is asked about once, whoever waits for it. Nothing is subscribed to while nobody
 * waits, but for some seconds after, so that one wait after another does not subscribe each time.
 *
 * Bounds: {@link RESULT_WAITS_MAX} waits, one act on its way for each job, and at most one poll a second for a job,
 * later one in ten seconds.
 */

import type { Engine, Subscription } from "../engine/engine.ts";
import type { Timer } from "../engine/ports.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { RESULT_WAITS_MAX } from "./defaults.ts";
import type { Jobs } from "./jobs.ts";
import type { Outcome } from "./result-outcome.ts";
import { QueueKeys } from "./verb-call.ts";

/** The first and the longest pause between two looks at one job, in ms; each is twice the one before. */
export const POLL_MS_MIN = 1000;
export const POLL_MS_MAX = 10_000;

/** How long an outcome is left beyond the wait, so that an answer which is late still finds it, in ms. */
export const GRACE_MS = 5000;

/** How long the subscription stays when the last wait has ended, in ms. */
export const LINGER_MS = 10_000;

/** What {@link ResultWaits} work with. */
export interface ResultWaitsOptions {
  readonly engine: Engine;
  readonly jobs: Jobs;
  readonly queue: string;
}

/** One caller's wait. */
interface Waiter {
  /** When it gives up, by the host's clock. */
  readonly deadlineAt: number;
  readonly resolve: (outcome: Outcome | undefined) => void;
  readonly reject: (error: unknown) => void;
  timer: Timer | undefined;
}

/** One job that is waited for. */
interface Wait {
  readonly id: string;
  readonly waiters: Set<Waiter>;
  pollMs: number;
  timer: Timer | undefined;
  /** An act is on its way. */
  isAsking: boolean;
  /** A reason to ask came while one was. */
  mustAsk: boolean;
}

/** The waits of one queue. */
export class ResultWaits {
  readonly #options: ResultWaitsOptions;
  readonly #waits: Map<string, Wait> = new Map();
  #waiterCount = 0;
  /** What became of the attempt to listen: `refused` for good, or `away`, so that it is worth another. */
  #subscription: Promise<Subscription | "refused" | "away"> | undefined;
  #linger: Timer | undefined;
  #stopWatching: (() => void) | undefined;
  #isClosed = false;

  constructor(options: ResultWaitsOptions) {
    this.#options = options;
  }

  /**
   * Resolves to how a job ended, or to `undefined` when it has not after `timeoutMs`. 0 only looks.
   *
   * @throws EchoMQError `overloaded` for too many waits, `closed`, and what the server refuses for good; while it is
   *   merely away, the wait goes on.
   */
  async wait(id: string, timeoutMs: number): Promise<Outcome | undefined> {
    const { jobs, queue } = this.#options;
    // Its queue may have been closed while the caller found out which job is meant.
    if (this.#isClosed) throw this.#closedError();
    if (timeoutMs === 0) return await jobs.outcome(queue, id);
    if (this.#waiterCount >= RESULT_WAITS_MAX) {
      throw new EchoMQError("overloaded", `${RESULT_WAITS_MAX} results of queue ${queue} are waited for already`);
    }
    return await new Promise((resolve, reject) => this.#add(id, timeoutMs, { resolve, reject }));
  }

  /** Rejects all waits with `closed` and listens no more. */
  close(): void {
    this.#isClosed = true;
    const error = this.#closedError();
    for (const wait of this.#waits.values()) this.#end(wait, (waiter) => waiter.reject(error));
    this.#unsubscribe();
  }

  #closedError(): EchoMQError {
    return new EchoMQError("closed", `The queue ${this.#options.queue} was closed while a result was waited for`);
  }

  #add(id: string, timeoutMs: number, settle: Pick<Waiter, "resolve" | "reject">): void {
    const { clock } = this.#options.engine.ports;
    const waiter: Waiter = { ...settle, deadlineAt: clock.now() + timeoutMs, timer: undefined };
    const known = this.#waits.get(id);
    const wait = known ?? this.#create(id);
    wait.waiters.add(waiter);
    this.#waiterCount++;
    // It is this timer that keeps the process alive for as long as somebody waits.
    waiter.timer = clock.after(timeoutMs, () => this.#giveUp(wait, waiter));
    if (known === undefined) void this.#listen().then(() => this.#ask(wait));
    else this.#ask(wait);
  }

  #create(id: string): Wait {
    const wait: Wait = {
      id,
      waiters: new Set(),
      pollMs: POLL_MS_MIN,
      timer: undefined,
      isAsking: false,
      mustAsk: false,
    };
    this.#waits.set(id, wait);
    // Also before the subscription stands: it may take as long as the server is away.
    this.#poll(wait, wait.pollMs);
    return wait;
  }

  #giveUp(wait: Wait, waiter: Waiter): void {
    this.#remove(wait, waiter);
    if (wait.waiters.size === 0) this.#forget(wait);
    waiter.resolve(undefined);
  }

  #remove(wait: Wait, waiter: Waiter): void {
    waiter.timer?.cancel();
    if (wait.waiters.delete(waiter)) this.#waiterCount--;
  }

  #forget(wait: Wait): void {
    wait.timer?.cancel();
    if (this.#waits.get(wait.id) === wait) this.#waits.delete(wait.id);
    if (this.#waits.size > 0 || this.#isClosed) return;
    const { clock } = this.#options.engine.ports;
    this.#linger = clock.after(LINGER_MS, () => this.#unsubscribe(), { background: true });
  }

  #end(wait: Wait, tell: (waiter: Waiter) => void): void {
    const waiters = [...wait.waiters];
    for (const waiter of waiters) this.#remove(wait, waiter);
    this.#forget(wait);
    for (const waiter of waiters) tell(waiter);
  }

  #ask(wait: Wait): void {
    if (wait.waiters.size === 0 || this.#waits.get(wait.id) !== wait) return;
    if (wait.isAsking) {
      wait.mustAsk = true;
      return;
    }
    wait.isAsking = true;
    wait.mustAsk = false;
    const { jobs, queue, engine } = this.#options;
    const lastAt = Math.max(...[...wait.waiters].map(({ deadlineAt }) => deadlineAt));
    const waitMs = Math.max(1, lastAt - engine.ports.clock.now()) + GRACE_MS;
    jobs.outcome(queue, wait.id, waitMs).then(
      (outcome) => this.#answered(wait, outcome),
      (error: unknown) => this.#failed(wait, error),
    );
  }

  #answered(wait: Wait, outcome: Outcome | undefined): void {
    wait.isAsking = false;
    if (outcome !== undefined) this.#end(wait, (waiter) => waiter.resolve(outcome));
    else if (wait.mustAsk) this.#ask(wait);
  }

  /** The server is away, or refuses: whoever waits learns only of what will not pass by itself. */
  #failed(wait: Wait, error: unknown): void {
    wait.isAsking = false;
    if (!isEchoMQError(error) || !error.retryable) this.#end(wait, (waiter) => waiter.reject(error));
  }

  /** Looks after `ms`, and again and again until the wait has ended. */
  #poll(wait: Wait, ms: number): void {
    const { clock } = this.#options.engine.ports;
    const look = () => {
      wait.pollMs = Math.min(wait.pollMs * 2, POLL_MS_MAX);
      this.#poll(wait, wait.pollMs);
      this.#ask(wait);
    };
    wait.timer?.cancel();
    wait.timer = clock.after(ms, look, { background: true });
  }

  /** Resolves when messages come, or when they cannot: then looking must do. */
  async #listen(): Promise<void> {
    this.#linger?.cancel();
    this.#linger = undefined;
    this.#subscription ??= this.#subscribe();
    const attempt = this.#subscription;
    if ((await attempt) === "away" && this.#subscription === attempt) this.#subscription = undefined;
  }

  async #subscribe(): Promise<Subscription | "refused" | "away"> {
    const { engine, queue } = this.#options;
    this.#stopWatching ??= engine.onState((state) => {
      if (state === "ready") this.#lookAtAll();
    });
    try {
      return await engine.subscribe(new QueueKeys(queue).results, (id) => {
        const wait = this.#waits.get(id);
        if (wait !== undefined) this.#ask(wait);
      });
    } catch (error) {
      engine.ports.logger.debug("Messages about results cannot be had, so they are looked for", { queue, error });
      return isEchoMQError(error) && error.retryable ? "away" : "refused";
    }
  }

  /**
   * The connection is back. Messages may have been lost with it, and a subscription that took too long is made again.
   * The looks are spread so that many do not come in one moment.
   */
  #lookAtAll(): void {
    if (this.#waits.size > 0) void this.#listen();
    const { ports } = this.#options.engine;
    const spreadMs = Math.min(this.#waits.size, POLL_MS_MIN);
    for (const wait of this.#waits.values()) {
      wait.pollMs = POLL_MS_MIN;
      this.#poll(wait, Math.floor(ports.random() * spreadMs));
    }
  }

  #unsubscribe(): void {
    this.#linger?.cancel();
    this.#linger = undefined;
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    // Nobody waits for it: a subscription that is on its way while the server is away ends with the engine.
    void this.#subscription?.then((held) => (typeof held === "object" ? held.close() : undefined));
    this.#subscription = undefined;
  }
}
