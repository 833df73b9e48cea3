/**
 * `GRATE`: sets how many jobs of a lane may be claimed in a time, or ends that.
 *
 * A lane whose name begins with `@` is that of a job name: while it has a rate, flat jobs of that name go into it when
 * a claim meets them. Any change ends a rest of the lane; the next claim finds out whether another one begins.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkGrate } from "../check/lane/grate.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { isServable, LANE_SETTINGS_MAX, laneKey, readLanes, SETTINGS_FULL } from "../step/lane.ts";
import { burstOf, changesCounting, forgetSpent } from "../step/limit.ts";
import { offerLane } from "../step/rest.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Fields of `rate`, at most: three for a lane that has spent nothing, and six for one in a sliding window. */
const FIELDS_MAX = 3 * LANE_SETTINGS_MAX;

/** Writes the rate of a lane, or takes it away. */
function setRate(s: Server, rate: Bytes, args: Bytes[], burst: Bytes): void {
  const call = s.call;
  const lane = args[0];
  call("HDEL", rate, `m${lane}`, `d${lane}`, `b${lane}`);
  if (args[1] === "0") return;
  call("HSET", rate, `m${lane}`, args[1], `d${lane}`, args[2]);
  if (burst !== "") call("HSET", rate, `b${lane}`, burst);
}

/** Keys: rate, rest, ring, wake, base. Arguments: group, max or 0, duration, way, burst. Answers 1. */
export function grate(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkGrate(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const rate = keys[0];
  const base = keys[4];
  const lane = args[0];
  const before = call("HMGET", rate, `d${lane}`, `b${lane}`);
  const burst = burstOf(args, 1);
  const isWanted = args[1] !== "0";
  if (isWanted && before[0] === false && call("HLEN", rate) >= FIELDS_MAX) return s.error(SETTINGS_FULL);
  const open = isOpen(s, base);
  readLanes(s, base, [lane], 1);
  const rested = call("ZREM", keys[1], lane) === 1;
  if (!isWanted || changesCounting(before, args[2], burst)) forgetSpent(s, base, lane);
  setRate(s, rate, args, burst);
  if (s.char(lane, 0) === "@" && isWanted !== (before[0] !== false)) {
    if (call("HINCRBY", rate, "n", isWanted ? 1 : -1) <= 0) call("HDEL", rate, "n");
  }
  if (rested && call("ZCARD", laneKey(base, lane)) > 0 && isServable(s, base, lane)) offerLane(s, base, lane);
  pushIfClaimable(s, base, open);
  return 1;
}
