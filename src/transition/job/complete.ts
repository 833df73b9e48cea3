/**
 * `COMPLETE`: ends a job as done; its row and side keys go.
 *
 * A missing row answers 0 and takes a stray member of `active` with it, which no sweep could turn into a row.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkComplete } from "../check/job/complete.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { readLanes, releaseLane } from "../step/lane.ts";
import { deleteRow, heldDedup } from "../step/row.ts";
import { judge } from "../step/settle.ts";
import { stopWaiting } from "../step/waiting.ts";
import { isOpen, pushIfClaimable } from "../step/wake.ts";

/** Keys: active, row, base. Arguments: id, token and perhaps a result. Answers 1, or 0 when the job is gone. */
export function complete(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkComplete(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const id = args[0];
  const base = keys[2];
  const holder = call("HMGET", keys[1], "attempts", "state", "owner", "group", "dedup");
  const verdict = judge(holder, args[1], "0", "EMQSTALE complete token mismatch");
  if (verdict === "0") {
    call("ZREM", keys[0], id);
    return 0;
  }
  if (verdict !== "") return s.error(verdict);
  const group = holder[3];
  const open = group === false || isOpen(s, base);
  if (group !== false) readLanes(s, base, [group], 1);
  call("HGET", `${base}metrics:completed`, "count");
  const held = heldDedup(s, base, holder[4], id);
  if (holder[1] === "active") call("ZREM", keys[0], id);
  else stopWaiting(s, base, id, group);
  deleteRow(s, keys[1]);
  if (held !== "") call("DEL", held);
  call("HINCRBY", `${base}metrics:completed`, "count", 1);
  if (group !== false) {
    if (holder[1] === "active") releaseLane(s, base, group);
    pushIfClaimable(s, base, open);
  }
  return 1;
}
