/**
 * `ENQUEUE`: admits one job into the flat queue.
 *
 * The row is born with exactly `state`, `attempts` and `payload`, in this order. The member goes in first: it is the
 * write that can meet a foreign type, and the row is known to be absent by then. Wakes nobody.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkEnqueue } from "../check/job/enqueue.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { isJobId, NO_JOB_ID } from "../step/row.ts";

/** Keys: row, pending. Arguments: id, payload. Answers 1, or 0 for a duplicate. */
export function enqueue(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkEnqueue(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const id = args[0];
  if (!isJobId(id)) return s.error(NO_JOB_ID);
  const call = s.call;
  if (call("EXISTS", keys[0]) === 1) return 0;
  call("ZADD", keys[1], 0, id);
  call("HSET", keys[0], "state", "pending", "attempts", "0", "payload", args[1]);
  return 1;
}
