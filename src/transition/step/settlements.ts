/**
 * The settlements of `TURN`: runs of (op, count, row…) of equal kind.
 *
 * `c` id, token: completed · `r` id, token, result: completed with a result · `f` id, token, delay ms, max, error:
 * failed · `k` id, token, error: dead at once · `d` id, token, ms: delayed by · `a` id, token, ms: delayed until · `b`
 * id, token: given back. Each is judged alone; a refused one stops nothing and is reported with the verdict that its
 * own verb would give.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { deleteKeys, removeMembers } from "./bulk.ts";
import { releaseLane } from "./lane.ts";
import { defer, dueIn, fail, giveUp, kill } from "./put-back.ts";
import { isJobId, NO_JOB_ID, releaseDedup } from "./row.ts";
import { judge, readHolder } from "./settle.ts";
import { stopWaiting } from "./waiting.ts";

/** Settlements and claims of one act together, at most. */
const TURN_MAX = 1000;

const MS_MAX = 9007199254740991;

/** What an act tells about its settlements. */
export interface Settled {
  /** Position from 0 and verdict, for what did not go as asked. */
  readonly exceptions: (Bytes | number)[];
  /** `s:<id>` to whether this act scheduled that job. */
  readonly scheduled: Record<string, boolean>;
}

/** Arguments of one row of an op, 0 for an unknown op. */
function widthOf(op: Bytes): number {
  if (op === "c" || op === "b") return 2;
  if (op === "r" || op === "k" || op === "d" || op === "a") return 3;
  return op === "f" ? 5 : 0;
}

/** The name of a bad value of one row, empty when all suit. */
function badRow(s: Server, op: Bytes, args: Bytes[], at: number): Bytes {
  if (!s.int(args[at + 1], 0, MS_MAX)) return "token";
  if (op === "d" || op === "a") return s.int(args[at + 2], 0, MS_MAX) ? "" : "ms";
  if (op !== "f") return "";
  if (!s.int(args[at + 2], 0, MS_MAX)) return "delay_ms";
  return s.int(args[at + 3], 0, 2147483648) ? "" : "max_attempts";
}

/** The name of the first bad argument from position `from` on; `want` stands before it and shares the budget. */
export function badSettlement(s: Server, args: Bytes[], from: number): Bytes {
  const stop = args.length;
  let at = from;
  let units = s.num(args[from - 1]);
  while (at < stop) {
    const width = widthOf(args[at]);
    if (width === 0) return "op";
    if (at + 1 >= stop || !s.int(args[at + 1], 1, TURN_MAX)) return "count";
    const count = s.num(args[at + 1]);
    const past = at + 2 + count * width;
    units += count;
    if (units > TURN_MAX) return "count";
    if (past > stop) return "row";
    for (let row = at + 2; row < past; row += width) {
      const bad = badRow(s, args[at], args, row);
      if (bad !== "") return bad;
    }
    at = past;
  }
  return "";
}

/** Adds an exception. */
function except(settled: Settled, position: number, verdict: Bytes): void {
  const exceptions = settled.exceptions;
  exceptions[exceptions.length] = position;
  exceptions[exceptions.length] = verdict;
}

/**
 * Completes a run of jobs: one `ZREM` for their leases, one `DEL` for their rows, one step of the counter. An id that
 * stands twice in the run is gone the second time.
 */
function completeRun(
  s: Server,
  base: Bytes,
  settled: Settled,
  args: Bytes[],
  from: number,
  width: number,
  position: number,
): void {
  const call = s.call;
  const past = from + s.num(args[from - 1]) * width;
  const members: Bytes[] = [];
  const groups: Bytes[] = [];
  const doomed: Bytes[] = [];
  const seen: Record<string, boolean> = {};
  let completed = 0;
  let place = position;
  for (let at = from; at < past; at += width) {
    const id = args[at];
    const row = `${base}job:${id}`;
    const holder = call("HMGET", row, "attempts", "state", "owner", "group", "dedup");
    const known = seen[row] === true;
    const verdict = known ? "0" : judge(holder, args[at + 1], "0", "EMQSTALE complete token mismatch");
    // A row that is gone may have left a member in `active`; it goes with the others.
    if (verdict === "0" && !known) members[members.length] = id;
    if (verdict !== "") {
      except(settled, place, verdict);
    } else {
      seen[row] = true;
      const group = holder[3];
      if (holder[1] !== "active") stopWaiting(s, base, id, group);
      else if (group !== false) groups[groups.length] = group;
      members[members.length] = id;
      if (holder[4] !== false) releaseDedup(s, base, holder[4], id);
      doomed[doomed.length] = row;
      doomed[doomed.length] = `${row}:logs`;
      doomed[doomed.length] = `${row}:lock`;
      completed += 1;
    }
    place += 1;
  }
  removeMembers(s, `${base}active`, members);
  deleteKeys(s, doomed);
  for (const group of groups) releaseLane(s, base, group);
  if (completed > 0) call("HINCRBY", `${base}metrics:completed`, "count", completed);
}

/** The token refusal of an op, in the words of its own verb. */
function staleText(op: Bytes): Bytes {
  if (op === "b") return "EMQSTALE giveback token mismatch";
  return op === "f" || op === "k" ? "EMQSTALE retry token mismatch" : "EMQSTALE delay token mismatch";
}

/** Settles one job that lives on; answers the verdict, empty when it went as asked. */
function settleOne(s: Server, base: Bytes, settled: Settled, op: Bytes, args: Bytes[], at: number): Bytes {
  const id = args[at];
  if ((op === "d" || op === "a") && !isJobId(id)) return NO_JOB_ID;
  const holder = readHolder(s, `${base}job:${id}`);
  const refusal = judge(holder, args[at + 1], "EMQSTALE job gone", staleText(op));
  if (refusal !== "") return refusal;
  if (op === "b") {
    giveUp(s, base, id, holder);
    return "";
  }
  if (op === "k") {
    kill(s, base, id, holder, args[at + 2]);
    return "";
  }
  if (op === "f") {
    const word = fail(s, base, id, holder, s.num(args[at + 2]), s.num(args[at + 3]), args[at + 4]);
    if (word === "dead") return word;
  } else {
    const ms = s.num(args[at + 2]);
    defer(s, base, id, holder, op === "d" ? dueIn(s, ms) : ms);
  }
  settled.scheduled[`s:${id}`] = true;
  return "";
}

/** Settles every run from position `from` on. */
export function settleAll(s: Server, base: Bytes, args: Bytes[], from: number): Settled {
  const settled: Settled = { exceptions: [], scheduled: {} };
  const stop = args.length;
  let at = from;
  let position = 0;
  while (at < stop) {
    const op = args[at];
    const count = s.num(args[at + 1]);
    const width = widthOf(op);
    const past = at + 2 + count * width;
    if (op === "c" || op === "r") {
      completeRun(s, base, settled, args, at + 2, width, position);
    } else {
      let place = position;
      for (let row = at + 2; row < past; row += width) {
        const verdict = settleOne(s, base, settled, op, args, row);
        if (verdict !== "") except(settled, place, verdict);
        place += 1;
      }
    }
    position += count;
    at = past;
  }
  return settled;
}
