/**
 * What to do with a repeat that is due: which slot is fired, which are left out, and when the next one is.
 *
 * A slot is *missed* when nobody fired it before the next one was due; with the policy `skip`, also when it is later
 * than {@link LATE_MS_MAX}. `last`, the default, fires the last missed slot and leaves out those before it; `all` fires
 * the newest `n` of them, one act a slot, oldest first; `skip` fires none of them. Everything is worked out from the
 * record and the server's clock, so it does not matter which host does it.
 */

import type { Recurrence } from "./recurrence.ts";
import { type DueRepeat, ENDED_AT, type Skipped } from "./repeats.ts";

/** How late a slot may be fired with the policy `skip`, in ms: a failover, or a worker that is just starting. */
export const LATE_MS_MAX = 60_000;

/** Missed slots that are fired one by one, at most. */
export const CATCH_UP_MAX = 100;

/** Due slots that are counted one by one; of more, the number is not known and told as this. */
const COUNTED_MAX = 1000;

/** The part of a scheduler that says how its slots are fired, as it is stored. */
export interface FiringPolicy {
  /** Default `last`. */
  readonly missed?: "skip" | { readonly all: number };
  /** How much later than its slot a job may fall due, by chance, in ms. */
  readonly jitter?: number;
}

/** What is to be done with the occurrence that is due. */
export type FiringDecision =
  | {
      readonly kind: "fire";
      readonly slotAtMs: number;
      readonly nextAtMs: number;
      readonly skipped: Skipped | undefined;
    }
  | { readonly kind: "skip"; readonly nextAtMs: number; readonly skipped: Skipped };

/** The due slots of a repeat, oldest first, as far as they matter, and what comes after them. */
interface DueSlots {
  /** The newest of them: as many as the policy may fire, one at least. */
  readonly newest: readonly number[];
  /** How many there are. */
  readonly count: number;
  readonly nextAtMs: number;
  /** Local times among them that the clocks left out. */
  readonly missing: Skipped | undefined;
}

/**
 * Decides about a repeat that is due.
 *
 * @param nowMs the server's clock, at which it was due.
 */
export function firingDecision(
  { dueAtMs }: Pick<DueRepeat, "dueAtMs">,
  {
    recurrence,
    policy,
    nowMs,
  }: { readonly recurrence: Recurrence; readonly policy: FiringPolicy; readonly nowMs: number },
): FiringDecision {
  // Whoever lost the next occurrence leaves 0: it is looked for from now on, and nothing is fired.
  if (dueAtMs === 0) {
    const nextAtMs = recurrence.next(nowMs) ?? ENDED_AT;
    return { kind: "skip", nextAtMs, skipped: { count: 0, slotAtMs: 0, why: "missed" } };
  }
  const { missed = "last" } = policy;
  const most = typeof missed === "object" ? Math.min(missed.all, CATCH_UP_MAX) : 1;
  const slots = dueSlots(recurrence, { dueAtMs, nowMs, most });
  const last = slots.newest.at(-1) ?? dueAtMs;
  if (missed === "skip" && nowMs - last > LATE_MS_MAX) {
    return { kind: "skip", nextAtMs: slots.nextAtMs, skipped: { count: slots.count, slotAtMs: last, why: "missed" } };
  }
  const [slotAtMs = dueAtMs, following] = slots.newest;
  const left = slots.count - slots.newest.length;
  const skipped: Skipped | undefined =
    left > 0 ? { count: left, slotAtMs: slotBefore(recurrence, slotAtMs, dueAtMs), why: "missed" } : slots.missing;
  return { kind: "fire", slotAtMs, nextAtMs: following ?? slots.nextAtMs, skipped };
}

/** The slot before another one; the one that is due where there is none to be found. */
function slotBefore(recurrence: Recurrence, slotAtMs: number, dueAtMs: number): number {
  return slotAtMs === dueAtMs ? dueAtMs : (lastSlot(recurrence, dueAtMs, slotAtMs - 1) ?? dueAtMs);
}

function dueSlots(
  recurrence: Recurrence,
  { dueAtMs, nowMs, most }: { readonly dueAtMs: number; readonly nowMs: number; readonly most: number },
): DueSlots {
  const { every } = recurrence.rule;
  if (every !== undefined && every > 0) return periodSlots(recurrence, { dueAtMs, nowMs, most });
  const newest = [dueAtMs];
  let missing: Skipped | undefined;
  let count = 1;
  let next = recurrence.after(dueAtMs);
  while (next !== undefined && next.atMs <= nowMs && count < COUNTED_MAX) {
    newest.push(next.atMs);
    if (newest.length > most) newest.shift();
    count++;
    next = recurrence.after(next.atMs);
  }
  if (next !== undefined && next.atMs <= nowMs) {
    return {
      newest: newestSlots(recurrence, { dueAtMs, nowMs, most }),
      count,
      nextAtMs: nextOf(recurrence, nowMs),
      missing,
    };
  }
  if (next !== undefined && next.missing > 0) missing = { count: next.missing, slotAtMs: next.missingAtMs, why: "dst" };
  return { newest, count, nextAtMs: next?.atMs ?? ENDED_AT, missing };
}

/** The due slots of a fixed period, by arithmetic: there may be any number. */
function periodSlots(
  recurrence: Recurrence,
  { dueAtMs, nowMs, most }: { readonly dueAtMs: number; readonly nowMs: number; readonly most: number },
): DueSlots {
  const { every = 1 } = recurrence.rule;
  const nextAtMs = nextOf(recurrence, nowMs);
  const firstAfter = nextOf(recurrence, dueAtMs);
  const following = nextAtMs > firstAfter ? Math.round((nextAtMs - firstAfter) / every) : 0;
  const newest: number[] = [];
  for (let at = Math.min(following, most) - 1; at >= 0; at--) newest.push(firstAfter + (following - 1 - at) * every);
  if (newest.length < most) newest.unshift(dueAtMs);
  return { newest, count: following + 1, nextAtMs, missing: undefined };
}

function nextOf(recurrence: Recurrence, ms: number): number {
  return recurrence.next(ms) ?? ENDED_AT;
}

/** The newest due slots where there are too many to walk through. */
function newestSlots(
  recurrence: Recurrence,
  { dueAtMs, nowMs, most }: { readonly dueAtMs: number; readonly nowMs: number; readonly most: number },
): number[] {
  const found: number[] = [];
  let at: number | undefined = nowMs;
  while (found.length < most) {
    at = lastSlot(recurrence, dueAtMs, at);
    if (at === undefined) break;
    found.unshift(at);
    at -= 1;
  }
  return found;
}

/**
 * The last slot from `fromMs` to `toMs`: steps back that double until one is passed, then a search by halves. A slot
 * after an instant can only be asked for forward.
 */
function lastSlot(recurrence: Recurrence, fromMs: number, toMs: number): number | undefined {
  const isBehind = (ms: number): boolean => (recurrence.next(ms) ?? Number.POSITIVE_INFINITY) <= toMs;
  let step = 1000;
  let before = toMs - step;
  while (before >= fromMs && !isBehind(before)) {
    step *= 2;
    before = toMs - step;
  }
  if (before < fromMs) before = fromMs - 1;
  if (!isBehind(before)) return undefined;
  let after = toMs;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isBehind(middle)) before = middle;
    else after = middle;
  }
  return after;
}
