/**
 * Putting one lane right: its settings, its counter, and whether it stands on the ring.
 *
 * A lane is on the ring exactly when it has waiting work, is not paused, is under its limit and does not rest, and its
 * counter equals its leased jobs and those that hold it while they are scheduled. The counter is judged only where all
 * leases can be looked at in one act; with more it is left as it is.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { NUMBER_MAX } from "./bound.ts";
import { countLeased, restOf, ringPlaces } from "./evidence.ts";
import { isOrdered, laneKey } from "./lane.ts";
import { MENDED, RIGHT } from "./mend-job.ts";

/** The hashes whose fields are lanes. */
const LANE_HASHES = ["gactive", "glimit", "gweight"];

/** Takes a name that no lane can have out of everything that lists lanes. */
function dropName(s: Server, base: Bytes, name: Bytes): number {
  const call = s.call;
  call("LLEN", `${base}ring`);
  call("SISMEMBER", `${base}gordered`, name);
  if (name !== "") call("ZSCORE", `${base}rest`, name);
  for (const hash of LANE_HASHES) call("HEXISTS", `${base}${hash}`, name);
  let dropped = call("SREM", `${base}paused`, name) + call("SREM", `${base}gordered`, name);
  for (const hash of LANE_HASHES) dropped += call("HDEL", `${base}${hash}`, name);
  if (name !== "") dropped += call("ZREM", `${base}rest`, name);
  dropped += call("LREM", `${base}ring`, 0, name);
  return dropped > 0 ? MENDED : RIGHT;
}

/** How many of the given jobs are scheduled and hold the lane. */
function countHolding(s: Server, base: Bytes, lane: Bytes, ids: Bytes[]): number {
  let count = 0;
  for (const id of ids) {
    if (s.branded(id)) {
      const fields = s.call("HMGET", `${base}job:${id}`, "state", "group", "held");
      if (fields[0] === "scheduled" && fields[1] === lane && fields[2] !== false) count += 1;
    }
  }
  return count;
}

/** Gives an ordered lane the limit that keeps its order; answers how many limits it set. */
function keepOrder(s: Server, base: Bytes, lane: Bytes, ordered: boolean, limit: Bytes | false): number {
  if (!ordered || limit === "1") return 0;
  // Dropped first, which a full server admits.
  s.call("HDEL", `${base}glimit`, lane);
  s.call("HSET", `${base}glimit`, lane, "1");
  return 1;
}

/** Drops settings that no act can read; answers how many. */
function dropSettings(s: Server, base: Bytes, lane: Bytes, limit: Bytes | false, weight: Bytes | false): number {
  let dropped = 0;
  if (limit !== false && !s.int(limit, 1, NUMBER_MAX)) dropped += s.call("HDEL", `${base}glimit`, lane);
  if (weight !== false && !s.int(weight, 1, NUMBER_MAX)) dropped += s.call("HDEL", `${base}gweight`, lane);
  return dropped;
}

/** Puts one lane right. `holders` are scheduled jobs that may hold it. */
export function mendLane(s: Server, base: Bytes, lane: Bytes, holders: Bytes[]): number {
  const call = s.call;
  if (!s.name(lane)) return dropName(s, base, lane);
  const ring = `${base}ring`;
  const limit = call("HGET", `${base}glimit`, lane);
  const weight = call("HGET", `${base}gweight`, lane);
  const says = call("HGET", `${base}gactive`, lane);
  const waits = call("ZCARD", laneKey(base, lane)) > 0 && call("SISMEMBER", `${base}paused`, lane) === 0;
  const places = ringPlaces(s, base, lane);
  const leased = countLeased(s, base, lane);
  const said = says !== false && s.int(says, 1, NUMBER_MAX) ? s.num(says) : 0;
  const active = leased < 0 ? said : leased + countHolding(s, base, lane, holders);
  const ordered = isOrdered(s, base, lane);
  const ceiling: Bytes | false = ordered ? "1" : limit;
  const isFull = ceiling !== false && s.int(ceiling, 1, NUMBER_MAX) && active >= s.num(ceiling);
  const rest = restOf(s, base, lane);
  const wanted = waits && !isFull && rest !== 1 ? 1 : 0;
  let changes = dropSettings(s, base, lane, limit, weight);
  // Nothing but a rate sends a lane to rest, and its end ends the rest.
  if (rest === 2) changes += call("ZREM", `${base}rest`, lane);
  changes += keepOrder(s, base, lane, ordered, limit);
  // Taken off first, which a full server admits; then it stands at the end, as a lane does that came anew.
  if (places !== wanted) changes += 1 + call("LREM", ring, 0, lane);
  if (says !== false && active === 0) changes += call("HDEL", `${base}gactive`, lane);
  if (active > 0 && active !== said) {
    call("HSET", `${base}gactive`, lane, active);
    changes += 1;
  }
  if (places !== wanted && wanted === 1) call("RPUSH", ring, lane);
  return changes > 0 ? MENDED : RIGHT;
}
