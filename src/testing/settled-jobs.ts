/**
 * Which jobs a `TURN` ended, read off its arguments (spec/job/turn.json): the one trace that a completed job leaves
 * when nothing is kept of it.
 */

import type { Bytes } from "../protocol/bytes.ts";

/** Arguments of one row, by the letter of its run; the id is the first of them in a settlement. */
const ROW_LENGTHS: Readonly<Record<string, number>> = { c: 2, r: 3, f: 5, k: 3, d: 3, a: 3, b: 2, l: 3, w: 3, t: 5 };

/** Letters of runs that settle nothing. */
const NO_SETTLEMENTS = "wt";

/** Place of the first run, after worker, lease and want. */
const RUNS_FROM = 3;

/** One settlement as it was asked for; whether it was granted, the keyspace tells. */
export interface AskedSettlement {
  readonly op: string;
  readonly id: Bytes;
}

/** The settlements of a `TURN` in their order. What cannot be read ends the list. */
export function askedSettlements(args: readonly Bytes[]): AskedSettlement[] {
  const asked: AskedSettlement[] = [];
  for (let at = RUNS_FROM; at + 1 < args.length; ) {
    const op = args[at] ?? "";
    const count = Number(args[at + 1]);
    const rowLength = ROW_LENGTHS[op];
    if (rowLength === undefined || !Number.isSafeInteger(count)) break;
    at += 2;
    for (let row = 0; row < count; row++, at += rowLength) {
      if (!NO_SETTLEMENTS.includes(op)) asked.push({ op, id: args[at] ?? "" });
    }
  }
  return asked;
}
