/**
 * Gathers the adds of one queue into acts.
 *
 * One act of a hundred jobs costs the server and the client a fraction of a hundred acts, so an add never goes alone
 * when others are on their heels: what is added in one step of the program, or while four acts are on their way, goes
 * together. An act leaves as soon as the step has ended, and before that when a hundred jobs are gathered, so that the
 * server works while the rest is still built. The more jobs an act carries the less each costs, so it takes up to 200,
 * but no more than half of all that have no answer: the server shall have the next before it has answered the last.
 *
 * Invariants: at most four acts are on their way; an act has at most 200 jobs and, but for a single large one, at most
 * 1 MiB of payload; at most `pendingMax` adds wait, those that rest before another try included; an act that the server
 * refuses because of one job is taken apart until only that job is refused; and no add waits longer for its act than an
 * act waits for its answer: when an act gets none in time, the adds that waited behind it all that time end with it.
 *
 * An add that may be repeated rests after an outage's failure and joins a later act with the very same id, so what the
 * lost act stored is found again and not stored twice.
 */

import type { Ports, Timer } from "../engine/ports.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import type { AdmitBytesRow, AdmitOutcome } from "./admit-rows.ts";
import { ADMIT_ACTS_MAX, ADMIT_BYTES_MAX, ADMIT_ROWS_ENOUGH, ADMIT_ROWS_MAX } from "./defaults.ts";
import type { Jobs } from "./jobs.ts";

/** One add that waits for its act: a row, and whom to tell. */
export interface WaitingAdd extends AdmitBytesRow {
  /**
   * Until when, by the host's clock, a try may begin after one that an outage undid; 0 or absent is no second try.
   */
  readonly retryUntil?: number;
  /** Whether a try without an answer may have stored it. The admission alone writes it. */
  wasSent?: boolean;
  /** When it began to wait, by the host's clock. The admission alone writes it. */
  waitsSince?: number;
  /** Called once, or {@link WaitingAdd.fail} is. `state` is where the job that stood in its way is now. */
  settle(outcome: AdmitOutcome, state?: string): void;
  fail(error: unknown): void;
}

/** Where an admission sends its acts and its troubles. */
export interface AdmissionOptions {
  readonly jobs: Jobs;
  readonly queue: string;
  readonly ports: Ports;
  /** The most adds that wait, those on their way included. */
  readonly pendingMax: number;
  /** Told of each failure with which adds end that the server did not refuse one by one. */
  readonly onError: (error: unknown) => void;
  /** Called before the first of some adds that are gathered in one step. */
  readonly onGather?: () => void;
  /** Called when an act with a job that is not put off has just left. */
  readonly onSent?: () => void;
}

/** A shape with a time before which its job does not run (docs/protocol/jobs.md, Admission). */
const PUT_OFF = /[ia]/;

/** First and longest rest before adds are tried again, in ms; each is twice the one before. */
const REST_MS_MIN = 50;
const REST_MS_MAX = 1000;

/** Adds that have waited for this share of the time of an act that got no answer end with it. */
const WAIT_SHARE_MIN = 0.9;

/** The adds of one queue on their way to the server. */
export class Admission {
  readonly #options: AdmissionOptions;
  /** Adds that wait from `#head` on; the places before it are done. */
  #waiting: WaitingAdd[] = [];
  #head = 0;
  #actsInFlight = 0;
  #rowsInFlight = 0;
  /** Adds that wait for another try, and why the last one failed. */
  #resting: { readonly add: WaitingAdd; readonly error: unknown }[] = [];
  #restTimer: Timer | undefined;
  #restMs = 0;
  #mayRetry = true;
  #isPlanned = false;
  /** When the first of those that are gathered now came, by the host's clock. */
  #gatheredSince = 0;
  #idleWaiters: (() => void)[] = [];

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Adds that have no answer yet. */
  get pendingCount(): number {
    return this.#waiting.length - this.#head + this.#rowsInFlight + this.#resting.length;
  }

  /** Throws `overloaded` when `count` more adds would exceed the bound. */
  assertRoom(count: number): void {
    const { pendingMax } = this.#options;
    if (this.pendingCount + count <= pendingMax) return;
    throw new EchoMQError(
      "overloaded",
      `${this.pendingCount} adds wait for the server and ${count} more exceed maxPending (${pendingMax}): ` +
        "wait for earlier ones, or raise it",
      { details: { pending: this.pendingCount, maxPending: pendingMax } },
    );
  }

