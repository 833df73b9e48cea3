/**
 * The end of a rest: lanes whose rate has something left come back onto the ring.
 *
 * A lane that rests is off the ring whatever happens to its jobs; it comes back by the first act that claims after its
 * time, if it has work then. At most 100 come back by one act, the earliest first.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { isServable, laneKey, readLanes } from "./lane.ts";
import { push } from "./wake.ts";

/** Lanes that come back by one act, at most. */
const RETURNS_MAX = 100;

/** Entries of the ring that are looked at for a lane which a speaker without a base has put there, at most. */
const RING_LOOKS = "1000";

/** Puts a servable lane onto the ring that may have been put there already. */
export function offerLane(s: Server, base: Bytes, lane: Bytes): void {
  const places = s.call("LPOS", `${base}ring`, lane, "COUNT", 1, "MAXLEN", RING_LOOKS);
  if (places.length === 0) s.call("RPUSH", `${base}ring`, lane);
}

/**
 * Ends every rest whose time has come; answers how many.
 *
 * @cold
 */
export function endRests(s: Server, base: Bytes): number {
  const call = s.call;
  const rest = `${base}rest`;
  const due = call("ZRANGEBYSCORE", rest, "-inf", s.now(), "LIMIT", 0, RETURNS_MAX);
  const stop = due.length;
  if (stop === 0) return 0;
  readLanes(s, base, due, 1);
  call("ZREM", rest, ...due);
  for (const lane of due) {
    if (lane !== "" && call("ZCARD", laneKey(base, lane)) > 0 && isServable(s, base, lane)) offerLane(s, base, lane);
  }
  return stop;
}

/**
 * Milliseconds until the first rest ends, -1 when nothing rests; pushes if this act sent that one to rest.
 *
 * @cold
 */
export function restAfter(s: Server, base: Bytes, rested: Bytes[]): number {
  const head = s.call("ZRANGE", `${base}rest`, 0, 0, "WITHSCORES");
  if (head.length === 0) return -1;
  for (const subject of rested) {
    if (subject === head[0]) push(s, `${base}wake`);
  }
  return Math.max(0, s.num(head[1]) - s.now());
}
