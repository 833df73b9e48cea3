/**
 * When a worker lets others go first: while a job falls due that it put off because only another worker knows its name.
 *
 * Whoever puts a job into the schedule keeps its time, so it would be the first to find it due, and could take it again
 * and again before the worker that the job is for. So for a moment around that instant it promotes without claiming and
 * waits for no token. Time is cut into slots, and few of them are remembered: however many such jobs there are, they
 * take no more than a small part of a worker's time. What is beyond that is a race, which others win soon enough.
 */

import type { Clock } from "../engine/ports.ts";

/** Length of a slot, in ms. A moment is three of them: the one of the instant, and its neighbours. */
export const SLOT_MS = 20;

/** Slots that are remembered, at most. */
export const SLOTS_MAX = 8;

/** The moments at which one worker lets others go first. */
export class Deference {
  readonly #clock: Clock;
  readonly #slots = new Set<number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A job was put off, and falls due after so many ms. */
  expect(delayMs: number): void {
    const slot = slotOf(this.#clock.now());
    for (const other of this.#slots) if (other < slot - 1) this.#slots.delete(other);
    if (this.#slots.size < SLOTS_MAX) this.#slots.add(slotOf(this.#clock.now() + delayMs));
  }

  /** How long others go first from now on, in ms; 0 when this worker may claim. */
  leftMs(): number {
    if (this.#slots.size === 0) return 0;
    const now = this.#clock.now();
    const slot = slotOf(now);
    for (const at of [slot + 1, slot, slot - 1]) if (this.#slots.has(at)) return (at + 2) * SLOT_MS - now;
    return 0;
  }
}

function slotOf(ms: number): number {
  return Math.floor(ms / SLOT_MS);
}
