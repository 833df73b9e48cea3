/**
 * `REPAIR`: puts one thing right that no act of the wire leaves wrong, if it still is wrong.
 *
 * Each subject is judged anew in this act from what lies there now, so a repair that comes late does nothing.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkRepair } from "../check/operator/repair.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { LEFT, MENDED, mendJob, RIGHT } from "../step/mend-job.ts";
import {
  mendCounter,
  mendCursor,
  mendDedup,
  mendLimiter,
  mendRepeat,
  mendSetting,
  mendTokens,
  mendWake,
  mendWorkers,
} from "../step/mend-key.ts";
import { mendLane } from "../step/mend-lane.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Arguments before the ids or fields. */
const FIXED = 4;

/** Ids or fields of one act, at most. */
const MORE_MAX = 1000;

/** Unlinks a key that has no place in the queue, or not with this type. */
function dropKey(s: Server, keys: Bytes[], type: Bytes, mayDestroy: boolean): number {
  if (keys.length !== 3 || s.holds(keys[2]) !== type) return RIGHT;
  if (!mayDestroy) return LEFT;
  return s.call("DEL", keys[2]) === 1 ? MENDED : RIGHT;
}

/** Puts the subject right; answers 0, 1 or 2. */
function mend(s: Server, base: Bytes, args: Bytes[], more: Bytes[], open: boolean): number {
  const subject = args[0];
  const name = args[1];
  const mayDestroy = args[3] === "destroy";
  if (subject === "job") return mendJob(s, base, name, args[2], mayDestroy, more);
  if (subject === "lane") return mendLane(s, base, name, more);
  if (subject === "wake") return mendWake(s, base, open);
  if (subject === "dedup") return mendDedup(s, base, name);
  if (subject === "cursor") return mendCursor(s, base);
  if (subject === "counter") return mendCounter(s, base, name, mayDestroy);
  if (subject === "limiter") return mendLimiter(s, base);
  if (subject === "tokens") return mendTokens(s, base);
  if (subject === "workers") return mendWorkers(s, base);
  if (subject === "repeat") return mendRepeat(s, base, args[2], name);
  return mendSetting(s, base, name, mayDestroy);
}

/**
 * Keys: pending, base, perhaps one to unlink. Arguments: subject, name, lane or empty, mode, ids or fields. Answers 0,
 * 1 or 2.
 */
export function repair(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkRepair(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const stop = args.length;
  if (stop > MORE_MAX + FIXED) return s.error("ERR EMQ.REPAIR bad argument more");
  const more: Bytes[] = [];
  for (let i = FIXED; i < stop; i += 1) more[more.length] = args[i];
  const base = keys[1];
  // A foreign key is dropped first of all, and it may be the very one in which a pause would stand.
  if (args[0] === "key") return dropKey(s, keys, args[1], args[3] === "destroy");
  const open = isOpen(s, base);
  const outcome = mend(s, base, args, more, open);
  if (outcome === MENDED) pushIfClaimable(s, base, open);
  return outcome;
}
