/**
 * `RELEASE`: moves one scheduled job to where it waits, before its time.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkRelease } from "../check/job/release.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { letWaitAgain } from "../step/promote-due.ts";
import { readPlace } from "../step/waiting.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Keys: row, schedule, pending, base. Arguments: id. Answers 1, or -1 when the job is gone. */
export function release(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkRelease(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const fields = call("HMGET", keys[0], "state", "group", "priority", "owner");
  if (fields[0] === false) return -1;
  // In an ordered lane a delayed job has its place already, and the instant is all that keeps it.
  if (fields[0] === "pending" && call("HDEL", keys[0], "due") === 1) return 1;
  if (fields[0] !== "scheduled") return s.error("EMQSTATE not scheduled");
  const open = isOpen(s, keys[3]);
  readPlace(s, keys[3], fields[1]);
  call("ZREM", keys[1], args[0]);
  letWaitAgain(s, keys[3], args[0], fields);
  pushIfClaimable(s, keys[3], open);
  return 1;
}
