/**
 * The record of a repeat, `repeat:<name>` or `cron:<name>`, and its place among the repeats of its queue.
 *
 * Every repeat has one member in the set, and every member a record; the score is its next occurrence in server
 * milliseconds. One that has ended keeps both, with a score that never comes.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { tell } from "./event.ts";

/** The score of a repeat that has ended: an instant that never comes. */
export const ENDED_AT = 9007199254740991;

/** Fields in the order in which {@link readRecord} reads them. */
export const EVERY_FIELD = 0;
export const TEMPLATE_FIELD = 1;
export const REV_FIELD = 2;
export const LIMIT_FIELD = 3;
export const UNTIL_FIELD = 4;
export const OVERLAP_FIELD = 5;
export const FIRED_FIELD = 6;
export const LAST_FIELD = 7;
export const GROUP_FIELD = 8;
export const SKIPPED_FIELD = 9;

/** The fields of a record that acts decide by. Without a template there is no record. */
export function readRecord(s: Server, record: Bytes): (Bytes | false)[] {
  return s.call(
    "HMGET",
    record,
    "every_ms",
    "template",
    "rev",
    "limit",
    "until",
    "overlap",
    "fired",
    "last",
    "group",
    "skipped",
  );
}

/** A number of a record, 0 where it is absent or none. */
export function numberOf(s: Server, field: Bytes | false): number {
  return field !== false && s.int(field, 0, ENDED_AT) ? s.num(field) : 0;
}

/** Whether the score of a repeat is the instant that a caller names. A score that is no whole number is none. */
export function isNextAt(s: Server, score: Bytes | false, at: Bytes): boolean {
  return score !== false && s.int(score, 0, ENDED_AT) && s.num(score) === s.num(at);
}

/** Whether the record is of the revision from which a caller has worked out its call; 0 stands for any. */
export function isOfRevision(s: Server, fields: (Bytes | false)[], rev: Bytes): boolean {
  return rev === "0" || numberOf(s, fields[REV_FIELD]) === s.num(rev);
}

/** The next occurrence as it is stored: one beyond the end of the repeat, after `fired` occurrences, never comes. */
export function withinEnd(s: Server, fields: (Bytes | false)[], at: number, fired: number): number {
  const limit = fields[LIMIT_FIELD];
  const until = fields[UNTIL_FIELD];
  if (limit !== false && fired >= numberOf(s, limit)) return ENDED_AT;
  if (until !== false && at > numberOf(s, until)) return ENDED_AT;
  return at;
}

/** Tells those who listen that slots of a repeat are left out. To be called before the first write. */
export function tellSkipped(s: Server, base: Bytes, name: Bytes, count: number, slot: Bytes, why: Bytes): void {
  tell(s, base, "skipped", "", ["repeat", name, "slot", slot, "count", s.text(count), "why", why]);
}

/** Notes in the record that slots were left out. */
export function noteSkipped(
  s: Server,
  record: Bytes,
  before: Bytes | false,
  count: number,
  slot: Bytes,
  why: Bytes,
): void {
  const skipped = Math.min(numberOf(s, before) + count, ENDED_AT);
  s.call("HSET", record, "skipped", skipped, "skip_slot", slot, "skip_why", why);
}

/** The first occurrence of a set, `ENDED_AT` for none. A score that is no whole number is due. */
function firstOf(s: Server, set: Bytes): number {
  const head = s.call("ZRANGE", set, 0, 0);
  if (head.length === 0) return ENDED_AT;
  const score = s.call("ZSCORE", set, head[0]);
  return score !== false && s.int(score, 0, ENDED_AT) ? s.num(score) : 0;
}

/**
 * How long it is until the next occurrence of any repeat of a queue, in ms: 0 for one that is due, -1 for none.
 *
 * @cold
 */
export function repeatIn(s: Server, base: Bytes): number {
  const first = Math.min(firstOf(s, `${base}repeat`), firstOf(s, `${base}cron`));
  return first === ENDED_AT ? -1 : Math.max(0, first - s.now());
}
