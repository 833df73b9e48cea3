/**
 * `LOG`: appends a log line and keeps the newest `keep` lines, all of them for 0.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkLog } from "../check/job/log.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { isCurrent } from "../step/settle.ts";

/** Keys: row, row:logs. Arguments: line, keep and perhaps a token. Answers the lines kept, or -1 when gone. */
export function log(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkLog(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const attempts = s.call("HGET", keys[0], "attempts");
  if (attempts === false) return -1;
  if (args.length > 2 && !isCurrent(attempts, args[2])) return s.error("EMQSTALE log token mismatch");
  const lines = s.call("RPUSH", keys[1], args[0]);
  const keep = s.num(args[1]);
  if (keep === 0 || lines <= keep) return lines;
  s.call("LTRIM", keys[1], -keep, -1);
  return keep;
}
