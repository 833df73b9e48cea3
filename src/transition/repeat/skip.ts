/**
 * `SKIP`: leaves out the next occurrence of a repeat and moves on, due or not.
 *
 * The member is taken out and put back: taking out is a write that a full server admits.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkSkip } from "../check/repeat/skip.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { heardBy, UNHEARD } from "../step/event.ts";
import {
  FIRED_FIELD,
  isNextAt,
  isOfRevision,
  noteSkipped,
  numberOf,
  readRecord,
  SKIPPED_FIELD,
  TEMPLATE_FIELD,
  tellSkipped,
  withinEnd,
} from "../step/repeat-record.ts";

/** Keys: set, record, base. Arguments: name, due_at, rev, next_at, skipped, skip_slot, why. Answers 1, 0 or -1. */
export function skip(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkSkip(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const name = args[0];
  const score = call("ZSCORE", keys[0], name);
  const fields = readRecord(s, keys[1]);
  if (fields[TEMPLATE_FIELD] === false) {
    call("ZREM", keys[0], name);
    return -1;
  }
  if (!isNextAt(s, score, args[1]) || !isOfRevision(s, fields, args[2])) return 0;
  const next = withinEnd(s, fields, s.num(args[3]), numberOf(s, fields[FIRED_FIELD]));
  const count = s.num(args[4]);
  if (count > 0 && heardBy(s, keys[2]) > UNHEARD) tellSkipped(s, keys[2], name, count, args[5], args[6]);
  call("ZREM", keys[0], name);
  call("ZADD", keys[0], next, name);
  if (count > 0) noteSkipped(s, keys[1], fields[SKIPPED_FIELD], count, args[5], args[6]);
  return 1;
}
