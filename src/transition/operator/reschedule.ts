/**
 * `RESCHEDULE`: gives a scheduled job another due time.
 *
 * The member is taken out and put back: taking out is a write that a full server admits, so a job can be put off there.
 * The end of its time to live moves along. One that comes to the head of the schedule wakes whoever keeps time.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkReschedule } from "../check/operator/reschedule.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { dueIn } from "../step/bound.ts";
import { moveTime } from "../step/ttl.ts";
import { pushIfHead } from "../step/wake.ts";

/** Keys: row, schedule, base. Arguments: id, mode, ms. Answers 1, or -1 when the job is gone. */
export function reschedule(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkReschedule(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const fields = call("HMGET", keys[0], "state", "expires");
  if (fields[0] === false) return -1;
  const before = call("ZSCORE", keys[1], args[0]);
  if (fields[0] !== "scheduled" || before === false) return s.error("EMQSTATE not scheduled");
  const ms = s.num(args[2]);
  const due = args[1] === "in" ? dueIn(s, ms) : ms;
  if (fields[1] !== false) call("ZCARD", `${keys[2]}ttl`);
  call("ZREM", keys[1], args[0]);
  call("ZADD", keys[1], due, args[0]);
  if (fields[1] !== false) moveTime(s, keys[2], args[0], fields[1], due - s.num(before));
  pushIfHead(s, keys[2], args[0]);
  return 1;
}
