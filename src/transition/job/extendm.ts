/**
 * `EXTENDM`: renews many leases with one common deadline.
 *
 * All are judged before the first is written, so a pair that stands twice is judged and told of twice.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkExtendm } from "../check/job/extendm.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { removeMembers } from "../step/bulk.ts";
import { writeLeases } from "../step/claim.ts";
import { isCurrent } from "../step/settle.ts";

/** Keys: active, base. Arguments: lease_ms, then pairs of id and token. Answers ids not renewed, ids to cancel. */
export function extendm(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkExtendm(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const failed: Bytes[] = [];
  const cancelled: Bytes[] = [];
  const renewed: Bytes[] = [];
  const stop = args.length;
  for (let i = 1; i < stop; i += 2) {
    const id = args[i];
    const fields = call("HMGET", `${keys[1]}job:${id}`, "attempts", "cancel");
    if (!isCurrent(fields[0], args[i + 1]) || call("ZSCORE", keys[0], id) === false) {
      failed[failed.length] = id;
    } else {
      renewed[renewed.length] = id;
      if (fields[1] !== false) cancelled[cancelled.length] = id;
    }
  }
  removeMembers(s, keys[0], renewed);
  writeLeases(s, keys[0], renewed, s.num(args[0]));
  return [failed, cancelled];
}
