/**
 * Lapsed leases: back to where the job waits, or dead when it lapsed too often.
 *
 * A job that waits after a lapse keeps an empty `owner`, so that its late holder may still settle it until it is
 * claimed again. A job whose cancel was asked for does not run again: nobody is left who could hear of it. All rows are
 * read before the first is written, so a foreign type in one of them refuses the act whole.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { removeMembers } from "./bulk.ts";
import { bury, readDeaths } from "./bury.ts";
import { letGo, type Names, readNames } from "./dedup.ts";
import { heardBy, tellOfJob } from "./event.ts";
import { type Notice, noteEnd, tellDead } from "./family.ts";
import { nothingTold } from "./kin.ts";
import { isOrdered, readLanes, releaseLane } from "./lane.ts";
import { tellWaiters, waitedUntil } from "./result.ts";
import { dropOldest, type Terms } from "./retain.ts";
import { countOf } from "./row.ts";
import { letWait, letWaitFirst } from "./waiting.ts";

/** What a sweep did. */
export interface Lapsed {
  readonly recovered: Bytes[];
  readonly dead: Bytes[];
  /** Members of `active` whose row is gone or not active. */
  dropped: number;
}

/** Ends a job that lapsed too often. `until` is until when its outcome is left for those who wait for it. */
function killLapsed(
  s: Server,
  base: Bytes,
  id: Bytes,
  stalled: number,
  error: Bytes,
  terms: Terms,
  until: number,
): void {
  const call = s.call;
  const row = `${base}job:${id}`;
  call("HDEL", row, "owner", "held");
  call("HSET", row, "stalled", stalled);
  bury(s, base, id, error, terms, until);
}

/** Whether this lapse of an active job is its last: it was one too many, or the job was to be cancelled. */
function isDoomed(s: Server, fields: (Bytes | false)[], maxStalled: number): boolean {
  if (maxStalled < 0 || fields[0] !== "active") return false;
  return countOf(s, fields[3]) + 1 >= maxStalled || fields[4] !== false;
}

/** How many of these lapses are the last of their jobs. */
function countDoomed(s: Server, rows: (Bytes | false)[][], maxStalled: number): number {
  let doomed = 0;
  for (const fields of rows) if (isDoomed(s, fields, maxStalled)) doomed += 1;
  return doomed;
}

/** Lets a job whose lease lapsed wait again; in an ordered lane before all others. */
function recover(s: Server, base: Bytes, id: Bytes, fields: (Bytes | false)[], stalled: number): void {
  const group = fields[1];
  s.call("HSET", `${base}job:${id}`, "state", "pending", "stalled", stalled, "owner", "");
  if (fields[8] !== false && group !== false) letWaitFirst(s, base, id, group);
  else letWait(s, base, id, group, fields[2]);
}

/** Reads the rows of ids whose leases lapsed, and all that taking them back may write to. */
function readLapsed(s: Server, base: Bytes, ids: Bytes[]): (Bytes | false)[][] {
  const call = s.call;
  const rows: (Bytes | false)[][] = [];
  const groups: Bytes[] = [];
  for (const id of ids) {
    const fields = call(
      "HMGET",
      `${base}job:${id}`,
      "state",
      "group",
      "priority",
      "stalled",
      "cancel",
      "dedup",
      "wait",
      "parent",
    );
    const group = fields[1];
    if (group !== false) groups[groups.length] = group;
    fields[8] = isOrdered(s, base, group) ? "1" : false;
    rows[rows.length] = fields;
  }
  call("ZCARD", `${base}pending`);
  readLanes(s, base, groups, 1);
  return rows;
}

/** Reads the names of each job that is to be killed, `false` for one that lives on or has none. */
function readNamesOfDead(
  s: Server,
  base: Bytes,
  ids: Bytes[],
  rows: (Bytes | false)[][],
  maxStalled: number,
  terms: Terms,
): (Names | false)[] {
  const names: (Names | false)[] = [];
  const stop = ids.length;
  for (let i = 0; i < stop; i += 1) {
    const fields = rows[i];
    const dedup = isDoomed(s, fields, maxStalled) ? fields[5] : false;
    names[i] = readNames(s, base, ids[i], dedup, terms.deadCount === 0);
  }
  return names;
}

/**
 * Finds out for each row until when its outcome is left, 0 for a job that lives on or that nobody waits for, and tells
 * those who wait.
 */
function tellOfDeaths(
  s: Server,
  base: Bytes,
  ids: Bytes[],
  rows: (Bytes | false)[][],
  maxStalled: number,
  terms: Terms,
): number[] {
  const untils: number[] = [];
  const stop = ids.length;
  for (let i = 0; i < stop; i += 1) {
    const fields = rows[i];
    const until = isDoomed(s, fields, maxStalled) ? waitedUntil(s, fields[6], terms.resultMs) : 0;
    if (until > 0) tellWaiters(s, base, ids[i]);
    untils[i] = until;
  }
  return untils;
}

