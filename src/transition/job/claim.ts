/**
 * `CLAIM`: leases the first waiting job of the flat queue.
 *
 * The pause is tested inside the act, so none can slip in between. The size of `active` is read before anything is
 * taken: a foreign type there must not cost a job.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkClaim } from "../check/job/claim.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { plainJobs, startClaim } from "../step/claim.ts";
import { claimFlat, gateOf } from "../step/lane-claim.ts";

/** Keys: pending, active, base. Arguments: lease_ms. Answers id, payload, attempts, or an empty list. */
export function claim(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkClaim(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const taken = startClaim(keys[2], keys[1], "", s.num(args[0]));
  claimFlat(s, taken, gateOf(s, taken, 1), keys[0]);
  const jobs = plainJobs(taken);
  return jobs.length > 0 ? jobs[0] : [];
}
