/**
 * `QPAUSE`: pauses the queue. Claims test it inside their act; nothing else is touched.
 *
 * The field is dropped before it is set: dropping is a write that a full server admits.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkQpause } from "../check/operator/qpause.generated.ts";
import type { Server, TransitionReply } from "../server.ts";

/** Keys: meta. No arguments. Answers 1. */
export function qpause(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkQpause(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  s.call("HDEL", keys[0], "paused");
  s.call("HSET", keys[0], "paused", "1");
  return 1;
}
