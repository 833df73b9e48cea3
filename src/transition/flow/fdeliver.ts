/**
 * `FDELIVER`: delivers a completion to a parent of this queue. Delivered again it says nothing new.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkFdeliver } from "../check/flow/fdeliver.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { nothingTold } from "../step/kin.ts";
import { childDone, readParent } from "../step/parent.ts";
import { isOpen } from "../step/wake.ts";

/**
 * Keys: dependencies, processed, row, base. Arguments: child_id, result, parent_id. Answers 1, or 0 for nothing new.
 */
export function fdeliver(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkFdeliver(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const base = keys[3];
  const open = isOpen(s, base);
  readParent(s, base, args[2], args[0], "done", "fp", "", nothingTold());
  return childDone(s, base, args[2], args[0], args[1], open);
}
