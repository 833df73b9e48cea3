/**
 * `FIRENOW`: makes a job of a repeat at once. Its next occurrence stays as it is.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkFirenow } from "../check/repeat/firenow.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { admitOccurrence, ID_TAKEN, isOverlapping, LEFT_OUT, MADE_JOB, MADE_NONE } from "../step/occurrence.ts";
import { readRecord, TEMPLATE_FIELD } from "../step/repeat-record.ts";
import { isJobId, NO_JOB_ID } from "../step/row.ts";

/** Keys: set, record, row, base. Arguments: name, id. Answers 1, 2, 3, 0 or -1. */
export function firenow(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkFirenow(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  if (!isJobId(args[1])) return s.error(NO_JOB_ID);
  const fields = readRecord(s, keys[1]);
  if (fields[TEMPLATE_FIELD] === false || s.call("ZSCORE", keys[0], args[0]) === false) return -1;
  if (isOverlapping(s, keys[3], fields)) return LEFT_OUT;
  const slot = s.now();
  const outcome = admitOccurrence(s, keys[3], keys[1], fields, args[0], args[1], slot, 0);
  if (outcome === MADE_JOB) s.call("HSET", keys[1], "last", args[1], "last_slot", slot);
  return outcome === ID_TAKEN || outcome === MADE_JOB || outcome === MADE_NONE ? outcome : s.error(outcome as Bytes);
}
