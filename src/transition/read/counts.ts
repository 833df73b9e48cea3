/**
 * `COUNTS`: sizes of sets and values of counters, from one instant.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkCounts } from "../check/read/counts.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { countOf } from "../step/row.ts";

/** Keys: base, pending, further sets. Arguments: counters. Answers one number each, in this order. */
export function counts(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkCounts(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const out: number[] = [];
  const sets = keys.length;
  for (let i = 1; i < sets; i += 1) out[out.length] = s.call("ZCARD", keys[i]);
  for (const counter of args) {
    out[out.length] = countOf(s, s.call("HGET", `${keys[0]}metrics:${counter}`, "count"));
  }
  return out;
}
