/**
 * `UNREPEAT`: takes a repeat away. Jobs that it has made stay.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkUnrepeat } from "../check/repeat/unrepeat.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { laneKey, readLanes, setLimit } from "../step/lane.ts";
import { GROUP_FIELD, OVERLAP_FIELD, readRecord } from "../step/repeat-record.ts";

/** Takes the limit and the order of the lane of a repeat away if nothing is in it. */
function freeLane(s: Server, base: Bytes, fields: (Bytes | false)[]): void {
  const call = s.call;
  const group = fields[GROUP_FIELD];
  if (fields[OVERLAP_FIELD] !== "queue" || group === false) return;
  if (call("ZCARD", laneKey(base, group)) > 0 || call("HEXISTS", `${base}gactive`, group) === 1) return;
  setLimit(s, base, group, 0);
  call("SREM", `${base}gordered`, group);
}

/** Keys: set, record, base. Argument: name. Answers 1, or 0 when it had no place in the set. */
export function unrepeat(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkUnrepeat(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const base = keys[2];
  const fields = readRecord(s, keys[1]);
  call("ZCARD", keys[0]);
  if (fields[OVERLAP_FIELD] === "queue" && fields[GROUP_FIELD] !== false) {
    readLanes(s, base, [fields[GROUP_FIELD]], 1);
    call("SCARD", `${base}gordered`);
  }
  freeLane(s, base, fields);
  const removed = call("ZREM", keys[0], args[0]);
  call("DEL", keys[1]);
  return removed;
}
