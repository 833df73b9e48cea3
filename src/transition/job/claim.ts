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
import { heardBy, tellIfDrained } from "../step/event.ts";
import { claimFlat } from "../step/lane-claim.ts";
import { gateOf } from "../step/limit.ts";

/** Keys: pending, active, base. Arguments: lease_ms. Answers id, payload, attempts, or an empty list. */
export function claim(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkClaim(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const gate = gateOf(s, keys[2], 1);
  s.call("ZCARD", keys[1]);
  const taken = startClaim(keys[2], keys[1], "", s.num(args[0]));
  taken.heard = heardBy(s, keys[2]);
  claimFlat(s, taken, gate, keys[0]);
  if (taken.heard > 0) tellIfDrained(s, keys[2], taken.taken);
  const jobs = plainJobs(taken);
  return jobs.length > 0 ? jobs[0] : [];
}
