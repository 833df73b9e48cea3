/**
 * When a worker that closes waits no longer for its handlers. Whoever closes it once more may want it sooner, never
 * later: a second signal comes from somebody with less patience than the first.
 */

import type { Clock } from "../engine/ports.ts";

/** An instant that can be brought forward. */
export class CloseDeadline {
  readonly #clock: Clock;
  #at: number;
  /** Ends the present look, so that the next one has the time that is left now. */
  #moved: () => void = () => {};

  /** @param ms how long from now, in ms. */
  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#at = clock.now() + ms;
  }

  /** The instant by the host's clock. */
  get at(): number {
    return this.#at;
  }

  /** Comes `ms` from now, unless it comes sooner as it is. */
  bringForward(ms: number): void {
    this.#at = Math.min(this.#at, this.#clock.now() + ms);
    this.#moved();
  }

  /** Resolves when `promise` has ended, resolved or rejected, and at the deadline. Never rejects. */
  async waitFor(promise: Promise<unknown>): Promise<void> {
    const ended = promise.then(
      () => true,
      () => true,
    );
    let hasEnded = false;
    do {
      hasEnded = await this.#look(ended);
    } while (!hasEnded && this.#at > this.#clock.now());
  }

  /** Whether it has ended before the instant that is the deadline now, and before that is another one. */
  #look(ended: Promise<boolean>): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = this.#clock.after(Math.max(0, this.#at - this.#clock.now()), () => resolve(false));
      const finish = (hasEnded: boolean): void => {
        timer.cancel();
        resolve(hasEnded);
      };
      this.#moved = () => finish(false);
      void ended.then(finish);
    });
  }
}