  /** Takes an add; there must be room. It leaves with the next act. */
  push(add: WaitingAdd): void {
    if (!this.#isPlanned || this.#waiting.length === this.#head) this.#begin();
    add.waitsSince = this.#gatheredSince;
    this.#waiting.push(add);
    if (this.#waiting.length - this.#head >= this.#actRowsMax()) this.#send();
    else this.#plan();
  }

  /** The first of some adds that are gathered in one step, and share what would be a good part of the cost of each. */
  #begin(): void {
    this.#gatheredSince = this.#options.ports.clock.now();
    this.#options.onGather?.();
  }

  /** Resolves when no add waits for an answer. */
  idle(): Promise<void> {
    if (this.pendingCount === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Tries nothing again from now on; adds that rest end with their last error. */
  stopRetrying(): void {
    this.#mayRetry = false;
    this.#restTimer?.cancel();
    this.#restTimer = undefined;
    const resting = this.#resting.splice(0);
    if (resting[0] !== undefined) this.#options.onError(resting[0].error);
    for (const { add, error } of resting) add.fail(withId(error, add.id));
    this.#answerIdle();
  }

  /** Sends what is gathered once the current step has ended. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#options.ports.soon(this.#sendPlanned);
  }

  readonly #sendPlanned = (): void => {
    this.#isPlanned = false;
    this.#send();
  };

  #send(): void {
    while (this.#actsInFlight < ADMIT_ACTS_MAX && this.#head < this.#waiting.length) {
      const adds = this.#takeAct();
      this.#actsInFlight++;
      this.#rowsInFlight += adds.length;
      void this.#run(adds);
    }
  }

  /** The most jobs of the next act. */
  #actRowsMax(): number {
    const unanswered = this.#waiting.length - this.#head + this.#rowsInFlight;
    return Math.min(Math.max(ADMIT_ROWS_ENOUGH, Math.ceil(unanswered / 2)), ADMIT_ROWS_MAX);
  }

  /** The next adds, within the bounds of one act. */
  #takeAct(): WaitingAdd[] {
    const stop = Math.min(this.#head + this.#actRowsMax(), this.#waiting.length);
    let end = this.#head;
    let bytes = 0;
    while (end < stop) {
      bytes += this.#waiting[end]?.payload.length ?? 0;
      if (bytes > ADMIT_BYTES_MAX && end > this.#head) break;
      end++;
    }
    return this.#take(end);
  }

  /** Takes the waiting adds up to a place. */
  #take(end: number): WaitingAdd[] {
    const adds = this.#waiting.slice(this.#head, end);
    this.#head = end;
    this.#cut();
    return adds;
  }

  /**
   * Drops the front of the list, which has left, once it is as long as the rest: each add is moved about once, and what
   * has left keeps no more payloads in memory than what waits.
   */
  #cut(): void {
    if (this.#head === this.#waiting.length) this.#waiting = [];
    else if (this.#head * 2 >= this.#waiting.length) this.#waiting = this.#waiting.slice(this.#head);
    else return;
    this.#head = 0;
  }

  /** Runs one act to its end. Never rejects. */
  async #run(adds: readonly WaitingAdd[]): Promise<void> {
    const sentAt = this.#options.ports.clock.now();
    const silence = await this.#admit(adds);
    this.#actsInFlight--;
    this.#rowsInFlight -= adds.length;
    if (silence !== undefined) this.#endBehind(sentAt, silence);
    if (this.pendingCount > 0) {
      // Whoever got an answer just now may add again in this very step: let it gather first.
      this.#plan();
      return;
    }
    this.#answerIdle();
  }

  #answerIdle(): void {
    if (this.pendingCount > 0) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  /** Answers the error of an act that got no answer in time. */
  async #admit(adds: readonly WaitingAdd[]): Promise<EchoMQError | undefined> {
    let outcomes: AdmitOutcome[];
    try {
      const { jobs, queue, onSent } = this.#options;
      const answer = jobs.admitBytes(queue, adds);
      if (onSent !== undefined && adds.some(({ shape }) => !PUT_OFF.test(shape))) onSent();
      outcomes = await answer;
    } catch (error) {
      return await this.#fail(adds, error);
    }
    this.#restMs = 0;
    const asked = this.#statesOf(outcomes);
    const states = asked === undefined ? undefined : await asked;
    for (let at = 0; at < adds.length; at++) {
      const outcome = outcomes[at];
      if (outcome === undefined) continue;
      const state = outcome.state ?? (outcome.id === undefined ? undefined : states?.get(outcome.id));
      adds[at]?.settle(outcome, state);
    }
    return undefined;
  }

  /**
   * Where the jobs are that held others back or took their values; the act names them only. Each is asked for once, and
   * none where nothing of the kind happened, which is nearly always.
   */
  #statesOf(outcomes: readonly AdmitOutcome[]): Promise<ReadonlyMap<string, string>> | undefined {
    const ids = new Set<string>();
    for (const { id, state } of outcomes) if (id !== undefined && state === undefined) ids.add(id);
    if (ids.size === 0) return undefined;
    const { jobs, queue } = this.#options;
    // What became of the adds is certain by now, so it is told even where this cannot be found out.
    return jobs.getStates(queue, ids).catch(() => new Map<string, string>());
  }

