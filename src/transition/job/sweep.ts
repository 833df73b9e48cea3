/**
 * `SWEEP`: takes back lapsed leases, and ends jobs that lapsed too often.
 *
 * A death may free a lane that was at its limit, so both outcomes can make work claimable.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkSweep } from "../check/job/sweep.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { takeBack } from "../step/lapse.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Keys: active, pending, dead, base. Arguments: max_stalled, limit. Answers recovered ids, dead ids. */
export function sweep(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkSweep(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const open = isOpen(s, keys[3]);
  const lapsed = takeBack(s, keys[0], keys[3], s.num(args[0]), s.num(args[1]));
  if (lapsed.recovered.length > 0 || lapsed.dead.length > 0) pushIfClaimable(s, keys[3], open);
  return [lapsed.recovered, lapsed.dead];
}
