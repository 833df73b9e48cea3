/**
 * `EXTEND`: renews one lease. Only a member of `active` is renewed, so a job never sits in two sets.
 *
 * The old member goes first: that is a write which a full server admits, and after it the new one is admitted as well.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkExtend } from "../check/job/extend.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { isCurrent } from "../step/settle.ts";

/** Keys: active, row. Arguments: id, token, lease_ms. Answers 1, 2 when a cancel was asked for, -1 when gone. */
export function extend(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkExtend(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const fields = call("HMGET", keys[1], "attempts", "cancel");
  if (fields[0] === false) return -1;
  if (!isCurrent(fields[0], args[1]) || call("ZSCORE", keys[0], args[0]) === false) {
    return s.error("EMQSTALE extend token mismatch");
  }
  call("ZREM", keys[0], args[0]);
  call("ZADD", keys[0], s.now() + s.num(args[2]), args[0]);
  return fields[1] === false ? 1 : 2;
}
