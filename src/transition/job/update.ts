/**
 * `UPDATE`: replaces the payload, in any state; with a token, only for its holder.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkUpdate } from "../check/job/update.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { isCurrent } from "../step/settle.ts";

/** Keys: row. Arguments: payload and perhaps a token. Answers 1, or -1 when the job is gone. */
export function update(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkUpdate(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const attempts = s.call("HGET", keys[0], "attempts");
  if (attempts === false) return -1;
  if (args.length > 1 && !isCurrent(attempts, args[1])) return s.error("EMQSTALE update token mismatch");
  s.call("HSET", keys[0], "payload", args[0]);
  return 1;
}
