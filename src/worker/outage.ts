/**
 * What a worker does while the server does not answer: it waits a little longer each time, says so now and then, and
 * forgets all of it with the first answer.
 *
 * The longest wait is one second, so that work goes on within two of the server being back. The log gets one line for
 * each longer wait and then one a minute, so an outage of a night fills no disk.
 */

import type { Clock, Logger, Timer } from "../engine/ports.ts";
import { causeText } from "../protocol/cause-text.ts";
import { isEchoMQError } from "../protocol/errors.ts";

/** The first wait, in ms; it doubles from there. */
export const OUTAGE_DELAY_MS_MIN = 50;

/** The longest wait, in ms. */
export const OUTAGE_DELAY_MS_MAX = 1000;

/** Between two lines once the wait has stopped growing, in ms. */
const LINE_EVERY_MS = 60_000;

/** What an {@link Outage} works with, and whom it tells. */
export interface OutageOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** What the lines are about: `worker of queue "mail"`. */
  readonly subject: string;
  /** Told of the error with which each longer wait begins; answers whether somebody took notice of it. */
  readonly onError: (error: unknown) => boolean;
  /** The wait is over: try again. */
  readonly onRetry: () => void;
}

/** The waits between the tries of one worker while its server is away. */
export class Outage {
  readonly #options: OutageOptions;
  #timer: Timer | undefined;
  #delayMs = 0;
  #beganAt = 0;
  #linedAt = 0;
  #lastError: unknown;

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  /** Whether nothing may be sent now. */
  get isWaiting(): boolean {
    return this.#timer !== undefined;
  }

  /** Whether the last try failed. */
  get isOn(): boolean {
    return this.#delayMs > 0;
  }

  /** The error of the last try that failed; `undefined` while all is well. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** A try failed. While a wait is on already, that changes nothing. */
  failed(error: unknown): void {
    this.#lastError = error;
    if (this.#timer !== undefined) return;
    const { clock } = this.#options;
    if (this.#delayMs === 0) this.#beganAt = clock.now();
    const longer = this.#delayMs < OUTAGE_DELAY_MS_MAX;
    this.#delayMs = Math.min(Math.max(this.#delayMs * 2, OUTAGE_DELAY_MS_MIN), OUTAGE_DELAY_MS_MAX);
    if (longer || clock.now() - this.#linedAt >= LINE_EVERY_MS) this.#tell(error);
    this.#timer = clock.after(this.#delayMs, () => this.retryNow(), { background: true });
  }

  /** Ends the wait, for instance because the engine says that it is ready. */
  retryNow(): void {
    if (this.#timer === undefined) return;
    this.#timer.cancel();
    this.#timer = undefined;
    this.#options.onRetry();
  }

  /** A try succeeded. */
  ended(): void {
    if (this.#delayMs === 0) return;
    const lastedMs = this.#options.clock.now() - this.#beganAt;
    this.#forget();
    this.#options.logger.info(`${this.#options.subject}: the server answers again`, { afterMs: lastedMs });
  }

  /** Waits for nothing any more. */
  stop(): void {
    this.#forget();
  }

  #forget(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#delayMs = 0;
    this.#lastError = undefined;
  }

  #tell(error: unknown): void {
    const { clock, logger, subject, onError } = this.#options;
    this.#linedAt = clock.now();
    if (onError(error)) return;
    const why = causeText(error);
    logger.warn(`${subject}: cannot be served: ${why}`, {
      ...(isEchoMQError(error) ? { code: error.code } : {}),
      sinceMs: clock.now() - this.#beganAt,
      retryInMs: this.#delayMs,
    });
  }
}
