/**
 * `REPROCESS`: gives a dead job a fresh budget and lets it wait again, at its own place.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkReprocess } from "../check/job/reprocess.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { reviveDead } from "../step/revive.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Keys: row, dead, pending, base. Arguments: id. Answers 1, or -1 when the job is gone. */
export function reprocess(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkReprocess(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const id = args[0];
  const fields = call("HMGET", keys[0], "attempts", "group", "priority", "state", "parent", "failed_child");
  if (fields[0] === false) return -1;
  if (call("ZSCORE", keys[1], id) === false) return s.error("EMQSTATE not dead");
  const open = isOpen(s, keys[3]);
  reviveDead(s, keys[3], id, fields);
  pushIfClaimable(s, keys[3], open);
  return 1;
}
