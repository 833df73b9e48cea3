/**
 * `DELAY`: puts an active job back until an instant. It is an interruption, not a failure.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkDelay } from "../check/job/delay.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { dueIn } from "../step/bound.ts";
import { heardBy } from "../step/event.ts";
import { hasCeiling } from "../step/limit.ts";
import { defer } from "../step/put-back.ts";
import { isJobId, NO_JOB_ID } from "../step/row.ts";
import { judge, readHolder } from "../step/settle.ts";
import { isOpen, pushIfClaimable, pushIfHead } from "../step/wake.ts";

/** Keys: row, active, schedule, base. Arguments: id, token, in or at, ms. Answers 1. */
export function delay(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkDelay(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const id = args[0];
  const base = keys[3];
  if (!isJobId(id)) return s.error(NO_JOB_ID);
  const holder = readHolder(s, keys[0]);
  const verdict = judge(holder, args[1], "EMQSTALE job gone", "EMQSTALE delay token mismatch");
  if (verdict !== "") return s.error(verdict);
  const open = isOpen(s, base);
  const frees = holder[3] !== false || hasCeiling(s, base);
  const ms = s.num(args[3]);
  defer(s, base, id, holder, args[2] === "in" ? dueIn(s, ms) : ms, heardBy(s, base));
  if (frees) pushIfClaimable(s, base, open);
  pushIfHead(s, base, id);
  return 1;
}
