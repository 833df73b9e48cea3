/**
 * The call form of `ADMIT`: runs of (shape, count, row…), and its reply of exceptions (docs/protocol/jobs.md,
 * Admission; spec/job/admit.json).
 *
 * Rows of equal shape that stand side by side share one run, so the usual batch, where all jobs carry the same fields,
 * costs two arguments more than its rows. The order of rows is kept, because the reply counts positions.
 */

import type { Reply } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { bytesReply, listOf, numberReply, unexpected } from "./verb-call.ts";

/** One job of an `ADMIT`, every value already a byte string. */
export interface AdmitBytesRow {
  readonly id: Bytes;
  readonly payload: Bytes;
  /** The letters of the values, in the order `n p g o a i d m t w j k l x c`. */
  readonly shape: Bytes;
  /** One value a letter. */
  readonly values: readonly Bytes[];
}

/**
 * What became of one row.
 *
 * - `added`: it is a job of its own.
 * - `duplicate`: a job of its id, or the job `id` of its alias, is there already, in `state`.
 * - `deduplicated`: it was held back, because job `id` holds its deduplication id.
 * - `replaced`: job `id`, which waits, has its values now; with a `state`, it is a job of its own, and `id` was the
 *   finished job of its alias, which is gone.
 */
export type AdmitOutcome =
  | { readonly outcome: "added"; readonly state?: never; readonly id?: never }
  | { readonly outcome: "duplicate"; readonly state: string; readonly id?: string }
  | { readonly outcome: "deduplicated"; readonly id: string; readonly state?: never }
  | { readonly outcome: "replaced"; readonly id: string; readonly state?: string };

/** Shared, since most rows end so. */
const ADDED: AdmitOutcome = Object.freeze({ outcome: "added" });

/** The arguments of an `ADMIT` of these rows. */
export function admitArguments(rows: readonly AdmitBytesRow[]): Bytes[] {
  const args: Bytes[] = [];
  for (let from = 0; from < rows.length; ) {
    const shape = rows[from]?.shape ?? "";
    let to = from + 1;
    while (rows[to]?.shape === shape) to++;
    args.push(shape, String(to - from));
    for (; from < to; from++) pushRow(args, rows[from]);
  }
  return args;
}

/** Adds id, payload and values of one row. */
function pushRow(args: Bytes[], row: AdmitBytesRow | undefined): void {
  if (row === undefined) return;
  args.push(row.id, row.payload);
  for (const value of row.values) args.push(value);
}

/** The outcome of each of `count` rows. */
export function admitOutcomes(reply: Reply, count: number): AdmitOutcome[] {
  const outcomes = new Array<AdmitOutcome>(count).fill(ADDED);
  const exceptions = listOf(reply);
  for (let at = 0; at < exceptions.length; at += 2) {
    const position = numberReply(exceptions[at]);
    const verdict = listOf(exceptions[at + 1] ?? null);
    const outcome = outcomeOf(verdict);
    if (position >= count || outcome === undefined) throw unexpected(reply);
    outcomes[position] = outcome;
  }
  return outcomes;
}

/** The outcome that a verdict tells, `undefined` for an unknown one. */
function outcomeOf(verdict: readonly Reply[]): AdmitOutcome | undefined {
  const first = bytesReply(verdict[1]);
  switch (numberReply(verdict[0])) {
    case 0:
      return { outcome: "duplicate", state: first };
    case 1:
      return { outcome: "duplicate", id: first, state: bytesReply(verdict[2]) };
    case 2:
      return { outcome: "deduplicated", id: first };
    case 3:
      return { outcome: "replaced", id: first };
    case 4:
      return { outcome: "replaced", id: first, state: bytesReply(verdict[2]) };
    default:
      return undefined;
  }
}
