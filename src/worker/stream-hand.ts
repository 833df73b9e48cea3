/**
 * What a consumer of a stream has in hand: records that lie ready, those whose handlers run, those that wait for their
 * next attempt, and those that only wait to be settled at the server.
 *
 * Bounds: `capacity` records on their way through a handler, and {@link WAITING_MAX} that wait for their next attempt.
 * These take no room from the others, or a burst of failures would hold up every record behind it; one more than that
 * is let go, and comes again by being taken over. Every record in hand is renewed, so that no peer takes what is merely
 * slow.
 */

import type { Delivery } from "../queue/stream-group.ts";
import type { Signal } from "./context.ts";

/** The part of the platform's `AbortController` that is used. */
interface Abort {
  readonly signal: Signal;
  abort(reason: unknown): void;
}

declare const AbortController: new () => Abort;

/** Records that wait for their next attempt in one consumer, at most. */
export const WAITING_MAX = 1000;

/** Where a record in hand is on its way. */
type Stage = "ready" | "running" | "resting" | "ended";

/** One record in hand. */
export interface HeldRecord {
  readonly delivery: Delivery;
  stage: Stage;
  /** When it was given or renewed last, in ms of the host's clock. */
  touchedAt: number;
  /** When its next attempt is due, while it waits for one. */
  dueAt: number;
  /** Told when a peer has taken it over. */
  readonly abort: Abort;
}

export class StreamHand {
  readonly #held = new Map<string, HeldRecord>();
  readonly #ready: HeldRecord[] = [];
  readonly #capacity: number;
  #running = 0;
  #waiting = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** How many more there is room for. */
  get room(): number {
    return Math.max(0, this.#capacity - this.#held.size + this.#waiting);
  }

  get size(): number {
    return this.#held.size;
  }

  get runningCount(): number {
    return this.#running;
  }

  get readyCount(): number {
    return this.#ready.length;
  }

  /** Takes records in; one that is in hand already stays as it is. */
  take(deliveries: readonly Delivery[], now: number): void {
    for (const delivery of deliveries) {
      const present = this.#held.get(delivery.entryId);
      if (present !== undefined && present.stage !== "resting") continue;
      if (present !== undefined) this.#waiting -= 1;
      const held: HeldRecord = { delivery, stage: "ready", touchedAt: now, dueAt: 0, abort: new AbortController() };
      this.#held.set(delivery.entryId, held);
      this.#ready.push(held);
    }
  }

  /** The next record to handle, which runs from now on. */
  next(): HeldRecord | undefined {
    const held = this.#ready.shift();
    if (held === undefined) return undefined;
    held.stage = "running";
    this.#running += 1;
    return held;
  }

  /** A handler has ended, and its record waits to be settled. */
  ended(held: HeldRecord): void {
    if (held.stage !== "running") return;
    this.#running -= 1;
    held.stage = "ended";
  }

  /** A handler has failed, and its record waits for its next attempt. */
  failed(held: HeldRecord, dueAt: number): void {
    if (held.stage !== "running") return;
    this.#running -= 1;
    this.#waiting += 1;
    held.stage = "resting";
    held.dueAt = dueAt;
    if (this.#waiting > WAITING_MAX) this.drop(held.delivery.entryId);
  }

  /** A record is settled, or no longer this consumer's. */
  drop(entryId: string): void {
    const held = this.#held.get(entryId);
    if (held === undefined) return;
    this.#held.delete(entryId);
    if (held.stage === "running") this.#running -= 1;
    if (held.stage === "resting") this.#waiting -= 1;
    if (held.stage === "ready") this.#ready.splice(this.#ready.indexOf(held), 1);
    held.stage = "ended";
  }

  get(entryId: string): HeldRecord | undefined {
    return this.#held.get(entryId);
  }

  /** Those whose next attempt is due. */
  due(now: number): string[] {
    return this.#ids((held) => held.stage === "resting" && held.dueAt <= now);
  }

  /** When the next attempt is due; `undefined` for none. */
  nextDueAt(): number | undefined {
    let at: number | undefined;
    for (const held of this.#held.values()) {
      if (held.stage === "resting" && (at === undefined || held.dueAt < at)) at = held.dueAt;
    }
    return at;
  }

  /** Those that were not touched since an instant, and on which somebody still works or will. */
  stale(since: number): string[] {
    return this.#ids((held) => held.stage !== "ended" && held.touchedAt <= since);
  }

  /** Notes that records were renewed. */
  touch(entryIds: readonly string[], now: number): void {
    for (const id of entryIds) {
      const held = this.#held.get(id);
      if (held !== undefined) held.touchedAt = now;
    }
  }

  /** All that are in hand. */
  all(): HeldRecord[] {
    return [...this.#held.values()];
  }

  #ids(isWanted: (held: HeldRecord) => boolean): string[] {
    return [...this.#held].filter(([, held]) => isWanted(held)).map(([id]) => id);
  }
}
