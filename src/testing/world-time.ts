/**
 * When a test world rests, and how its time moves by itself.
 *
 * The world rests when everything is done that can be done without time: no handler is at work, and nothing runs that
 * waits for no timer. Time that is moved by `drain` and `waitForState` moves only while the world rests, from one timer
 * to the next. So handlers may do real work, such as reading a file, and no timeout or lease of theirs runs out over
 * it. How long real work may keep a test waiting is bounded by its patience.
 */

import { quote } from "../protocol/quote.ts";
import { endsWithin } from "./host-clock.ts";
import type { HeldJob, JobBook } from "./job-book.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** Rounds of work without a step of time, at most: beyond it jobs make jobs without end. */
const ROUNDS_MAX = 100_000;

/** The same for acts and commands, of which one round can have any number. */
const CALLS_MAX = 1_000_000;

/**
 * Timers that fire before it is asked again whether it is enough, although nothing seems to have changed. Most are the
 * beats of workers that wait, and asking costs more than they do.
 */
const TIMERS_BLIND_MAX = 500;

export interface WorldTimeOptions {
  readonly clock: VirtualClock;
  readonly book: () => JobBook;
  /** How long nothing may happen while a handler is at work, in ms of real time. */
  readonly patienceMs: number;
  /** Acts and commands without a step of time, at most. Default 1,000,000. */
  readonly callsMax?: number;
}

export class WorldTime {
  readonly #options: WorldTimeOptions;
  #calls = 0;
  #onceCalled: (() => void)[] = [];

  constructor(options: WorldTimeOptions) {
    this.#options = options;
  }

  /** Hears of every act and command. */
  readonly onCall = (): void => {
    this.#calls += 1;
    if (this.#onceCalled.length > 0) for (const tell of this.#onceCalled.splice(0)) tell();
  };

  /**
   * Resolves when the world rests, or as soon as `isEnough` says so.
   *
   * @throws Error when a handler is at work and nothing happens for as long as the patience lasts.
   */
  async rest(isEnough: () => boolean = () => false): Promise<void> {
    const { book, patienceMs, callsMax = CALLS_MAX } = this.#options;
    const endless = this.#calls + callsMax;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      await this.#settle(callsMax, endless);
      if (isEnough()) return;
      const before = this.#calls;
      const [held] = await book().heldJobs();
      if (this.#calls !== before) continue;
      if (held === undefined) return;
      const called = new Promise<void>((resolve) => void this.#onceCalled.push(resolve));
      if (!(await endsWithin(called, patienceMs))) throw new Error(stuckText(held, patienceMs));
    }
    throw new Error(`still at work after ${ROUNDS_MAX} rounds without a step of time: do jobs make jobs without end?`);
  }

  /** Lets everything run that waits for no timer. @throws Error when that has called the engine too often. */
  async #settle(callsMax: number, endless: number): Promise<void> {
    const settled = this.#options.clock.settle().then(() => true);
    for (;;) {
      const called = new Promise<false>((resolve) => void this.#onceCalled.push(() => resolve(false)));
      if (await Promise.race([settled, called])) return;
      if (this.#calls < endless) continue;
      settled.catch(() => undefined);
      throw new Error(`still at work after ${callsMax} calls without a step of time: do jobs make jobs without end?`);
    }
  }

  /**
   * Moves time on until `isDone`, which is asked whenever the world rests and something has changed; whether it came to
   * that by the instant `limitAt`.
   */
  async moveUntil(isDone: () => boolean | Promise<boolean>, limit: MoveLimit): Promise<boolean> {
    const { clock, book } = this.#options;
    for (;;) {
      await clock.still();
      if (limit.isResting === false) await clock.settle();
      else await this.rest(limit.isEnough);
      if (await isDone()) return true;
      await clock.still();
      const next = clock.nextDueAt;
      if (next === undefined || next > limit.limitAt) return false;
      const before = book().changes;
      let timers = 0;
      const isEnough = (): boolean => {
        timers += 1;
        return timers > TIMERS_BLIND_MAX || book().changes !== before || limit.isEnough?.() === true;
      };
      await clock.advanceUntil(limit.limitAt, isEnough);
    }
  }
}

/** How far time may move. */
export interface MoveLimit {
  readonly limitAt: number;
  /** Ends the wait for rest early; see {@link WorldTime.rest}. */
  readonly isEnough?: () => boolean;
  /** Whether time waits for handlers that are at work. Default true; false while a world closes over them. */
  readonly isResting?: boolean;
}

function stuckText({ id, queue }: HeldJob, patienceMs: number): string {
  return (
    `the handler of job ${id} of queue ${quote(queue)} is still at work, and nothing has happened for ${patienceMs} ms; ` +
    "time stands still meanwhile. If it waits for time, call clock.advance; if it waits for the test, let it go on " +
    "first; if its work takes longer, give the world more patience"
  );
}
