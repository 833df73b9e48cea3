/**
 * Lanes: fair shares of one queue.
 *
 * The invariant that every step keeps: a lane is on `ring` exactly when it has waiting work, is not paused, is under
 * its limit and does not rest because of its rate (step/limit.ts). A step looks only at its own move over that line
 * (first member in, last member out, a release from at-limit to under), so no act ever searches the ring to find out;
 * only a lane that is known to be on it is taken off.
 *
 * A lane in strict order has the limit 1. While a job of it that was begun waits for another attempt, the lane counts
 * that job as active, so no other one can pass it; when it waits for its claim again, it stands before all others.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { isResting } from "./limit.ts";
import { countOf } from "./row.ts";

/** Lanes that each of the settings of a queue may name, so that lanes that are gone cannot fill a server. */
export const LANE_SETTINGS_MAX = 100000;

/** The refusal of a setting of one lane more. */
export const SETTINGS_FULL = "EMQFULL settings of lanes";

/** The score at which a job that was begun waits in an ordered lane: before the first priority, 0. */
export const BEGUN_SCORE = -1;

/** The sorted set of a lane's waiting jobs. */
export function laneKey(base: Bytes, group: Bytes): Bytes {
  return `${base}g:${group}:pending`;
}

/**
 * Whether a lane may be served as far as an act without a base can see: not paused, and fewer jobs leased than its
 * limit.
 */
export function isUnderLimit(s: Server, base: Bytes, group: Bytes): boolean {
  const call = s.call;
  if (call("SISMEMBER", `${base}paused`, group) === 1) return false;
  const limit = call("HGET", `${base}glimit`, group);
  if (limit === false) return true;
  const active = call("HGET", `${base}gactive`, group);
  return (active === false ? 0 : s.num(active)) < s.num(limit);
}

/** Whether a lane may be served when it has work: not paused, fewer jobs leased than its limit, and not at rest. */
export function isServable(s: Server, base: Bytes, group: Bytes): boolean {
  return isUnderLimit(s, base, group) && !isResting(s, base, group);
}

/**
 * Reads each key that the steps of these lanes touch, so that a foreign type ends the act while nothing is written. To
 * be called before the first write. Names of lanes stand at every `step`-th place; each is read once.
 */
export function readLanes(s: Server, base: Bytes, groups: Bytes[], step: number): void {
  const call = s.call;
  const stop = groups.length;
  if (stop === 0) return;
  const seen: Record<string, boolean> = {};
  call("LLEN", `${base}ring`);
  call("ZCARD", `${base}rest`);
  for (let i = 0; i < stop; i += step) {
    const group = groups[i];
    const lane = laneKey(base, group);
    if (seen[lane] !== true) {
      seen[lane] = true;
      call("SISMEMBER", `${base}paused`, group);
      call("HGET", `${base}glimit`, group);
      call("HGET", `${base}gactive`, group);
      call("ZCARD", lane);
    }
  }
}

/** Whether the lane of a row is in strict order. To be asked before the first write. */
export function isOrdered(s: Server, base: Bytes, group: Bytes | false): boolean {
  return group !== false && s.call("SISMEMBER", `${base}gordered`, group) === 1;
}

/** Lets a job wait in its lane. The first member of a servable lane brings it onto the ring. */
export function enterLane(s: Server, base: Bytes, group: Bytes, id: Bytes, score: number): void {
  const call = s.call;
  const lane = laneKey(base, group);
  const added = call("ZADD", lane, score, id);
  if (added === 1 && call("ZCARD", lane) === 1 && isServable(s, base, group)) call("RPUSH", `${base}ring`, group);
}

/** Takes a waiting job out of its lane. The last member out takes the lane off the ring. */
export function leaveLane(s: Server, base: Bytes, group: Bytes, id: Bytes): number {
  const call = s.call;
  const lane = laneKey(base, group);
  const removed = call("ZREM", lane, id);
  if (removed === 1 && call("ZCARD", lane) === 0 && isServable(s, base, group)) {
    call("LREM", `${base}ring`, 1, group);
  }
  return removed;
}

/** Counts one leased job less. A lane that comes from at its limit to under it returns to the ring. */
export function releaseLane(s: Server, base: Bytes, group: Bytes): void {
  const call = s.call;
  const active = call("HINCRBY", `${base}gactive`, group, -1);
  if (active <= 0) call("HDEL", `${base}gactive`, group);
  const limit = call("HGET", `${base}glimit`, group);
  if (limit === false) return;
  const ceiling = s.num(limit);
  if (active >= ceiling || active + 1 < ceiling) return;
  if (call("ZCARD", laneKey(base, group)) === 0) return;
  if (call("SISMEMBER", `${base}paused`, group) === 1 || isResting(s, base, group)) return;
  call("RPUSH", `${base}ring`, group);
}

/**
 * Counts one leased job more, for a job that was claimed from the flat queue although its row names a lane. If the lane
 * reaches its limit by it, it leaves the ring.
 */
export function occupyLane(s: Server, base: Bytes, group: Bytes): void {
  const call = s.call;
  const active = call("HINCRBY", `${base}gactive`, group, 1);
  const limit = call("HGET", `${base}glimit`, group);
  if (limit === false || active !== s.num(limit)) return;
  if (call("ZCARD", laneKey(base, group)) > 0) call("LREM", `${base}ring`, 1, group);
}

/**
 * Sets the limit of a lane, 0 for none, and takes the lane over the line of the ring if that moves it there. Everything
 * that it touches is read before its first write, which does not grow.
 */
export function setLimit(s: Server, base: Bytes, group: Bytes, limit: number): void {
  const call = s.call;
  const before = call("HGET", `${base}glimit`, group);
  const active = countOf(s, call("HGET", `${base}gactive`, group));
  const mayWait = call("SISMEMBER", `${base}paused`, group) === 0 && !isResting(s, base, group);
  const waits = mayWait && call("ZCARD", laneKey(base, group)) > 0;
  call("LLEN", `${base}ring`);
  const was = waits && (before === false || active < s.num(before));
  const is = waits && (limit === 0 || active < limit);
  call("HDEL", `${base}glimit`, group);
  if (limit > 0) call("HSET", `${base}glimit`, group, limit);
  if (was && !is) call("LREM", `${base}ring`, 1, group);
  if (is && !was) call("RPUSH", `${base}ring`, group);
}
