/**
 * Where a job waits: the flat queue, or the lane that its row names. Its priority is the score in both.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { BEGUN_SCORE, enterLane, leaveLane, readLanes } from "./lane.ts";
import { scoreOf } from "./row.ts";

/** Reads the place where a job waits, before the first write: a foreign type ends the act there. */
export function readPlace(s: Server, base: Bytes, group: Bytes | false): void {
  if (group === false) s.call("ZCARD", `${base}pending`);
  else readLanes(s, base, [group], 1);
}

/** Lets a job wait at its place. The caller sets the row's state. */
export function letWait(s: Server, base: Bytes, id: Bytes, group: Bytes | false, priority: Bytes | false): void {
  const score = scoreOf(s, priority);
  if (group === false) s.call("ZADD", `${base}pending`, score, id);
  else enterLane(s, base, group, id, score);
}

/** Lets a job that was begun wait before all others of its ordered lane. */
export function letWaitFirst(s: Server, base: Bytes, id: Bytes, group: Bytes): void {
  s.call("HSET", `${base}job:${id}`, "held", "1");
  enterLane(s, base, group, id, BEGUN_SCORE);
}

/** Takes a job from where it waits; 1 if it waited there. */
export function stopWaiting(s: Server, base: Bytes, id: Bytes, group: Bytes | false): number {
  if (group === false) return s.call("ZREM", `${base}pending`, id);
  return leaveLane(s, base, group, id);
}
