/**
 * Keeps an outage from filling the log: a reason that was told is not told again for a minute.
 *
 * An outage may last for days and change its face twice a second, so the reasons of a minute are counted as well.
 */

import type { Clock } from "../engine/ports.ts";

/** How long a reason that was told is not told again, in ms. */
export const QUIET_MS = 60_000;

/** Reasons that are told within {@link QUIET_MS}, at most. */
export const REASONS_MAX = 5;

/** What was told of late. */
export class Seldom {
  readonly #clock: Clock;
  readonly #told = new Set<string>();
  #since = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a reason may be told now; it counts as told then. */
  mayTell(reason: string): boolean {
    const now = this.#clock.now();
    // A clock that was set back must not silence anybody.
    if (Math.abs(now - this.#since) >= QUIET_MS) {
      this.#told.clear();
      this.#since = now;
    }
    if (this.#told.has(reason) || this.#told.size >= REASONS_MAX) return false;
    this.#told.add(reason);
    return true;
  }
}
