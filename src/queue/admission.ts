/**
 * Gathers the adds of one queue into acts.
 *
 * One act of a hundred jobs costs the server and the client a fraction of a hundred acts, so an add never goes alone
 * when others are on their heels: what is added in one step of the program, or while four acts are on their way, goes
 * together. An act leaves when a hundred jobs are gathered, else as soon as the step has ended, so that the server
 * works on the first while the rest is still built.
 *
 * Invariants: at most four acts are on their way; an act has at most 100 jobs and, but for a single large one, at most
 * 1 MiB of payload; at most `pendingMax` adds wait; and an act that the server refuses because of one job is taken
 * apart until only that job is refused.
 */

import type { Ports } from "../engine/ports.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import type { AdmitBytesRow, AdmitOutcome } from "./admit-rows.ts";
import { ADMIT_ACTS_MAX, ADMIT_BYTES_MAX, ADMIT_ROWS_MAX } from "./defaults.ts";
import type { Jobs } from "./jobs.ts";

/** One add that waits for its act. */
export interface WaitingAdd {
  readonly row: AdmitBytesRow;
  /** Called once, or {@link WaitingAdd.fail} is. */
  settle(outcome: AdmitOutcome): void;
  fail(error: unknown): void;
}

/** Where an admission sends its acts and its troubles. */
export interface AdmissionOptions {
  readonly jobs: Jobs;
  readonly queue: string;
  readonly ports: Ports;
  /** The most adds that wait, those on their way included. */
  readonly pendingMax: number;
  /** Told of each act that failed as a whole. */
  readonly onError: (error: unknown) => void;
}

/** Below this many settled places at its front, the list of waiting adds is not cut. */
const CUT_MIN = 1024;

/** The adds of one queue on their way to the server. */
export class Admission {
  readonly #options: AdmissionOptions;
  /** Adds that wait from `#head` on; the places before it are done. */
  #waiting: WaitingAdd[] = [];
  #head = 0;
  #actsInFlight = 0;
  #rowsInFlight = 0;
  #isPlanned = false;
  #idleWaiters: (() => void)[] = [];

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Adds that have no answer yet. */
  get pendingCount(): number {
    return this.#waiting.length - this.#head + this.#rowsInFlight;
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
    this.#waiting.push(add);
    if (this.#waiting.length - this.#head >= ADMIT_ROWS_MAX) this.#send();
    else this.#plan();
  }

  /** Resolves when no add waits for an answer. */
  idle(): Promise<void> {
    if (this.pendingCount === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
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

  /** The next adds, within the bounds of one act. */
  #takeAct(): WaitingAdd[] {
    const stop = Math.min(this.#head + ADMIT_ROWS_MAX, this.#waiting.length);
    let end = this.#head;
    let bytes = 0;
    while (end < stop) {
      bytes += this.#waiting[end]?.row.payload.length ?? 0;
      if (bytes > ADMIT_BYTES_MAX && end > this.#head) break;
      end++;
    }
    const adds = this.#waiting.slice(this.#head, end);
    this.#head = end;
    this.#cut();
    return adds;
  }

  /** Drops the settled front of the list, so rarely that each add is moved about once. */
  #cut(): void {
    if (this.#head === this.#waiting.length) this.#waiting = [];
    else if (this.#head >= CUT_MIN && this.#head * 2 >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#head);
    } else return;
    this.#head = 0;
  }

  /** Runs one act to its end. Never rejects. */
  async #run(adds: readonly WaitingAdd[]): Promise<void> {
    await this.#admit(adds);
    this.#actsInFlight--;
    this.#rowsInFlight -= adds.length;
    if (this.pendingCount > 0) {
      // Whoever got an answer just now may add again in this very step: let it gather first.
      this.#plan();
      return;
    }
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  async #admit(adds: readonly WaitingAdd[]): Promise<void> {
    let outcomes: AdmitOutcome[];
    try {
      const { jobs, queue } = this.#options;
      outcomes = await jobs.admitBytes(
        queue,
        adds.map((add) => add.row),
      );
    } catch (error) {
      await this.#fail(adds, error);
      return;
    }
    for (let at = 0; at < adds.length; at++) {
      const outcome = outcomes[at];
      if (outcome !== undefined) adds[at]?.settle(outcome);
    }
  }

  /** A refused act stored nothing, so its halves are tried alone; any other error may not be theirs and goes to all. */
  async #fail(adds: readonly WaitingAdd[], error: unknown): Promise<void> {
    const isRefused = isEchoMQError(error, "refused") || isEchoMQError(error, "kind");
    if (isRefused && adds.length > 1) {
      const half = adds.length >> 1;
      await this.#admit(adds.slice(0, half));
      await this.#admit(adds.slice(half));
      return;
    }
    this.#options.onError(error);
    for (const add of adds) add.fail(withId(error, add.row.id));
  }
}

/** The error with the id of its job, so that the caller can repeat the very same add. */
function withId(error: unknown, id: string): unknown {
  if (!isEchoMQError(error)) return error;
  return new EchoMQError(error.code, error.message, { cause: error, details: { ...error.details, id } });
}
