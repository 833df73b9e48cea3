/**
 * `CANCEL`: removes a job that waits, for its turn, its time or its children, or marks an active one so that its holder
 * stops.
 *
 * The mark is dropped before it is set: dropping is a write that a full server admits. The channel `control` tells the
 * holder at once; should it not hear it, it reads the mark when it renews its lease.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkCancel } from "../check/job/cancel.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { tellControl } from "../step/control.ts";
import { erase } from "../step/erase.ts";
import { heardBy, tellOfJob } from "../step/event.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Keys: row, active, base. Arguments: id, reason. Answers 1 marked, 2 removed, -1 gone or over. */
export function cancel(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkCancel(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const fields = call("HMGET", keys[0], "state", "group", "dedup");
  const state = fields[0];
  const waits = state === "pending" || state === "scheduled" || state === "awaiting_children";
  if (state !== "active" && !waits) return -1;
  if (heardBy(s, keys[2]) > 0) {
    tellOfJob(s, keys[2], "cancelled", args[0], fields[2], ["state", state, "reason", args[1]]);
  }
  if (state === "active") {
    tellControl(s, keys[2], "c", args[0]);
    call("HDEL", keys[0], "cancel");
    call("HSET", keys[0], "cancel", args[1]);
    return 1;
  }
  const open = isOpen(s, keys[2]);
  erase(s, keys[2], args[0], fields[1], fields[2]);
  if (fields[1] !== false) pushIfClaimable(s, keys[2], open);
  return 2;
}
