/**
 * `RESULT`: how a job ended, or the mark of somebody who waits for its end.
 *
 * A mark never becomes shorter, so several waiters of one job need not know of each other. It is dropped before it is
 * set: dropping is a write that a full server admits, and who waits for room must hear that there is some.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkResult } from "../check/job/result.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { waitedUntil } from "../step/result.ts";

/** Keys: row, base. Arguments: id, wait_ms. Answers the state and the outcome, empty where there is none. */
export function result(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkResult(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const fields = call("HMGET", keys[0], "state", "wait", "result", "last_error");
  const state = fields[0];
  if (state === false) {
    const left = call("GET", `${keys[1]}job:${args[0]}:result`);
    return ["absent", left === false ? "" : left];
  }
  if (state === "completed") return [state, fields[2] === false ? "c" : `r${fields[2]}`];
  if (state === "dead") return [state, `k${fields[3] === false ? "" : fields[3]}`];
  const ms = s.num(args[1]);
  if (ms > 0) {
    const until = waitedUntil(s, fields[1], ms);
    call("HDEL", keys[0], "wait");
    call("HSET", keys[0], "wait", until);
  }
  return [state, ""];
}
