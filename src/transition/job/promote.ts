/**
 * `PROMOTE`: moves due jobs from the schedule to where they wait.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkPromote } from "../check/job/promote.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { promoteDue } from "../step/promote-due.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Members looked at by one act, at most. */
const LOOKS_MAX = 1000;

/** Keys: schedule, pending, base. Arguments: batch. Answers how many jobs were moved. */
export function promote(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkPromote(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const open = isOpen(s, keys[2]);
  const moved = promoteDue(s, keys[0], keys[2], s.num(args[0]), LOOKS_MAX).moved;
  if (moved > 0) pushIfClaimable(s, keys[2], open);
  return moved;
}
