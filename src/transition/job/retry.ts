/**
 * `RETRY`: ends an attempt as failed. The job is tried again after a delay, or is dead when its budget is spent.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkRetry } from "../check/job/retry.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { heardBy } from "../step/event.ts";
import { hasCeiling } from "../step/limit.ts";
import { fail } from "../step/put-back.ts";
import { deadTerms } from "../step/retain.ts";
import { judge, readHolder } from "../step/settle.ts";
import { isOpen, pushIfClaimable, pushIfHead } from "../step/wake.ts";

/**
 * Keys: active, schedule, dead, row, base. Arguments: id, token, delay_ms, max_attempts, error, perhaps dead_n, dead_ms
 * and result_ms.
 */
export function retry(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkRetry(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const id = args[0];
  const base = keys[4];
  const holder = readHolder(s, keys[3]);
  const verdict = judge(holder, args[1], "EMQSTALE job gone", "EMQSTALE retry token mismatch");
  if (verdict !== "") return s.error(verdict);
  const open = isOpen(s, base);
  const frees = holder[3] !== false || hasCeiling(s, base);
  const terms = deadTerms(s, args, 5);
  terms.heard = heardBy(s, base);
  const word = fail(s, base, id, holder, s.num(args[2]), s.num(args[3]), args[4], terms);
  if (frees) pushIfClaimable(s, base, open);
  if (word === "scheduled") pushIfHead(s, base, id);
  return word;
}
