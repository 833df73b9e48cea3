/**
 * Background services: what runs beside the handlers of a worker.
 *
 * The contract, which every service keeps so that shutting down needs no special cases: `start` begins at once and a
 * second `start` does nothing; `stop` ends it for good, resolves when nothing of it runs any more, may be called twice,
 * and before `start` makes that `start` do nothing. A service never rejects: what goes wrong in a round is told to
 * `onError`, and the next round comes as if nothing had happened.
 */

import type { Clock, Timer } from "../engine/ports.ts";

/** Something that runs until it is stopped. */
export interface Service {
  start(): void;
  stop(): Promise<void>;
}

/** What every {@link PeriodicService} works with. */
export interface PeriodicOptions {
  readonly clock: Clock;
  /** Told of what a round threw. */
  readonly onError: (error: unknown) => void;
}

/** A service that does a round, waits, and does the next; rounds never overlap. */
export abstract class PeriodicService implements Service {
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  #state: "new" | "running" | "stopped" = "new";
  #timer: Timer | undefined;
  #round: Promise<void> | undefined;
  /** A kick that came while a round ran: that round may have missed its reason. */
  #again = false;

  constructor(options: PeriodicOptions) {
    this.#clock = options.clock;
    this.#onError = options.onError;
  }

  get isRunning(): boolean {
    return this.#state === "running";
  }

  start(): void {
    if (this.#state !== "new") return;
    this.#state = "running";
    this.#setTimer(this.firstDelayMs());
  }

  async stop(): Promise<void> {
    this.#state = "stopped";
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#round;
  }

  /** Does a round now, or right after the one that runs. */
  kick(): void {
    if (this.#state !== "running") return;
    if (this.#round !== undefined) this.#again = true;
    else this.#run();
  }

  /** Milliseconds from `start` to the first round. */
  protected abstract firstDelayMs(): number;

  /** Milliseconds from the end of a round to the next one; without end for a service that is only kicked. */
  protected abstract nextDelayMs(): number;

  protected abstract round(): Promise<void>;

  #setTimer(ms: number): void {
    this.#timer?.cancel();
    if (ms === Number.POSITIVE_INFINITY) return;
    // The worker's own timer keeps the process alive.
    this.#timer = this.#clock.after(ms, () => this.#run(), { background: true });
  }

  #run(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#again = false;
    this.#round = this.#guarded().then(() => {
      this.#round = undefined;
      if (this.#state === "running") this.#setTimer(this.#again ? 0 : this.nextDelayMs());
    });
  }

  async #guarded(): Promise<void> {
    try {
      await this.round();
    } catch (error) {
      this.#onError(error);
    }
  }
}
