/**
 * `GCLAIM`: leases one job of the lane whose turn it is.
 *
 * The pause of the queue is tested inside the act, so none can slip in between.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkGclaim } from "../check/lane/gclaim.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { startClaim } from "../step/claim.ts";
import { claimLane, gateOf, LANE_JOBS_MAX, laneJobs, ONE_JOB } from "../step/lane-claim.ts";

/** Keys: ring, active, base. Arguments: lease_ms. Answers id, payload, attempts, group, or an empty list. */
export function gclaim(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkGclaim(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const taken = startClaim(keys[2], keys[1], "", s.num(args[0]));
  const gate = gateOf(s, taken, LANE_JOBS_MAX);
  claimLane(s, taken, gate, ONE_JOB);
  const jobs = laneJobs(taken);
  return jobs.length > 0 ? jobs[0] : [];
}
