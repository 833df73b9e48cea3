/**
 * How many jobs a worker leases beyond those that it runs.
 *
 * Without look-ahead a worker of concurrency 1 is bound to one round trip a job. With it, a job can wait behind a slow
 * one while another worker idles. So it is granted only while handlers are quick: the number shrinks until what is
 * leased ahead would start within {@link HOLD_MS_MAX}, and what waits longer all the same is given back.
 */

import { LOOK_AHEAD_MAX } from "../queue/defaults.ts";

/** The longest that a leased job may wait for its handler, in ms. */
export const HOLD_MS_MAX = 5;

/**
 * Jobs leased ahead for each one that runs, as long as handlers are quick enough for it. With two TURNs on their way a
 * TURN carries about two fifths of what is leased, and server and host spend less on a job the more of them one act
 * carries. Besides, the leases of a busy worker are then more than 128 from concurrency 5 on: up to that number the
 * server keeps a sorted set as one packed list (`zset-max-listpack-entries`), and each new lease passes all others in
 * it, which was a third of the native server's time for a job (`npm run bench -- --row process-10`).
 */
const AHEAD_PER_RUNNING = 25;

/** Weight of the newest run in the moving average. */
const WEIGHT = 0.1;

/** Below this the average is as good as nothing; host clocks count in whole milliseconds. */
const AVERAGE_MS_MIN = 0.05;

/** The look-ahead of one worker: fed by the runner with how long handlers take, asked by the turn loop for a number. */
export class LookAhead {
  readonly #most: number;
  /** Moving average of a handler's run in ms; infinite until the first run has ended. */
  #averageMs = Number.POSITIVE_INFINITY;

  /** @param most never more than this; 0 switches look-ahead off. */
  constructor(most: number) {
    this.#most = most;
  }

  get averageMs(): number {
    return this.#averageMs;
  }

  /** A handler ran for so long. */
  note(runMs: number): void {
    if (this.#averageMs === Number.POSITIVE_INFINITY) this.#averageMs = runMs;
    else this.#averageMs += (runMs - this.#averageMs) * WEIGHT;
  }

  /** A leased job waited too long: nothing is leased ahead until handlers have proved quick again. */
  tooSlow(): void {
    this.#averageMs = Math.max(this.#averageMs === Number.POSITIVE_INFINITY ? 0 : this.#averageMs, 2 * HOLD_MS_MAX);
  }

  /** Jobs to lease beyond those that run. */
  size(concurrency: number): number {
    if (this.#most === 0 || this.#averageMs >= HOLD_MS_MAX) return 0;
    const wanted = Math.min(AHEAD_PER_RUNNING * concurrency, LOOK_AHEAD_MAX, this.#most);
    const startable = Math.floor((concurrency * HOLD_MS_MAX) / Math.max(this.#averageMs, AVERAGE_MS_MIN));
    return Math.min(wanted, startable);
  }
}
