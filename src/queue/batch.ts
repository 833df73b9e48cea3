/**
 * The two decisions of a batch worker, as pure functions: when to take a batch, and how its members ended.
 *
 * They know no clock and no engine, so that every speaker of the wire can be held to the same table.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";

/** Take `count` jobs now, or wait. */
export type BatchDecision = { readonly flush: number } | "wait";

/**
 * Whether a batch is taken now.
 *
 * Enough jobs take all that are ready, not only `minSize`; a window that has lasted `timeoutMs` takes what there is; an
 * empty queue always waits. Equality fires in both cases.
 *
 * @param depth how many jobs are ready.
 * @param elapsedMs how long the window has lasted.
 * @throws EchoMQError `invalid_option` for a depth or time below 0, or a size or window below 1, or no whole numbers.
 */
export function decide(depth: number, elapsedMs: number, minSize: number, timeoutMs: number): BatchDecision {
  whole(depth, "depth", 0);
  whole(elapsedMs, "elapsedMs", 0);
  whole(minSize, "minSize", 1);
  whole(timeoutMs, "timeoutMs", 1);
  if (depth >= minSize) return { flush: depth };
  return elapsedMs >= timeoutMs && depth > 0 ? { flush: depth } : "wait";
}

/** What a batch handler decided for one member, and what the settlement answered. */
export interface ResolvedMember {
  readonly verdict: "ok" | { readonly error: unknown } | { readonly delay: number };
  /** The answer of `complete`, `retry` or `delay`. */
  readonly outcome: string;
}

/** The members of a batch by how they ended, each list in the order of the batch. */
export interface BatchParts {
  readonly completed: string[];
  readonly retried: string[];
  readonly dead: string[];
  readonly delayed: string[];
}

/**
 * Sorts the members of a batch; each id lands in exactly one list. A member without an entry, and one whose completion
 * or delay was refused, counts as retried, because that is where it will be found.
 */
export function partition(ids: readonly string[], resolved: ReadonlyMap<string, ResolvedMember>): BatchParts {
  const parts: BatchParts = { completed: [], retried: [], dead: [], delayed: [] };
  for (const id of ids) parts[partOf(resolved.get(id))].push(id);
  return parts;
}

function partOf(member: ResolvedMember | undefined): keyof BatchParts {
  if (member === undefined) return "retried";
  const { verdict, outcome } = member;
  if (verdict === "ok") return outcome === "ok" ? "completed" : "retried";
  if ("error" in verdict) return outcome === "dead" ? "dead" : "retried";
  return outcome === "ok" ? "delayed" : "retried";
}

function whole(value: number, name: string, min: number): void {
  if (Number.isSafeInteger(value) && value >= min) return;
  throw new EchoMQError("invalid_option", `${name} must be a whole number from ${min} on, not ${quote(value)}`, {
    details: { option: name, value },
  });
}
