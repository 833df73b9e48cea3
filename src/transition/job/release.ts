/**
 * `RELEASE`: moves one scheduled job to where it waits, before its time.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkRelease } from "../check/job/release.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { letWait } from "../step/waiting.ts";
import { pushIfClaimable } from "../step/wake.ts";

/** Keys: row, schedule, pending, base. Arguments: id. Answers 1, or -1 when the job is gone. */
export function release(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkRelease(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const fields = call("HMGET", keys[0], "state", "group", "priority");
  if (fields[0] === false) return -1;
  if (fields[0] !== "scheduled") return s.error("EMQSTATE not scheduled");
  call("ZREM", keys[1], args[0]);
  call("HSET", keys[0], "state", "pending");
  letWait(s, keys[3], args[0], fields[1], fields[2]);
  pushIfClaimable(s, keys[3]);
  return 1;
}
