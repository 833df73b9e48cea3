/**
 * `SCHEDULE`: admits one job that falls due later.
 *
 * An instant is taken as it is, also when it has passed; a delay counts from the server's now. Wakes nobody, as it
 * declares no base to derive the wake list from.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkSchedule } from "../check/job/schedule.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { dueIn } from "../step/bound.ts";
import { isJobId, NO_JOB_ID } from "../step/row.ts";

/** Keys: row, schedule. Arguments: id, payload, at or in, ms. Answers 1, or 0 for a duplicate. */
export function schedule(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkSchedule(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const id = args[0];
  if (!isJobId(id)) return s.error(NO_JOB_ID);
  const call = s.call;
  if (call("EXISTS", keys[0]) === 1) return 0;
  const ms = s.num(args[3]);
  call("ZADD", keys[1], args[2] === "in" ? dueIn(s, ms) : ms, id);
  call("HSET", keys[0], "state", "scheduled", "attempts", "0", "payload", args[1]);
  return 1;
}
