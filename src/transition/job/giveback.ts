/**
 * `GIVEBACK`: puts an active job back to its place at once. It is an interruption, not a failure.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkGiveback } from "../check/job/giveback.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { giveUp } from "../step/put-back.ts";
import { judge, readHolder } from "../step/settle.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Keys: active, row, pending, base. Arguments: id, token. Answers 1. */
export function giveback(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkGiveback(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const holder = readHolder(s, keys[1]);
  const verdict = judge(holder, args[1], "EMQSTALE job gone", "EMQSTALE giveback token mismatch");
  if (verdict !== "") return s.error(verdict);
  const open = isOpen(s, keys[3]);
  giveUp(s, keys[3], args[0], holder);
  pushIfClaimable(s, keys[3], open);
  return 1;
}
