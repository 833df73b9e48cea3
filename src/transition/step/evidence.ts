/**
 * What invariants speak of, read at one instant: a job with all its places, a lane with its counts.
 *
 * A queue that moves is never seen whole, but each rule is about one job or one lane, and one act sees that whole. So
 * whoever judges what these steps tell never takes a job that is on its way for one that is lost.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server, TransitionReply } from "../server.ts";
import { laneKey } from "./lane.ts";
import { isResting } from "./limit.ts";
import { countOpen } from "./open-children.ts";

/** Leases that one act looks at to count those of a lane: the budget of an act. */
const LEASED_MAX = 1000;

/** The side keys of a row that never expire. */
const SIDE_TYPES = ["logs", "lock", "dependencies", "processed", "failed", "unsuccessful", "children", "parents"];

/** The side keys that exist under a row's key. A result that expires outlives its row rightly and is not among them. */
export function sideKeysOf(s: Server, row: Bytes): Bytes[] {
  const call = s.call;
  const present: Bytes[] = [];
  for (const type of SIDE_TYPES) {
    if (call("EXISTS", `${row}:${type}`) === 1) present[present.length] = type;
  }
  if (call("PTTL", `${row}:result`) === -1) present[present.length] = "result";
  return present;
}

/**
 * The job after whose end a row's job is to run: its state, and the job that it names as its next. Empty for a job that
 * runs after none.
 */
function leaderOf(s: Server, base: Bytes, row: Bytes): (Bytes | false)[] {
  const leader = s.call("HGET", row, "follows");
  if (leader === false) return [];
  return s.branded(leader) ? s.call("HMGET", `${base}job:${leader}`, "state", "next") : [false, false];
}

/** Children that one act may still look at. */
export interface ChildBudget {
  left: number;
}

/**
 * What a parent counts: its count, how many of its children are open, and of how many it was told. The second is -1
 * where the budget does not suffice to see. Empty for a job that was never a parent.
 */
function familyOf(s: Server, row: Bytes, budget: ChildBudget): (Bytes | number)[] {
  const call = s.call;
  const count = call("GET", `${row}:dependencies`);
  if (count === false) return [];
  const children = call("HLEN", `${row}:children`);
  if (children > budget.left) return [count, -1, children];
  budget.left -= children;
  return [count, countOpen(s, row), children];
}

/**
 * One job: fields, names of all fields, scores where it may lie, side keys without a row, the job before it, and what
 * it counts of its children.
 */
export function examineJob(s: Server, base: Bytes, id: Bytes, lane: Bytes, budget: ChildBudget): TransitionReply[] {
  const call = s.call;
  const row = `${base}job:${id}`;
  let fields: (Bytes | false)[] = [];
  let names: Bytes[] = [];
  let side: Bytes[] = [];
  let leader: (Bytes | false)[] = [];
  let family: (Bytes | number)[] = [];
  let group: Bytes | false = false;
  if (s.branded(id)) {
    names = call("HKEYS", row);
    if (names.length > 0) {
      fields = call(
        "HMGET",
        row,
        "state",
        "attempts",
        "group",
        "priority",
        "owner",
        "stalled",
        "deferred",
        "finished_at",
        "wait",
        "held",
        "due",
        "expires",
        "cost",
      );
      group = fields[2];
      leader = leaderOf(s, base, row);
      family = familyOf(s, row, budget);
    } else {
      side = sideKeysOf(s, row);
    }
  }
  const scores: (Bytes | false)[] = [
    call("ZSCORE", `${base}pending`, id),
    call("ZSCORE", `${base}active`, id),
    call("ZSCORE", `${base}schedule`, id),
    call("ZSCORE", `${base}dead`, id),
    call("ZSCORE", `${base}completed`, id),
    false,
    false,
    call("ZSCORE", `${base}expiry`, id),
    call("ZSCORE", `${base}awaiting`, id),
    call("ZSCORE", `${base}ttl`, id),
  ];
  if (group !== false && s.name(group)) scores[5] = call("ZSCORE", laneKey(base, group), id);
  if (lane !== "" && lane !== group) scores[6] = call("ZSCORE", laneKey(base, lane), id);
  return [fields, names, scores, side, leader, family];
}

/** The leased jobs whose rows name a lane, -1 when more are leased than one act may look at. */
export function countLeased(s: Server, base: Bytes, lane: Bytes): number {
  const call = s.call;
  const active = `${base}active`;
  if (call("ZCARD", active) > LEASED_MAX) return -1;
  let count = 0;
  for (const id of call("ZRANGE", active, 0, -1)) {
    if (s.branded(id)) {
      const fields = call("HMGET", `${base}job:${id}`, "group", "state");
      if (fields[0] === lane && fields[1] === "active") count += 1;
    }
  }
  return count;
}

/** How often a lane stands on the ring, 2 for more: a lane belongs there once at most. */
export function ringPlaces(s: Server, base: Bytes, lane: Bytes): number {
  return s.call("LPOS", `${base}ring`, lane, "COUNT", 2).length;
}

/** Whether a lane rests: 1 by its rate, 2 although it has none, else 0. */
export function restOf(s: Server, base: Bytes, lane: Bytes): number {
  if (!isResting(s, base, lane)) return 0;
  return s.call("HEXISTS", `${base}rate`, `m${lane}`) === 1 ? 1 : 2;
}

/** One lane: depth, paused, limit, counter, weight, ordered, places on the ring, leased jobs, whether it rests. */
export function examineLane(s: Server, base: Bytes, lane: Bytes, count: Bytes): TransitionReply[] {
  const call = s.call;
  let leased = -1;
  if (count === "1") leased = countLeased(s, base, lane);
  return [
    call("ZCARD", laneKey(base, lane)),
    call("SISMEMBER", `${base}paused`, lane),
    call("HGET", `${base}glimit`, lane),
    call("HGET", `${base}gactive`, lane),
    call("HGET", `${base}gweight`, lane),
    call("SISMEMBER", `${base}gordered`, lane),
    ringPlaces(s, base, lane),
    leased,
    restOf(s, base, lane),
  ];
}

/** One deduplication key: holder, whether its job is there, whether the key expires. */
export function examineDedup(s: Server, base: Bytes, dedup: Bytes): TransitionReply[] {
  const call = s.call;
  const key = `${base}de:${dedup}`;
  const holder = call("GET", key);
  if (holder === false) return [];
  const isAlive = s.branded(holder) ? call("EXISTS", `${base}job:${holder}`) : 0;
  // When it ends is the server's own clock's concern, which no two engines tell alike.
  const ends = call("PTTL", key) >= 0 ? 1 : 0;
  return [holder, isAlive, ends];
}
