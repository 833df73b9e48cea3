/**
 * `ADVANCE`: moves the next occurrence of a repeat, whatever it was.
 *
 * The member is taken out and put back: taking out is a write that a full server admits.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkAdvance } from "../check/repeat/advance.generated.ts";
import type { Server, TransitionReply } from "../server.ts";

/** Keys: set, record. Arguments: name, next_at. Answers 1, or 0 when there is no record. */
export function advance(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkAdvance(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const exists = call("HEXISTS", keys[1], "template") === 1;
  call("ZREM", keys[0], args[0]);
  if (!exists) return 0;
  call("ZADD", keys[0], args[1], args[0]);
  return 1;
}
