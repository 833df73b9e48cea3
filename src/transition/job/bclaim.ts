/**
 * `BCLAIM`: leases up to `size` waiting jobs of the flat queue with one common deadline.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkBclaim } from "../check/job/bclaim.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { plainJobs, startClaim } from "../step/claim.ts";
import { heardBy, tellIfDrained } from "../step/event.ts";
import { claimFlat } from "../step/lane-claim.ts";
import { gateOf } from "../step/limit.ts";

/** Keys: pending, active, base. Arguments: lease_ms, size. Answers a list of id, payload, attempts. */
export function bclaim(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkBclaim(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const gate = gateOf(s, keys[2], s.num(args[1]));
  s.call("ZCARD", keys[1]);
  const taken = startClaim(keys[2], keys[1], "", s.num(args[0]));
  taken.heard = heardBy(s, keys[2]);
  claimFlat(s, taken, gate, keys[0]);
  if (taken.heard > 0) tellIfDrained(s, keys[2], taken.taken);
  return plainJobs(taken);
}
