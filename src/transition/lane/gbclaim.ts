/**
 * `GBCLAIM`: leases up to `size` jobs of the lane whose turn it is.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkGbclaim } from "../check/lane/gbclaim.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { startClaim } from "../step/claim.ts";
import { claimLane, gateOf, LANE_JOBS_MAX, laneJobs } from "../step/lane-claim.ts";

/** Keys: ring, active, base. Arguments: lease_ms, size or 0. Answers a list of id, payload, attempts, group. */
export function gbclaim(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkGbclaim(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const taken = startClaim(keys[2], keys[1], "", s.num(args[0]));
  const gate = gateOf(s, taken, LANE_JOBS_MAX);
  const size = s.num(args[1]);
  claimLane(s, taken, gate, size === 0 ? LANE_JOBS_MAX : size);
  return laneJobs(taken);
}
