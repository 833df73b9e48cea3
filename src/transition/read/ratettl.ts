/**
 * `RATETTL`: for how long the rate of the queue is spent, for a host that asks before it claims.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkRatettl } from "../check/read/ratettl.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { NUMBER_MAX } from "../step/bound.ts";

/** Keys: limiter, meta. Arguments: max, 0 for the one of the queue. Answers ms, 0 when the rate is not spent. */
export function ratettl(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkRatettl(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  let text: Bytes | false = args[0];
  if (text === "0") text = call("HGET", keys[1], "max");
  if (text === false || !s.int(text, 1, NUMBER_MAX)) return 0;
  const count = call("GET", keys[0]);
  if (count === false || !s.int(count, 0, NUMBER_MAX) || s.num(count) < s.num(text)) return 0;
  return Math.max(0, call("PTTL", keys[0]));
}
