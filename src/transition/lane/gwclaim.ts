/**
 * `GWCLAIM`: leases as many jobs of the lane whose turn it is as its weight says.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkGwclaim } from "../check/lane/gwclaim.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { startClaim } from "../step/claim.ts";
import { BY_WEIGHT, claimLane, gateOf, LANE_JOBS_MAX, laneJobs } from "../step/lane-claim.ts";

/** Keys: ring, active, base. Arguments: lease_ms. Answers a list of id, payload, attempts, group. */
export function gwclaim(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkGwclaim(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const taken = startClaim(keys[2], keys[1], "", s.num(args[0]));
  const gate = gateOf(s, taken, LANE_JOBS_MAX);
  claimLane(s, taken, gate, BY_WEIGHT);
  return laneJobs(taken);
}
