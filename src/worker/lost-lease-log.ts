/**
 * The lines of the log about lost leases: a frozen process may lose a thousand of them in one moment.
 *
 * The first few are named, the others of the same ten seconds are one line with their number. Listeners are told of
 * each; this is for those who read logs.
 */

import type { Clock, Logger, Timer } from "../engine/ports.ts";

/** Lost leases that are named within {@link LOST_LINES_MS}. */
const LOST_NAMED_MAX = 5;

/** For how long losses are summed up, in ms. */
const LOST_LINES_MS = 10_000;

/** What a {@link LostLeaseLog} works with. */
export interface LostLeaseLogOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** What the lines are about: `worker of queue "mail"`. */
  readonly subject: string;
}

/** The log of one worker's lost leases. */
export class LostLeaseLog {
  readonly #options: LostLeaseLogOptions;
  /** Leases lost since the lines about them were last summed up. */
  #count = 0;
  #timer: Timer | undefined;

  constructor(options: LostLeaseLogOptions) {
    this.#options = options;
  }

  note(id: string, why: string): void {
    const { clock, logger, subject } = this.#options;
    this.#count += 1;
    if (this.#count <= LOST_NAMED_MAX) logger.warn(`${subject}: the lease of job ${id} was lost: ${why}`);
    if (this.#count === 1) this.#timer = clock.after(LOST_LINES_MS, () => this.#sumUp(), { background: true });
  }

  /** Says what was not said yet, and nothing more by itself. */
  stop(): void {
    this.#timer?.cancel();
    if (this.#count > 0) this.#sumUp();
  }

  #sumUp(): void {
    const { logger, subject } = this.#options;
    const unnamed = this.#count - LOST_NAMED_MAX;
    this.#count = 0;
    if (unnamed > 0) logger.warn(`${subject}: the leases of ${unnamed} more jobs were lost`);
  }
}
