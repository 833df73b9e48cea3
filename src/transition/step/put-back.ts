/**
 * The settlements after which a job lives on: delayed, given back, tried again, or dead.
 *
 * Each reads what it is going to write to, then ends the lease, which is a write that a full server admits and drops
 * `owner`, so that the same token cannot settle twice.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { dueIn } from "./bound.ts";
import { bury, readDeaths } from "./bury.ts";
import { letGo, readNames } from "./dedup.ts";
import { tellOfJob } from "./event.ts";
import { noteEnd, tellDead } from "./family.ts";
import { isOrdered, readLanes } from "./lane.ts";
import { tellWaiters, waitedUntil } from "./result.ts";
import { dropOldest, type Terms } from "./retain.ts";
import { countOf } from "./row.ts";
import { endLease, keepLane } from "./settle.ts";
import { letWait, letWaitFirst, readPlace } from "./waiting.ts";

/**
 * Ends the lease of a job that goes into the schedule. In an ordered lane it holds the lane meanwhile. Everything that
 * scheduling writes to is read before the first write.
 */
function leaveForSchedule(s: Server, base: Bytes, id: Bytes, holder: (Bytes | false)[]): void {
  const group = holder[3];
  s.call("ZCARD", `${base}schedule`);
  if (group !== false) readLanes(s, base, [group], 1);
  if (group !== false && isOrdered(s, base, group)) keepLane(s, base, id, holder, group);
  else endLease(s, base, id, holder);
}

/** The text of a field, empty where it is absent. */
function said(field: Bytes | false): Bytes {
  return field === false ? "" : field;
}

/** Tells that a job goes into the schedule until `due`. */
function tellScheduled(s: Server, base: Bytes, id: Bytes, holder: (Bytes | false)[], due: number): void {
  tellOfJob(s, base, "scheduled", id, holder[8], ["dueAt", s.text(due)]);
}

/** Tells that an attempt failed. */
function tellFailed(s: Server, base: Bytes, id: Bytes, holder: (Bytes | false)[], error: Bytes): void {
  tellOfJob(s, base, "failed", id, holder[8], ["attempts", said(holder[0]), "error", error]);
}

/** Puts an accepted job into the schedule and counts the interruption. `heard` is what `heardBy` says. */
export function defer(s: Server, base: Bytes, id: Bytes, holder: (Bytes | false)[], due: number, heard: number): void {
  const call = s.call;
  const row = `${base}job:${id}`;
  if (heard > 0) tellScheduled(s, base, id, holder, due);
  leaveForSchedule(s, base, id, holder);
  call("HSET", row, "state", "scheduled", "deferred", countOf(s, holder[6]) + 1);
  call("ZADD", `${base}schedule`, due, id);
}

/** Lets an accepted job wait at its place again and counts the interruption. */
export function giveUp(s: Server, base: Bytes, id: Bytes, holder: (Bytes | false)[]): void {
  const call = s.call;
  const row = `${base}job:${id}`;
  const group = holder[3];
  readPlace(s, base, group);
  const ordered = isOrdered(s, base, group);
  endLease(s, base, id, holder);
  call("HSET", row, "state", "pending", "deferred", countOf(s, holder[6]) + 1);
  if (ordered && group !== false) letWaitFirst(s, base, id, group);
  else letWait(s, base, id, group, holder[4]);
}

/** Ends an accepted job as dead. */
export function kill(s: Server, base: Bytes, id: Bytes, holder: (Bytes | false)[], error: Bytes, terms: Terms): void {
  const oldest = readDeaths(s, base, terms, 1);
  if (holder[3] !== false) readLanes(s, base, [holder[3]], 1);
  const names = readNames(s, base, id, holder[8], terms.deadCount === 0);
  const until = waitedUntil(s, holder[9], terms.resultMs);
  const notice = noteEnd(s, base, id, holder[10], "failed", error, terms.wakes, false);
  if (until > 0) tellWaiters(s, base, id);
  if (terms.heard > 0) {
    tellFailed(s, base, id, holder, error);
    tellOfJob(s, base, "dead", id, holder[8], ["error", error]);
  }
  endLease(s, base, id, holder);
  bury(s, base, id, error, terms, until);
  tellDead(s, base, notice, error);
  dropOldest(s, base, "dead", oldest);
  letGo(s, base, names);
}

/**
 * Ends an accepted attempt as failed. It is dead when its failures (attempts less crashes and interruptions) reach
 * `max`, or when a cancel was asked for; otherwise it is tried again after `delay`. Answers `dead` or `scheduled`.
 */
export function fail(
  s: Server,
  base: Bytes,
  id: Bytes,
  holder: (Bytes | false)[],
  delay: number,
  max: number,
  error: Bytes,
  terms: Terms,
): Bytes {
  const call = s.call;
  const row = `${base}job:${id}`;
  const lapsed = holder[1] === "active" ? 0 : 1;
  const crashes = Math.max(0, countOf(s, holder[5]) - lapsed);
  const failures = countOf(s, holder[0]) - crashes - countOf(s, holder[6]);
  if (failures >= max || holder[7] !== false) {
    kill(s, base, id, holder, error, terms);
    return "dead";
  }
  const due = dueIn(s, delay);
  if (terms.heard > 0) {
    tellFailed(s, base, id, holder, error);
    tellScheduled(s, base, id, holder, due);
  }
  leaveForSchedule(s, base, id, holder);
  call("HSET", row, "state", "scheduled", "last_error", error);
  call("ZADD", `${base}schedule`, due, id);
  return "scheduled";
}
