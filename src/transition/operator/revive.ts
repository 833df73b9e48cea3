/**
 * `REVIVE`: gives dead jobs a fresh budget and lets them wait again, many in one act.
 *
 * Each id is judged alone, so one that is no longer dead stops none. A member of `dead` whose row is gone, or is not
 * dead, is dropped: nothing else would ever take it away.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkRevive } from "../check/operator/revive.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { reviveDead } from "../step/revive.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Keys: dead, pending, base. Arguments: ids. Answers how many wait again. */
export function revive(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkRevive(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const base = keys[2];
  const open = isOpen(s, base);
  let revived = 0;
  for (const id of args) {
    if (call("ZSCORE", keys[0], id) !== false) {
      const fields = call(
        "HMGET",
        `${base}job:${id}`,
        "attempts",
        "group",
        "priority",
        "state",
        "parent",
        "failed_child",
      );
      if (fields[0] !== false && fields[3] === "dead") {
        reviveDead(s, base, id, fields);
        revived += 1;
      } else {
        call("ZREM", keys[0], id);
      }
    }
  }
  if (revived > 0) pushIfClaimable(s, base, open);
  return revived;
}
