/**
 * `REAP`: takes back lapsed leases and never kills. For operators and foreign speakers; workers run `SWEEP`.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkReap } from "../check/job/reap.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { takeBack } from "../step/lapse.ts";
import { plainTerms } from "../step/retain.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Keys: active, pending, base. Arguments: limit. Answers how many jobs wait again. */
export function reap(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkReap(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const open = isOpen(s, keys[2]);
  const lapsed = takeBack(s, keys[0], keys[2], -1, s.num(args[0]), plainTerms());
  // A dropped member may have been what filled the ceiling of the queue.
  if (lapsed.recovered.length + lapsed.dropped > 0) pushIfClaimable(s, keys[2], open);
  return lapsed.recovered.length;
}
