/**
 * `PROGRESS`: stores the progress and publishes it.
 *
 * The message goes out before the write, so that a missing channel right refuses the act while nothing is written.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkProgress } from "../check/job/progress.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { isCurrent } from "../step/settle.ts";

/** Keys: row, base. Arguments: progress, id and perhaps a token. Answers 1, or -1 when the job is gone. */
export function progress(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkProgress(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const fields = s.call("HMGET", keys[0], "attempts", "alias");
  const attempts = fields[0];
  const alias = fields[1] === false ? "" : `,"alias":${s.json(fields[1])}`;
  if (attempts === false) return -1;
  if (args.length > 2 && !isCurrent(attempts, args[2])) return s.error("EMQSTALE progress token mismatch");
  const job = s.json(args[1]);
  const progress = s.json(args[0]);
  s.call("PUBLISH", `${keys[1]}events`, `{"event":"progress","job":${job},"progress":${progress}${alias}}`);
  s.call("HSET", keys[0], "progress", args[0]);
  return 1;
}