  /** A refused act stored nothing, so its halves are tried alone; any other error may not be theirs and goes to all. */
  async #fail(adds: readonly WaitingAdd[], error: unknown): Promise<EchoMQError | undefined> {
    const isRefused = isEchoMQError(error, "refused") || isEchoMQError(error, "kind");
    if (isRefused && adds.length > 1) {
      const half = adds.length >> 1;
      const silence = await this.#admit(adds.slice(0, half));
      return (await this.#admit(adds.slice(half))) ?? silence;
    }
    this.#endOrRest(adds, error);
    return isSilence(error) && !isCut(error) ? error : undefined;
  }

  /** Ends the adds that have waited about as long as an act that got no answer in time. Nothing of them was sent. */
  #endBehind(sentAt: number, silence: EchoMQError): void {
    const now = this.#options.ports.clock.now();
    const until = now - (now - sentAt) * WAIT_SHARE_MIN;
    let end = this.#head;
    while (end < this.#waiting.length && (this.#waiting[end]?.waitsSince ?? now) <= until) end++;
    if (end === this.#head) return;
    const { code, message, details } = silence;
    const error = new EchoMQError(code, message, { cause: silence, details: { ...details, sent: false } });
    this.#endOrRest(this.#take(end), error);
  }

  #endOrRest(adds: readonly WaitingAdd[], error: unknown): void {
    const now = this.#options.ports.clock.now();
    const ended: WaitingAdd[] = [];
    for (const add of adds) {
      if (isUncertain(error)) add.wasSent = true;
      if (this.#mayRetry && isOutage(error) && now < (add.retryUntil ?? 0)) this.#resting.push({ add, error });
      else ended.push(add);
    }
    if (this.#resting.length > 0) this.#rest();
    if (ended.length === 0) return;
    this.#options.onError(error);
    for (const add of ended) add.fail(withId(error, add.id));
  }

  /** Waits before another try, a little longer each time. The process lives on for it, since somebody waits. */
  #rest(): void {
    if (this.#restTimer !== undefined) return;
    this.#restMs = Math.min(Math.max(this.#restMs * 2, REST_MS_MIN), REST_MS_MAX);
    this.#restTimer = this.#options.ports.clock.after(this.#restMs, () => {
      this.#restTimer = undefined;
      for (const { add } of this.#resting.splice(0)) this.push(add);
      this.#send();
    });
  }
}

/** Whether waiting may mend an error, because it is what an outage of the server or of the way to it looks like. */
export function isOutage(error: unknown): boolean {
  return isSilence(error) || isEchoMQError(error, "server_busy");
}

/** Whether no answer came in the time of a call. */
function isSilence(error: unknown): error is EchoMQError {
  return isEchoMQError(error, "disconnected") || isEchoMQError(error, "timeout");
}

/**
 * Whether a connection broke under an act. That says nothing of those behind it, which were never sent: the next
 * connection may be there in a moment.
 */
function isCut(error: EchoMQError): boolean {
  return error.code === "disconnected" && error.details["sent"] !== false;
}

/**
 * Whether an act may have been done although it failed for us: nothing was heard of it once it was sent, or its answer
 * could not be read. What was never sent, and what the server refused, has not happened.
 */
export function isUncertain(error: unknown): boolean {
  if (!isEchoMQError(error) || error.code === "internal") return true;
  return isSilence(error) && error.details["sent"] !== false;
}

/** The error with the id of its job, so that the caller can repeat the very same add. */
function withId(error: unknown, id: string): unknown {
  if (!isEchoMQError(error)) return error;
  return new EchoMQError(error.code, error.message, { cause: error, details: { ...error.details, id } });
}
