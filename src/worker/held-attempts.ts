/**
 * What a worker holds: every attempt from the reply that brought it until its settlement is acknowledged or its lease
 * is over, and how many of them wait for their handler or run.
 *
 * It alone changes the phase of an attempt, so the counts and the phases cannot come apart. Bounded by the turn loop,
 * which never asks for more than concurrency and look-ahead.
 */

import type { Attempt } from "./attempt.ts";

/** The attempts of one worker. */
export class HeldAttempts implements Iterable<Attempt> {
  readonly #byId: Map<string, Attempt> = new Map();
  /** Attempts that still run although a later claim of their job took their place. */
  readonly #strays: Set<Attempt> = new Set();
  #running = 0;
  #buffered = 0;

  /** How many are held, those that are settled and not acknowledged included. */
  get size(): number {
    return this.#byId.size;
  }

  /** Handlers that run, strays included. */
  get running(): number {
    return this.#running;
  }

  /** Attempts whose handler is still to be started. */
  get buffered(): number {
    return this.#buffered;
  }

  /** Handlers that run although they were told to stop. */
  get stuck(): number {
    let count = this.#strays.size;
    for (const { phase, stopReason } of this.#byId.values()) {
      if (phase === "running" && stopReason !== undefined) count += 1;
    }
    return count;
  }

  [Symbol.iterator](): Iterator<Attempt> {
    return this.#byId.values();
  }

  ids(): Iterable<string> {
    return this.#byId.keys();
  }

  under(id: string): Attempt | undefined {
    return this.#byId.get(id);
  }

  /** All that run, in a list of their own. */
  atWork(): Attempt[] {
    return [...this.#byId.values(), ...this.#strays].filter(({ phase }) => phase === "running");
  }

  /** Holds a buffered attempt, in place of what was held {@link HeldAttempts.under} the id of its job. */
  add(attempt: Attempt, older: Attempt | undefined): void {
    if (older?.phase === "running") this.#strays.add(older);
    this.#byId.set(attempt.id, attempt);
    this.#buffered += 1;
  }

  /** The handler begins, or the settlement is decided. */
  move(attempt: Attempt, phase: "running" | "settled"): void {
    this.#leave(attempt);
    attempt.phase = phase;
    if (phase === "running") this.#running += 1;
  }

  /** Nothing more is to be done with it. */
  end(attempt: Attempt): void {
    this.#leave(attempt);
    attempt.phase = "over";
    if (this.#byId.get(attempt.id) === attempt) this.#byId.delete(attempt.id);
  }

  /** Takes an attempt out of the count of its phase. */
  #leave(attempt: Attempt): void {
    if (this.#strays.size > 0) this.#strays.delete(attempt);
    if (attempt.phase === "running") this.#running -= 1;
    else if (attempt.phase === "buffered") this.#buffered -= 1;
  }
}
