/**
 * `FFAIL`: delivers a failure to a parent of this queue. Delivered again it says nothing new.
 *
 * A parent that it ends signals its own parents in the same act, so an end is neither lost nor told twice.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkFfail } from "../check/flow/ffail.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { IGNORE, nothingTold } from "../step/kin.ts";
import { childFailed, REMOVED_ERROR, readParent } from "../step/parent.ts";
import { isOpen } from "../step/wake.ts";

/**
 * Keys: dependencies, failed, unsuccessful, row, base. Arguments: child_id, error, policy, parent_id. Answers 1, 2 when
 * the outbox of this queue has been filled by it, or 0 for nothing new.
 */
export function ffail(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkFfail(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const base = keys[4];
  const error = args[1];
  const policy = args[2];
  const parent = args[3];
  const open = isOpen(s, base);
  const isRemoved = policy === IGNORE && error === REMOVED_ERROR;
  readParent(s, base, parent, args[0], isRemoved ? "removed" : "failed", policy, error, nothingTold());
  return childFailed(s, base, parent, args[0], error, policy, isRemoved, open);
}
