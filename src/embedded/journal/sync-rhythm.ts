/** When the device is asked to have what was written: one round at a time, at once or a while after. */

import type { Clock, Timer } from "../../engine/ports.ts";

/** Between the end of one sync and the next one with `everysec`, in ms. */
const SYNC_MS = 1000;

export interface SyncRhythmOptions {
  readonly clock: Clock;
  /** One round; it deals with its failures itself. */
  readonly round: () => Promise<void>;
  /** Whether there is anything that a round could make safe. */
  readonly isAnything: () => boolean;
  /** Whether another round is due when one has ended. */
  readonly isDue: () => boolean;
}

export class SyncRhythm {
  readonly #options: SyncRhythmOptions;
  #running: Promise<void> | undefined;
  #timer: Timer | undefined;
  /** Whether a timer fired while a round ran, which may have begun before what the timer was set for. */
  #isOwed = false;
  #isEnded = false;

  constructor(options: SyncRhythmOptions) {
    this.#options = options;
  }

  /** The round that runs; `undefined` while none does. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Begins a round, unless one runs. */
  now(): void {
    const { round, isAnything, isDue } = this.#options;
    if (this.#running !== undefined || this.#isEnded || !isAnything()) return;
    this.#isOwed = false;
    this.#running = round().finally(() => {
      this.#running = undefined;
      if (this.#isOwed || isDue()) this.now();
    });
  }

  /** Begins a round in a second. */
  soon(): void {
    if (this.#timer !== undefined || this.#isEnded) return;
    const begin = () => {
      this.#timer = undefined;
      if (this.#running === undefined) this.now();
      else this.#isOwed = true;
    };
    this.#timer = this.#options.clock.after(SYNC_MS, begin, { background: true });
  }

  /** Drops the round that a timer was to begin. */
  cancel(): void {
    this.#timer?.cancel();
  }

  /** Begins no more; resolves when the one that runs has ended. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#running;
  }
}
