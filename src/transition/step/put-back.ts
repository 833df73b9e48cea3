/**
 * The settlements after which a job lives on: delayed, given back, tried again, or dead.
 *
 * Each reads what it is going to write to, then ends the lease, which is a write that a full server admits and drops
 * `owner`, so that the same token cannot settle twice.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { readLanes } from "./lane.ts";
import { countOf, heldDedup } from "./row.ts";
import { endLease } from "./settle.ts";
import { letWait, readPlace } from "./waiting.ts";

/** The largest instant; a longer delay ends there. */
export const LAST_INSTANT = 9007199254740991;

/** The instant that a delay from now reaches. */
export function dueIn(s: Server, ms: number): number {
  return Math.min(s.now() + ms, LAST_INSTANT);
}

/** Reads what putting a job into the schedule writes to, before the first write. */
function readSchedule(s: Server, base: Bytes, group: Bytes | false): void {
  s.call("ZCARD", `${base}schedule`);
  if (group !== false) readLanes(s, base, [group], 1);
}

/** Puts an accepted job into the schedule and counts the interruption. */
export function defer(s: Server, base: Bytes, id: Bytes, holder: (Bytes | false)[], due: number): void {
  const call = s.call;
  const row = `${base}job:${id}`;
  readSchedule(s, base, holder[3]);
  endLease(s, base, id, holder);
  call("HSET", row, "state", "scheduled", "deferred", countOf(s, holder[6]) + 1);
  call("ZADD", `${base}schedule`, due, id);
}

/** Lets an accepted job wait at its place again and counts the interruption. */
export function giveUp(s: Server, base: Bytes, id: Bytes, holder: (Bytes | false)[]): void {
  const call = s.call;
  const row = `${base}job:${id}`;
  readPlace(s, base, holder[3]);
  endLease(s, base, id, holder);
  call("HSET", row, "state", "pending", "deferred", countOf(s, holder[6]) + 1);
  letWait(s, base, id, holder[3], holder[4]);
}

/** Reads what a death writes to, before the first write. */
export function readDeath(s: Server, base: Bytes): void {
  s.call("ZCARD", `${base}dead`);
  s.call("HGET", `${base}metrics:failed`, "count");
}

/** Ends an accepted job as dead. */
export function kill(s: Server, base: Bytes, id: Bytes, holder: (Bytes | false)[], error: Bytes): void {
  const call = s.call;
  const row = `${base}job:${id}`;
  readDeath(s, base);
  if (holder[3] !== false) readLanes(s, base, [holder[3]], 1);
  const held = heldDedup(s, base, holder[8], id);
  endLease(s, base, id, holder);
  call("HSET", row, "state", "dead", "last_error", error);
  call("ZADD", `${base}dead`, 0, id);
  call("HINCRBY", `${base}metrics:failed`, "count", 1);
  if (held !== "") call("DEL", held);
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
): Bytes {
  const call = s.call;
  const row = `${base}job:${id}`;
  const lapsed = holder[1] === "active" ? 0 : 1;
  const crashes = Math.max(0, countOf(s, holder[5]) - lapsed);
  const failures = countOf(s, holder[0]) - crashes - countOf(s, holder[6]);
  if (failures >= max || holder[7] !== false) {
    kill(s, base, id, holder, error);
    return "dead";
  }
  readSchedule(s, base, holder[3]);
  endLease(s, base, id, holder);
  call("HSET", row, "state", "scheduled", "last_error", error);
  call("ZADD", `${base}schedule`, dueIn(s, delay), id);
  return "scheduled";
}
