/**
 * `PRIORITY`: changes the priority of a job that waits or is scheduled.
 *
 * The row keeps the priority and the score of a waiting member repeats it. A job that was begun in an ordered lane
 * stands before every priority there and keeps that place.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkPriority } from "../check/operator/priority.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { laneKey } from "../step/lane.ts";

/** Keys: row, pending, schedule, base. Arguments: id, priority. Answers 1, or -1 when the job is gone. */
export function priority(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkPriority(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const id = args[0];
  const fields = call("HMGET", keys[0], "state", "group");
  const state = fields[0];
  const group = fields[1];
  if (state === false) return -1;
  const lane = group === false ? keys[1] : laneKey(keys[3], group);
  const place = state === "scheduled" ? keys[2] : lane;
  if (state !== "scheduled" && state !== "pending") return s.error("EMQSTATE not waiting");
  const score = call("ZSCORE", place, id);
  if (score === false) return s.error("EMQSTATE not waiting");
  call("HDEL", keys[0], "priority");
  if (args[1] !== "0") call("HSET", keys[0], "priority", args[1]);
  if (state === "pending" && score.slice(0, 1) !== "-") call("ZADD", place, s.num(args[1]), id);
  return 1;
}
