/**
 * `GREAP`: takes back lapsed leases of one lane, and never kills.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkGreap } from "../check/lane/greap.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { takeBackLane } from "../step/lapse.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Keys: active, base. Arguments: group, limit. Answers how many were taken back. */
export function greap(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkGreap(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const open = isOpen(s, keys[1]);
  const taken = takeBackLane(s, keys[0], keys[1], args[0], s.num(args[1]));
  // Also when none was taken back: a stray that was dropped may have been what filled the ceiling of the queue.
  pushIfClaimable(s, keys[1], open);
  return taken;
}
