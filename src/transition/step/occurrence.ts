/**
 * An occurrence of a repeat: the job that it becomes, admitted by the rules of `ADMIT` from what the record holds.
 *
 * The job says in its options which repeat it is of and which slot: `{"repeat":…,"slot":…}` before what the caller
 * set. Whether it may be made at all while the job of the occurrence before lives, is the repeat's `overlap`.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { admitRuns, startAdmission } from "./admit-act.ts";
import { NUMBER_MAX } from "./bound.ts";
import { isOrdered, LANE_SETTINGS_MAX, laneKey, SETTINGS_FULL, setLimit } from "./lane.ts";
import { GROUP_FIELD, LAST_FIELD, OVERLAP_FIELD, TEMPLATE_FIELD } from "./repeat-record.ts";

/** Occurrences that wait in the lane of a repeat, at most. */
const QUEUED_MAX = 100;

/** What became of an occurrence. */
export const ID_TAKEN = 0;
export const MADE_JOB = 1;
export const LEFT_OUT = 2;
export const MADE_NONE = 3;

/** Whether the job of the last occurrence has not ended. */
function isLastAlive(s: Server, base: Bytes, last: Bytes | false): boolean {
  if (last === false || !s.branded(last)) return false;
  const state = s.call("HGET", `${base}job:${last}`, "state");
  return state === "pending" || state === "active" || state === "scheduled" || state === "awaiting_children";
}

/** Whether an occurrence has to be left out because of those before it. */
export function isOverlapping(s: Server, base: Bytes, fields: (Bytes | false)[]): boolean {
  const overlap = fields[OVERLAP_FIELD];
  if (overlap === "skip") return isLastAlive(s, base, fields[LAST_FIELD]);
  if (overlap !== "queue" || fields[GROUP_FIELD] === false) return false;
  return s.call("ZCARD", laneKey(base, fields[GROUP_FIELD])) >= QUEUED_MAX;
}

/** The options of the job: its repeat and its slot, then what the caller set. */
function occurrenceOpts(s: Server, name: Bytes, slot: number, opts: Bytes | false): Bytes {
  const own = `{"repeat":${s.json(name)},"slot":${s.text(slot)}`;
  return opts === false || opts.length <= 2 ? `${own}}` : `${own},${opts.slice(1)}`;
}

/** The run of one row that an occurrence is. `dueAt` is 0 for a job that may run at once. */
function occurrenceRow(
  s: Server,
  record: Bytes,
  name: Bytes,
  id: Bytes,
  template: Bytes,
  slot: number,
  delayMs: number,
): Bytes[] {
  const has = s.call(
    "HMGET",
    record,
    "name",
    "priority",
    "group",
    "opts",
    "due_in",
    "dedup",
    "mode",
    "dedup_ms",
    "max_wait_ms",
    "lane_limit",
    "expire_ms",
    "cost",
  );
  const letters = "npgoadmtwlxc";
  const dueIn = has[4];
  const dueAt = Math.min(slot + delayMs + (dueIn === false ? 0 : s.num(dueIn)), NUMBER_MAX);
  has[3] = occurrenceOpts(s, name, slot, has[3]);
  has[4] = dueAt > s.now() ? s.text(dueAt) : false;
  const row: Bytes[] = ["", "1", id, template];
  let shape = "";
  const stop = letters.length;
  for (let i = 0; i < stop; i += 1) {
    const value = has[i];
    if (value !== false) {
      shape = `${shape}${s.char(letters, i)}`;
      row[row.length] = value;
    }
  }
  row[0] = shape;
  return row;
}

/** Whether a lane that is to run its jobs one after another can be given the setting; to be read before any write. */
export function orderRefusal(s: Server, base: Bytes, fields: (Bytes | false)[]): Bytes {
  const group = fields[GROUP_FIELD];
  if (fields[OVERLAP_FIELD] !== "queue" || group === false || isOrdered(s, base, group)) return "";
  if (s.call("SCARD", `${base}gordered`) >= LANE_SETTINGS_MAX) return SETTINGS_FULL;
  const known = s.call("HEXISTS", `${base}glimit`, group) === 1;
  return !known && s.call("HLEN", `${base}glimit`) >= LANE_SETTINGS_MAX ? SETTINGS_FULL : "";
}

/** Gives the lane of a repeat whose occurrences wait for one another strict order. */
function putInOrder(s: Server, base: Bytes, fields: (Bytes | false)[]): void {
  const group = fields[GROUP_FIELD];
  if (fields[OVERLAP_FIELD] !== "queue" || group === false || isOrdered(s, base, group)) return;
  setLimit(s, base, group, 1);
  s.call("SADD", `${base}gordered`, group);
}

/**
 * Admits the job of an occurrence; everything that may refuse it is judged before its first write. Answers what became
 * of it, or the refusal of the whole.
 */
export function admitOccurrence(
  s: Server,
  base: Bytes,
  record: Bytes,
  fields: (Bytes | false)[],
  name: Bytes,
  id: Bytes,
  slot: number,
  delayMs: number,
): number | Bytes {
  const full = orderRefusal(s, base, fields);
  if (full !== "") return full;
  const template = fields[TEMPLATE_FIELD];
  const admission = startAdmission(base);
  const row = occurrenceRow(s, record, name, id, template === false ? "" : template, slot, delayMs);
  const verdict = admitRuns(s, admission, `${base}pending`, row);
  if (verdict !== "") return verdict;
  if (admission.exceptions.length > 0) {
    const outcome = (admission.exceptions[1] as (Bytes | number)[])[0];
    return outcome === 0 ? ID_TAKEN : MADE_NONE;
  }
  putInOrder(s, base, fields);
  return MADE_JOB;
}
