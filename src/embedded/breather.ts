/**
 * Lets the process breathe while acts come one after the other without a pause.
 *
 * An act in memory waits for nothing, so a worker with quick handlers would go from answer to act to answer in one turn
 * of the event loop, and no timer, request or signal of the program would be heard until its backlog is done. So once
 * the loop has not turned for some milliseconds, answers wait until it has. The same holds for a number of answers,
 * where time stands still: jobs of a test that make jobs without end would never let its runner say that it took too
 * long.
 *
 * Invariant: answers come in the order in which they were given.
 */

import type { Ports } from "../engine/ports.ts";

/** How long acts may keep the event loop from turning, once it is asked to, before their answers wait for it, in ms. */
export const BREATH_MS = 3;
/**
 * How old the last known turn may be before an answer has the loop asked to turn, in ms. It bounds what asking costs.
 */
export const LOOK_MS = 1;
/** How many answers may, where no time passes. In 3 ms of real time there are fewer. */
export const BREATH_ANSWERS = 1000;

/** Holds answers back while the event loop is kept from turning. */
export class Breather {
  readonly #ports: Pick<Ports, "clock" | "later">;
  /** When the loop was last known to turn. */
  #turnedAt = Number.NEGATIVE_INFINITY;
  /** Since when a turn has been waited for; `undefined` while none is. */
  #waitsSince: number | undefined;
  /** Answers that were not held since then: since the turn, or since it is waited for. */
  #answers = 0;
  /** What gives the answers that wait for the turn. */
  #held: (() => void)[] = [];

  constructor(ports: Pick<Ports, "clock" | "later">) {
    this.#ports = ports;
  }

  /** Whether the answer of what has just run has to wait. */
  mustHold(): boolean {
    this.#answers += 1;
    if (this.#held.length > 0) return true;
    const now = this.#ports.clock.now();
    if (this.#waitsSince !== undefined) return this.#isLong(now - this.#waitsSince, BREATH_MS);
    if (this.#isLong(now - this.#turnedAt, LOOK_MS)) this.#await(now);
    return false;
  }

  /** Calls `give` after the next turn. */
  hold(give: () => void): void {
    this.#held.push(give);
  }

  #isLong(passedMs: number, ms: number): boolean {
    // A clock that was set back counts as well.
    return Math.abs(passedMs) >= ms || this.#answers > BREATH_ANSWERS;
  }

  #await(now: number): void {
    this.#waitsSince = now;
    this.#answers = 0;
    this.#ports.later(() => {
      const held = this.#held;
      this.#held = [];
      this.#turnedAt = this.#ports.clock.now();
      this.#waitsSince = undefined;
      this.#answers = 0;
      for (const give of held) give();
    });
  }
}
