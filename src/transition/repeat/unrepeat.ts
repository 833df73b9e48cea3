/**
 * `UNREPEAT`: takes a repeat away. Jobs that it has made stay.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkUnrepeat } from "../check/repeat/unrepeat.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { freeLane, mayFreeLane } from "../step/repeat-lane.ts";
import { GROUP_FIELD, OVERLAP_FIELD, readRecord } from "../step/repeat-record.ts";

/** Keys: set, record, base. Argument: name. Answers 1, or 0 when it had no place in the set. */
export function unrepeat(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkUnrepeat(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const base = keys[2];
  const fields = readRecord(s, keys[1]);
  call("ZCARD", keys[0]);
  const group = fields[GROUP_FIELD];
  if (mayFreeLane(s, base, fields[OVERLAP_FIELD], group) && group !== false) freeLane(s, base, group);
  const removed = call("ZREM", keys[0], args[0]);
  call("DEL", keys[1]);
  return removed;
}
