/**
 * `REPROCESS`: gives a dead job a fresh budget and lets it wait again, at its own place.
 *
 * The attempts number stays: it is the fencing token and must never repeat. The attempts so far count as interruptions.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkReprocess } from "../check/job/reprocess.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { letWait, readPlace } from "../step/waiting.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Keys: row, dead, pending, base. Arguments: id. Answers 1, or -1 when the job is gone. */
export function reprocess(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkReprocess(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const id = args[0];
  const fields = call("HMGET", keys[0], "attempts", "group", "priority");
  const attempts = fields[0];
  if (attempts === false) return -1;
  if (call("ZSCORE", keys[1], id) === false) return s.error("EMQSTATE not dead");
  const open = isOpen(s, keys[3]);
  readPlace(s, keys[3], fields[1]);
  call("ZREM", keys[1], id);
  call("HDEL", keys[0], "last_error", "stalled", "cancel", "owner");
  call("HSET", keys[0], "state", "pending", "deferred", attempts);
  if (attempts === "0") call("HDEL", keys[0], "deferred");
  letWait(s, keys[3], id, fields[1], fields[2]);
  pushIfClaimable(s, keys[3], open);
  return 1;
}
