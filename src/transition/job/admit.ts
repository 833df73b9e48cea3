/**
 * `ADMIT`: admits many jobs in one act; what `add` and `addBulk` send.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkAdmit } from "../check/job/admit.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { admitRuns, startAdmission } from "../step/admit-act.ts";

/** Keys: base, pending. Arguments: runs of (shape, count, row…). Answers the exceptions. */
export function admit(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkAdmit(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const admission = startAdmission(keys[0]);
  const verdict = admitRuns(s, admission, keys[1], args);
  return verdict === "" ? admission.exceptions : s.error(verdict);
}
