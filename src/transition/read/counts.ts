/**
 * `COUNTS`: sizes of sets and values of counters, from one instant.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkCounts } from "../check/read/counts.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { laneKey } from "../step/lane.ts";
import { countOf } from "../step/row.ts";

/** Names of lanes that one act looks at, at most. */
const LANES_MAX = 1000;

/**
 * How many jobs wait in lanes. A lane with work stands on the ring, or a pause, a limit or a rest keeps it off. Answers
 * -1 when these are too many names for one act.
 */
function countLanes(s: Server, base: Bytes): number {
  const call = s.call;
  const ring = `${base}ring`;
  const paused = `${base}paused`;
  const limits = `${base}glimit`;
  const rest = `${base}rest`;
  const names = call("LLEN", ring) + call("SCARD", paused) + call("HLEN", limits) + call("ZCARD", rest);
  if (names > LANES_MAX) return -1;
  const seen: Record<string, boolean> = {};
  let waiting = 0;
  for (const some of [
    call("LRANGE", ring, 0, -1),
    call("SMEMBERS", paused),
    call("HKEYS", limits),
    call("ZRANGE", rest, 0, -1),
  ]) {
    for (const group of some) {
      const lane = laneKey(base, group);
      if (seen[lane] !== true) {
        seen[lane] = true;
        waiting += call("ZCARD", lane);
      }
    }
  }
  return waiting;
}

/** Keys: base, pending, further sets. Arguments: counters. Answers one number each, in this order. */
export function counts(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkCounts(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const out: number[] = [];
  const sets = keys.length;
  for (let i = 1; i < sets; i += 1) out[out.length] = s.call("ZCARD", keys[i]);
  for (const counter of args) {
    if (counter === "lanes") out[out.length] = countLanes(s, keys[0]);
    else out[out.length] = countOf(s, s.call("HGET", `${keys[0]}metrics:${counter}`, "count"));
  }
  return out;
}
