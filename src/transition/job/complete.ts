/**
 * `COMPLETE`: ends a job as done. Its row and side keys go, unless the call or the queue has it kept.
 *
 * A missing row answers 0 and takes a stray member of `active` with it, which no sweep could turn into a row.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkComplete } from "../check/job/complete.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { heardBy } from "../step/event.ts";
import { hasCeiling } from "../step/limit.ts";
import { askQueue, doneTerms, dropOldest, findOldest, type Terms } from "../step/retain.ts";
import { readHolder } from "../step/settle.ts";
import { completeOne } from "../step/settlements.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/**
 * Reads what a queue with settings, or one that is listened to, makes of a completion; answers whether the end of any
 * job can let another one run.
 *
 * @cold
 */
function lookAround(s: Server, base: Bytes, terms: Terms): boolean {
  terms.heard = heardBy(s, base);
  askQueue(s, base, terms);
  return hasCeiling(s, base);
}

/**
 * Keys: active, row, base. Arguments: id, token, perhaps a result, keep_n, keep_ms and result_ms. Answers 1, or 0 when
 * the job is gone.
 */
export function complete(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkComplete(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const id = args[0];
  const base = keys[2];
  const terms = doneTerms(s, args, 3);
  const holder = readHolder(s, keys[1]);
  const isSet = s.call("EXISTS", `${base}meta`, `${base}listeners`) > 0;
  const isCapped = isSet && lookAround(s, base, terms);
  const frees = isCapped || holder[3] !== false;
  const open = !isSet || !frees || isOpen(s, base);
  const oldest = terms.doneCount > 0 ? findOldest(s, base, "completed", terms.doneCount, 1, 0) : false;
  const verdict = completeOne(s, base, id, args[1], holder, args.length > 2 ? args[2] : false, terms);
  if (verdict === "0") {
    if (s.call("ZREM", keys[0], id) === 1 && frees) pushIfClaimable(s, base, open);
    return 0;
  }
  if (verdict !== "") return s.error(verdict);
  if (oldest !== false) dropOldest(s, base, "completed", oldest);
  if (frees) pushIfClaimable(s, base, open);
  return 1;
}
