/**
 * What one `ADMIT` tells on the channel `events`: each job that it admits, and each row that a name kept from becoming
 * one. All of it goes out before the first write, when everything has been decided.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { type Admission, offsetOf, type Run, stateOf } from "./admission.ts";
import type { Named } from "./dedup-rows.ts";
import { tell } from "./event.ts";

/** The value of a letter in the row at `at`, empty where the shape has no such letter. */
function valueOf(run: Run, args: Bytes[], at: number, letter: Bytes): Bytes {
  const offset = offsetOf(run.shape, letter);
  return offset > 0 ? args[at + offset] : "";
}

/** Tells that the row at `at` becomes a job. */
function tellAdded(s: Server, base: Bytes, run: Run, args: Bytes[], at: number, id: Bytes, state: Bytes): void {
  const name = valueOf(run, args, at, "n");
  const alias = `${valueOf(run, args, at, "j")}${valueOf(run, args, at, "k")}`;
  const more = ["state", state, "name", name, "lane", valueOf(run, args, at, "g"), "alias", alias];
  tell(s, base, "added", id, more);
}

/** The word for what became of a row that is no job, empty for what is not told: an id that exists already. */
function wordOf(code: Bytes | number): Bytes {
  if (code === 1) return "jobId";
  if (code === 2) return "held";
  return code === 3 ? "replaced" : "";
}

/** The alias of a job that stands for a row, as this act leaves it; `known` has those that it writes. */
function holderAlias(s: Server, base: Bytes, known: Record<string, Bytes>, id: Bytes): Bytes {
  const planned = known[`s:${id}`];
  if (planned !== undefined) return planned;
  const stored = s.call("HGET", `${base}job:${id}`, "alias");
  return stored === false ? "" : stored;
}

/** Tells of the rows that a name held back, or whose values went to another job. Exceptions stand in order. */
function tellHeldBack(s: Server, admission: Admission, named: Named, args: Bytes[]): void {
  const known: Record<string, Bytes> = {};
  for (const entry of named.entries) known[`s:${entry.id}`] = entry.alias;
  const exceptions = admission.exceptions;
  const stop = args.length;
  let next = 0;
  let at = 0;
  let position = 0;
  while (at < stop) {
    const shape = args[at];
    const count = s.num(args[at + 1]);
    const width = 2 + shape.length;
    while (next < exceptions.length && (exceptions[next] as number) < position + count) {
      const row = at + 2 + ((exceptions[next] as number) - position) * width;
      const verdict = exceptions[next + 1] as (Bytes | number)[];
      const how = wordOf(verdict[0]);
      const dedup = offsetOf(shape, "d") > 0 && verdict[0] !== 1 ? args[row + offsetOf(shape, "d")] : "";
      if (how !== "") {
        const holder = verdict[1] as Bytes;
        const alias = holderAlias(s, admission.base, known, holder);
        const more = ["how", how, "refused", args[row], "dedup", dedup, "alias", alias];
        tell(s, admission.base, "deduplicated", holder, more);
      }
      next += 2;
    }
    position += count;
    at += 2 + count * width;
  }
}

/**
 * Tells what an act admits and what it does not.
 *
 * @cold
 */
export function tellAdmitted(s: Server, admission: Admission, args: Bytes[]): void {
  const base = admission.base;
  for (const run of admission.runs) {
    for (const at of run.fresh) tellAdded(s, base, run, args, at, args[at], stateOf(admission, args[at]));
  }
  const named = admission.named;
  if (named === false) return;
  for (const entry of named.entries) {
    if (entry.stored.length === 0) tellAdded(s, base, entry.run, args, entry.at, entry.id, entry.state);
  }
  tellHeldBack(s, admission, named, args);
}
