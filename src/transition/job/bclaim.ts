/**
 * `BCLAIM`: leases up to `size` waiting jobs of the flat queue with one common deadline.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkBclaim } from "../check/job/bclaim.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { plainJobs, startClaim } from "../step/claim.ts";
import { claimFlat, gateOf } from "../step/lane-claim.ts";

/** Keys: pending, active, base. Arguments: lease_ms, size. Answers a list of id, payload, attempts. */
export function bclaim(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkBclaim(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const taken = startClaim(keys[2], keys[1], "", s.num(args[0]));
  claimFlat(s, taken, gateOf(s, taken, s.num(args[1])), keys[0]);
  return plainJobs(taken);
}
