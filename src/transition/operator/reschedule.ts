/**
 * `RESCHEDULE`: gives a scheduled job another due time.
 *
 * The member is taken out and put back: taking out is a write that a full server admits, so a job can be put off there.
 * One that comes to the head of the schedule wakes whoever keeps time.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkReschedule } from "../check/operator/reschedule.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { dueIn } from "../step/put-back.ts";
import { pushIfHead } from "../step/wake.ts";

/** Keys: row, schedule, base. Arguments: id, mode, ms. Answers 1, or -1 when the job is gone. */
export function reschedule(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkReschedule(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const state = call("HGET", keys[0], "state");
  if (state === false) return -1;
  if (state !== "scheduled" || call("ZSCORE", keys[1], args[0]) === false) return s.error("EMQSTATE not scheduled");
  const ms = s.num(args[2]);
  const due = args[1] === "in" ? dueIn(s, ms) : ms;
  call("ZREM", keys[1], args[0]);
  call("ZADD", keys[1], due, args[0]);
  pushIfHead(s, keys[2], args[0]);
  return 1;
}
