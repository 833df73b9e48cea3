/**
 * `REMOVE`: removes a job from wherever it is, an active one included. Its holder's settlement then answers that it is
 * gone.
 *
 * A job that a foreign lock plane has marked is left as it is, unless it is forced.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkRemove } from "../check/job/remove.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { erase } from "../step/erase.ts";
import { heardBy, tellOfJob } from "../step/event.ts";
import { hasCeiling } from "../step/limit.ts";
import { heldDedup } from "../step/row.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Keys: row, pending, active, schedule, dead, base. Arguments: id, dedup or empty, perhaps force. Answers 1 or -1. */
export function remove(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkRemove(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const base = keys[5];
  const fields = call("HMGET", keys[0], "state", "group", "dedup", "lock");
  if (fields[0] === false && call("EXISTS", keys[0]) === 0) return -1;
  const locked = fields[3] !== false || call("EXISTS", `${keys[0]}:lock`) === 1;
  if (locked && args.length < 3) return s.error("EMQLOCK job is locked");
  const open = isOpen(s, base);
  const frees = fields[1] !== false || hasCeiling(s, base);
  const held = heldDedup(s, base, args[1], args[0]);
  if (heardBy(s, base) > 0) {
    tellOfJob(s, base, "removed", args[0], fields[2], ["state", fields[0] === false ? "" : fields[0]]);
  }
  erase(s, base, args[0], fields[1], fields[2]);
  if (held !== "") call("DEL", held);
  if (frees) pushIfClaimable(s, base, open);
  return 1;
}
