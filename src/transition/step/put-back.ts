/**
 * The settlements after which a job lives on: delayed, given back, tried again, or dead.
 *
 * Each ends the lease first, which is a write that a full server admits and drops `owner`, so that the same token
 * cannot settle twice.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { countOf } from "./row.ts";
import { endLease } from "./settle.ts";
import { letWait } from "./waiting.ts";

/** The largest instant; a longer delay ends there. */
const LAST_INSTANT = 9007199254740991;

/** The instant that a delay from now reaches. */
export function dueIn(s: Server, ms: number): number {
  return Math.min(s.now() + ms, LAST_INSTANT);
}

/** Puts an accepted job into the schedule and counts the interruption. */
export function defer(s: Server, base: Bytes, id: Bytes, holder: (Bytes | false)[], due: number): void {
  const call = s.call;
  const row = `${base}job:${id}`;
  endLease(s, base, id, holder);
  call("HSET", row, "state", "scheduled", "deferred", countOf(s, holder[6]) + 1);
  call("ZADD", `${base}schedule`, due, id);
}

/** Lets an accepted job wait at its place again and counts the interruption. */
export function giveUp(s: Server, base: Bytes, id: Bytes, holder: (Bytes | false)[]): void {
  const call = s.call;
  const row = `${base}job:${id}`;
  endLease(s, base, id, holder);
  call("HSET", row, "state", "pending", "deferred", countOf(s, holder[6]) + 1);
  letWait(s, base, id, holder[3], holder[4]);
}

/** Ends an accepted job as dead. */
export function kill(s: Server, base: Bytes, id: Bytes, holder: (Bytes | false)[], error: Bytes): void {
  const call = s.call;
  const row = `${base}job:${id}`;
  endLease(s, base, id, holder);
  call("HSET", row, "state", "dead", "last_error", error);
  call("ZADD", `${base}dead`, 0, id);
  call("HINCRBY", `${base}metrics:failed`, "count", 1);
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
  endLease(s, base, id, holder);
  call("HSET", row, "state", "scheduled", "last_error", error);
  call("ZADD", `${base}schedule`, dueIn(s, delay), id);
  return "scheduled";
}
