/**
 * `QRESUME`: resumes the queue and wakes a worker, which then finds out what waits.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkQresume } from "../check/operator/qresume.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { push } from "../step/wake.ts";

/** Keys: meta, wake. No arguments. Answers 1. */
export function qresume(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkQresume(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  if (s.call("HDEL", keys[0], "paused") === 1) push(s, keys[1]);
  return 1;
}
