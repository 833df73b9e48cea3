/**
 * `SWEEP`: takes back lapsed leases, ends jobs that lapsed too often, and takes away kept jobs whose time is over.
 *
 * A death may free a lane that was at its limit, so both outcomes can make work claimable.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkSweep } from "../check/job/sweep.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { takeBack } from "../step/lapse.ts";
import { deadTerms, dropExpired, findExpired } from "../step/retain.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/**
 * Keys: active, pending, dead, base. Arguments: max_stalled, limit, perhaps dead_n, dead_ms and result_ms. Answers
 * recovered ids, dead ids; with the terms also how many kept jobs whose time was over it looked at, within the limit,
 * and how many leases were dropped because their job was gone or not active.
 */
export function sweep(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkSweep(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const open = isOpen(s, keys[3]);
  const limit = s.num(args[1]);
  const expired = findExpired(s, keys[3], args.length > 2 ? limit : 0);
  const lapsed = takeBack(s, keys[0], keys[3], s.num(args[0]), limit, deadTerms(s, args, 2));
  if (lapsed.recovered.length > 0 || lapsed.dead.length > 0) pushIfClaimable(s, keys[3], open);
  if (args.length === 2) return [lapsed.recovered, lapsed.dead];
  const looked = lapsed.recovered.length + lapsed.dead.length + lapsed.dropped;
  return [lapsed.recovered, lapsed.dead, dropExpired(s, keys[3], expired, limit - looked), lapsed.dropped];
}
