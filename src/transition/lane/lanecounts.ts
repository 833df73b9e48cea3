/**
 * `LANECOUNTS`: depth and settings of lanes, from one instant.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkLanecounts } from "../check/lane/lanecounts.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { isOrdered, laneKey } from "../step/lane.ts";
import { restsUntil } from "../step/limit.ts";
import { countOf } from "../step/row.ts";

/** Keys: ring, base. Arguments: lanes. Answers seven numbers for each. */
export function lanecounts(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkLanecounts(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const base = keys[1];
  const out: number[] = [];
  for (const group of args) {
    const weight = call("HGET", `${base}gweight`, group);
    out[out.length] = call("ZCARD", laneKey(base, group));
    out[out.length] = countOf(s, call("HGET", `${base}gactive`, group));
    out[out.length] = countOf(s, call("HGET", `${base}glimit`, group));
    out[out.length] = weight === false ? 1 : s.num(weight);
    out[out.length] = call("SISMEMBER", `${base}paused`, group);
    out[out.length] = isOrdered(s, base, group) ? 1 : 0;
    // A lane whose time has come is still off the ring until the next claim, and says so by 1.
    const until = restsUntil(s, base, group);
    out[out.length] = until === 0 ? 0 : Math.max(1, until - s.now());
  }
  return out;
}
