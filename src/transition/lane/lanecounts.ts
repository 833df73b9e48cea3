/**
 * `LANECOUNTS`: depth and settings of lanes, from one instant.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkLanecounts } from "../check/lane/lanecounts.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { isOrdered, laneKey } from "../step/lane.ts";
import { countOf } from "../step/row.ts";

/** Keys: ring, base. Arguments: lanes. Answers six numbers for each. */
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
  }
  return out;
}
