// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `FIRE`: makes a job of the occurrence that is due, and moves on to the next one, in one act.
//!
//! It acts only if the next occurrence is still the one that the caller names, so any number of callers fire it once,
//! and a crash can come before the act or after it but loses nothing and doubles nothing. The clock is the server's.

use crate::runtime::*;
use crate::act::check::repeat::fire::{check_fire};
use crate::act::step::event::{UNHEARD, heard_by};
use crate::act::step::occurrence::{ID_TAKEN, LEFT_OUT, MADE_JOB, MADE_NONE, admit_occurrence, is_overlapping};
use crate::act::step::repeat_record::{ENDED_AT, EVERY_FIELD, FIRED_FIELD, SKIPPED_FIELD, TEMPLATE_FIELD, is_next_at, is_of_revision, note_skipped, number_of, read_record, tell_skipped, within_end};
use crate::act::step::row::{NO_JOB_ID, is_job_id};

/// The value of an optional number of the call, or `otherwise`.
pub fn number_at<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, at: i64, otherwise: i64) -> Act<i64> {
    return Ok(if args.len() > at { s.num(args.get(at))? } else { otherwise });
}

/// The occurrence after the one that is due: what the caller says, or the first of the period beyond now.
pub fn next_occurrence<'a>(s: &Server<'a>, fields: List<'a, Option<Text<'a>>>, due: i64, given: Text<'a>) -> Act<i64> {
    if given != text!(b"") {
        return Ok(i64::max(s.num(given)?, i64::min(due + 1, ENDED_AT)));
    }
    let every: i64 = number_of(s, fields.pick(EVERY_FIELD))?;
    if every == 0 {
        return Ok(ENDED_AT);
    }
    return Ok(i64::min(due + every * (floor_div((s.now() - due), every) + 1), ENDED_AT));
}

/// The slot that the job carries unless the caller says it: the last of the period that is due, or the one named.
pub fn slot_carried<'a>(s: &Server<'a>, fields: List<'a, Option<Text<'a>>>, due: i64, next: i64, given: Text<'a>) -> Act<i64> {
    return Ok(if given == text!(b"") && next < ENDED_AT { next - number_of(s, fields.pick(EVERY_FIELD))? } else { due });
}

/// Keys: set, record, row, base. Arguments: name, id, due_at, next_at or empty, perhaps rev, slot, delay_ms, skipped,
/// skip_slot and why. Answers 1, 2, 3, 0 or -1.
pub fn fire<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_fire(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    if !is_job_id(args.get(1)) {
        return Ok(Value::Error(NO_JOB_ID));
    }
    let name: Text<'a> = args.get(0);
    let base: Text<'a> = keys.get(3);
    let score: Option<Text<'a>> = s.zscore(&[Arg::Text(keys.get(0)), Arg::Text(name)])?;
    let fields: List<'a, Option<Text<'a>>> = read_record(s, keys.get(1))?;
    if fields.pick(TEMPLATE_FIELD).is_none() {
        s.zrem(&[Arg::Text(keys.get(0)), Arg::Text(name)])?;
        return Ok(Value::from(-1));
    }
    let due: i64 = s.num(args.get(2))?;
    if !(is_next_at(s, score, args.get(2))?) || due > s.now() || due == ENDED_AT {
        return Ok(Value::from(0));
    }
    if args.len() > 4 && !(is_of_revision(s, fields, args.get(4))?) {
        return Ok(Value::from(0));
    }
    let after: i64 = next_occurrence(s, fields, due, args.get(3))?;
    let slot: i64 = number_at(s, args, 5, slot_carried(s, fields, due, after, args.get(3))?)?;
    let skipped: i64 = if args.len() > 9 { s.num(args.get(7))? } else { 0 };
    let heard: i64 = heard_by(s, base)?;
    if skipped > 0 && heard > UNHEARD {
        tell_skipped(s, base, name, skipped, args.get(8), args.get(9))?;
    }
    let mut outcome: Value<'a> = Value::from(LEFT_OUT);
    if is_overlapping(s, base, fields)? {
        if heard > UNHEARD {
            tell_skipped(s, base, name, 1, s.text(slot), text!(b"overlap"))?;
        }
    } else {
        outcome = admit_occurrence(s, base, keys.get(1), fields, name, args.get(1), slot, number_at(s, args, 6, 0)?)?;
    }
    if outcome == Value::from(ID_TAKEN) {
        return Ok(Value::from(0));
    }
    if outcome != Value::from(MADE_JOB) && outcome != Value::from(LEFT_OUT) && outcome != Value::from(MADE_NONE) {
        return Ok(Value::Error(outcome.text()));
    }
    let fired: i64 = number_of(s, fields.pick(FIRED_FIELD))? + (if outcome == Value::from(MADE_JOB) { 1 } else { 0 });
    s.zadd(&[Arg::Text(keys.get(0)), Arg::Int(within_end(s, fields, after, fired)?), Arg::Text(name)])?;
    if outcome == Value::from(MADE_JOB) {
        s.hset(&[Arg::Text(keys.get(1)), Arg::Word(text!(b"fired")), Arg::Int(fired), Arg::Word(text!(b"last")), Arg::Text(args.get(1)), Arg::Word(text!(b"last_slot")), Arg::Int(slot)])?;
    }
    if skipped > 0 {
        note_skipped(s, keys.get(1), fields.pick(SKIPPED_FIELD), skipped, args.get(8), args.get(9))?;
    }
    if outcome != Value::from(MADE_JOB) {
        let why: Text<'a> = if outcome == Value::from(LEFT_OUT) { text!(b"overlap") } else { text!(b"dedup") };
        let before: i64 = number_of(s, fields.pick(SKIPPED_FIELD))? + skipped;
        note_skipped(s, keys.get(1), Some(s.text(before)), 1, s.text(slot), why)?;
    }
    return Ok(outcome);
}