/** The error of a job whose lapse was its last. */
function lastError(fields: (Bytes | false)[]): Bytes {
  return fields[4] === false ? "stalled" : fields[4];
}

/** Notes for each job that is to be killed who hears of it, `false` for all others. */
function noteDeaths(
  s: Server,
  base: Bytes,
  ids: Bytes[],
  rows: (Bytes | false)[][],
  maxStalled: number,
): (Notice | false)[] {
  const notices: (Notice | false)[] = [];
  const told = nothingTold();
  const stop = ids.length;
  for (let i = 0; i < stop; i += 1) {
    const fields = rows[i];
    const parent = isDoomed(s, fields, maxStalled) ? fields[7] : false;
    notices[i] = noteEnd(s, base, ids[i], parent, "failed", lastError(fields), true, told);
  }
  return notices;
}

/**
 * Tells of lapsed leases, before the first write. `maxStalled` is -1 where none of them ends its job.
 *
 * @cold
 */
function tellLapsed(s: Server, base: Bytes, ids: Bytes[], rows: (Bytes | false)[][], maxStalled: number): void {
  const stop = ids.length;
  for (let i = 0; i < stop; i += 1) {
    const fields = rows[i];
    if (fields[0] === "active") {
      tellOfJob(s, base, "stalled", ids[i], fields[5], ["stalled", s.text(countOf(s, fields[3]) + 1)]);
      if (isDoomed(s, fields, maxStalled)) {
        tellOfJob(s, base, "dead", ids[i], fields[5], ["error", lastError(fields)]);
      }
    }
  }
}

/**
 * Takes back at most `limit` lapsed leases. `maxStalled` is the number of lapses that kills; -1 never kills. A member
 * of `active` whose row is gone or is not active is dropped. Those who wait for a job that is to be killed are told
 * before the first write.
 */
export function takeBack(
  s: Server,
  active: Bytes,
  base: Bytes,
  maxStalled: number,
  limit: number,
  terms: Terms,
): Lapsed {
  const call = s.call;
  const lapsed: Lapsed = { recovered: [], dead: [], dropped: 0 };
  if (limit === 0) return lapsed;
  const ids = call("ZRANGEBYSCORE", active, "-inf", s.now(), "LIMIT", 0, limit);
  const stop = ids.length;
  if (stop === 0) return lapsed;
  const rows = readLapsed(s, base, ids);
  const names = readNamesOfDead(s, base, ids, rows, maxStalled, terms);
  const untils = tellOfDeaths(s, base, ids, rows, maxStalled, terms);
  const notices = noteDeaths(s, base, ids, rows, maxStalled);
  const heard = heardBy(s, base);
  const oldest = maxStalled >= 0 ? readDeaths(s, base, terms, countDoomed(s, rows, maxStalled)) : false;
  if (heard > 0) tellLapsed(s, base, ids, rows, maxStalled);
  removeMembers(s, active, ids);
  for (let i = 0; i < stop; i += 1) {
    const id = ids[i];
    const fields = rows[i];
    if (fields[0] === "active") {
      const group = fields[1];
      const stalled = countOf(s, fields[3]) + 1;
      if (group !== false) releaseLane(s, base, group);
      if (isDoomed(s, fields, maxStalled)) {
        killLapsed(s, base, id, stalled, lastError(fields), terms, untils[i]);
        tellDead(s, base, notices[i], lastError(fields));
        letGo(s, base, names[i]);
        lapsed.dead[lapsed.dead.length] = id;
      } else {
        recover(s, base, id, fields, stalled);
        lapsed.recovered[lapsed.recovered.length] = id;
      }
    } else {
      lapsed.dropped += 1;
    }
  }
  if (oldest !== false) dropOldest(s, base, "dead", oldest);
  return lapsed;
}

/** Lapsed leases of all lanes that the recovery of one lane looks at. */
const LANE_LOOKS_MAX = 1000;

/** Takes back at most `limit` lapsed leases of one lane, out of those that lapsed first; answers how many. */
export function takeBackLane(s: Server, active: Bytes, base: Bytes, lane: Bytes, limit: number): number {
  const call = s.call;
  if (limit === 0) return 0;
  const lapsed = call("ZRANGEBYSCORE", active, "-inf", s.now(), "LIMIT", 0, LANE_LOOKS_MAX);
  const ids: Bytes[] = [];
  for (const id of lapsed) {
    if (ids.length < limit && call("HGET", `${base}job:${id}`, "group") === lane) ids[ids.length] = id;
  }
  if (ids.length === 0) return 0;
  const rows = readLapsed(s, base, ids);
  if (heardBy(s, base) > 0) tellLapsed(s, base, ids, rows, -1);
  removeMembers(s, active, ids);
  const stop = ids.length;
  let taken = 0;
  for (let i = 0; i < stop; i += 1) {
    if (rows[i][0] === "active") {
      releaseLane(s, base, lane);
      recover(s, base, ids[i], rows[i], countOf(s, rows[i][3]) + 1);
      taken += 1;
    }
  }
  return taken;
}
