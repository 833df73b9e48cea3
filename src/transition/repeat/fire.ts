/**
 * `FIRE`: makes a job of the occurrence that is due, and moves on to the next one, in one act.
 *
 * It acts only if the next occurrence is still the one that the caller names, so any number of callers fire it once,
 * and a crash can come before the act or after it but loses nothing and doubles nothing. The clock is the server's.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkFire } from "../check/repeat/fire.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { heardBy, UNHEARD } from "../step/event.ts";
import { admitOccurrence, ID_TAKEN, isOverlapping, LEFT_OUT, MADE_JOB, MADE_NONE } from "../step/occurrence.ts";
import {
  ENDED_AT,
  EVERY_FIELD,
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
import { isJobId, NO_JOB_ID } from "../step/row.ts";

/** The value of an optional number of the call, or `otherwise`. */
function numberAt(s: Server, args: Bytes[], at: number, otherwise: number): number {
  return args.length > at ? s.num(args[at]) : otherwise;
}

/** The occurrence after the one that is due: what the caller says, or the first of the period beyond now. */
function nextOccurrence(s: Server, fields: (Bytes | false)[], due: number, given: Bytes): number {
  if (given !== "") return Math.max(s.num(given), Math.min(due + 1, ENDED_AT));
  const every = numberOf(s, fields[EVERY_FIELD]);
  if (every === 0) return ENDED_AT;
  return Math.min(due + every * (Math.floor((s.now() - due) / every) + 1), ENDED_AT);
}

/** The slot that the job carries unless the caller says it: the last of the period that is due, or the one named. */
function slotCarried(s: Server, fields: (Bytes | false)[], due: number, next: number, given: Bytes): number {
  return given === "" && next < ENDED_AT ? next - numberOf(s, fields[EVERY_FIELD]) : due;
}

/**
 * Keys: set, record, row, base. Arguments: name, id, due_at, next_at or empty, perhaps rev, slot, delay_ms, skipped,
 * skip_slot and why. Answers 1, 2, 3, 0 or -1.
 */
export function fire(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkFire(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  if (!isJobId(args[1])) return s.error(NO_JOB_ID);
  const call = s.call;
  const name = args[0];
  const base = keys[3];
  const score = call("ZSCORE", keys[0], name);
  const fields = readRecord(s, keys[1]);
  if (fields[TEMPLATE_FIELD] === false) {
    call("ZREM", keys[0], name);
    return -1;
  }
  const due = s.num(args[2]);
  if (!isNextAt(s, score, args[2]) || due > s.now() || due === ENDED_AT) return 0;
  if (args.length > 4 && !isOfRevision(s, fields, args[4])) return 0;
  const after = nextOccurrence(s, fields, due, args[3]);
  const slot = numberAt(s, args, 5, slotCarried(s, fields, due, after, args[3]));
  const skipped = args.length > 9 ? s.num(args[7]) : 0;
  const heard = heardBy(s, base);
  if (skipped > 0 && heard > UNHEARD) tellSkipped(s, base, name, skipped, args[8], args[9]);
  let outcome: number | Bytes = LEFT_OUT;
  if (isOverlapping(s, base, fields)) {
    if (heard > UNHEARD) tellSkipped(s, base, name, 1, s.text(slot), "overlap");
  } else outcome = admitOccurrence(s, base, keys[1], fields, name, args[1], slot, numberAt(s, args, 6, 0));
  if (outcome === ID_TAKEN) return 0;
  if (outcome !== MADE_JOB && outcome !== LEFT_OUT && outcome !== MADE_NONE) return s.error(outcome as Bytes);
  const fired = numberOf(s, fields[FIRED_FIELD]) + (outcome === MADE_JOB ? 1 : 0);
  call("ZADD", keys[0], withinEnd(s, fields, after, fired), name);
  if (outcome === MADE_JOB) call("HSET", keys[1], "fired", fired, "last", args[1], "last_slot", slot);
  if (skipped > 0) noteSkipped(s, keys[1], fields[SKIPPED_FIELD], skipped, args[8], args[9]);
  if (outcome !== MADE_JOB) {
    const why = outcome === LEFT_OUT ? "overlap" : "dedup";
    const before = numberOf(s, fields[SKIPPED_FIELD]) + skipped;
    noteSkipped(s, keys[1], s.text(before), 1, s.text(slot), why);
  }
  return outcome;
}
