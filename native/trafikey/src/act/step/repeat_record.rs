// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! The record of a repeat, `repeat:<name>` or `cron:<name>`, and its place among the repeats of its queue.
//!
//! Every repeat has one member in the set, and every member a record; the score is its next occurrence in server
//! milliseconds. One that has ended keeps both, with a score that never comes.

use crate::runtime::*;
use crate::act::step::event::{tell};

/// The score of a repeat that has ended: an instant that never comes.
pub const ENDED_AT: i64 = 9007199254740991;

/// Fields in the order in which `readRecord` reads them.
pub const EVERY_FIELD: i64 = 0;

pub const TEMPLATE_FIELD: i64 = 1;

pub const REV_FIELD: i64 = 2;

pub const LIMIT_FIELD: i64 = 3;

pub const UNTIL_FIELD: i64 = 4;

pub const OVERLAP_FIELD: i64 = 5;

pub const FIRED_FIELD: i64 = 6;

pub const LAST_FIELD: i64 = 7;

pub const GROUP_FIELD: i64 = 8;

pub const SKIPPED_FIELD: i64 = 9;

/// The fields of a record that acts decide by. Without a template there is no record.
pub fn read_record<'a>(s: &Server<'a>, record: Text<'a>) -> Act<List<'a, Option<Text<'a>>>> {
    return Ok(s.hmget(&[Arg::Text(record), Arg::Word(text!(b"every_ms")), Arg::Word(text!(b"template")), Arg::Word(text!(b"rev")), Arg::Word(text!(b"limit")), Arg::Word(text!(b"until")), Arg::Word(text!(b"overlap")), Arg::Word(text!(b"fired")), Arg::Word(text!(b"last")), Arg::Word(text!(b"group")), Arg::Word(text!(b"skipped"))])?);
}

/// A number of a record, 0 where it is absent or none.
pub fn number_of<'a>(s: &Server<'a>, field: Option<Text<'a>>) -> Act<i64> {
    return Ok(if field.is_some() && s.int(field.unwrap(), 0, ENDED_AT) { s.num(field.unwrap())? } else { 0 });
}

/// Whether the score of a repeat is the instant that a caller names. A score that is no whole number is none.
pub fn is_next_at<'a>(s: &Server<'a>, score: Option<Text<'a>>, at: Text<'a>) -> Act<bool> {
    return Ok(score.is_some() && s.int(score.unwrap(), 0, ENDED_AT) && s.num(score.unwrap())? == s.num(at)?);
}

/// Whether the record is of the revision from which a caller has worked out its call; 0 stands for any.
pub fn is_of_revision<'a>(s: &Server<'a>, fields: List<'a, Option<Text<'a>>>, rev: Text<'a>) -> Act<bool> {
    return Ok(rev == text!(b"0") || number_of(s, fields.pick(REV_FIELD))? == s.num(rev)?);
}

/// The next occurrence as it is stored: one beyond the end of the repeat, after `fired` occurrences, never comes.
pub fn within_end<'a>(s: &Server<'a>, fields: List<'a, Option<Text<'a>>>, at: i64, fired: i64) -> Act<i64> {
    let limit: Option<Text<'a>> = fields.pick(LIMIT_FIELD);
    let until: Option<Text<'a>> = fields.pick(UNTIL_FIELD);
    if limit.is_some() && fired >= number_of(s, Some(limit.unwrap()))? {
        return Ok(ENDED_AT);
    }
    if until.is_some() && at > number_of(s, Some(until.unwrap()))? {
        return Ok(ENDED_AT);
    }
    return Ok(at);
}

/// Tells those who listen that slots of a repeat are left out. To be called before the first write.
pub fn tell_skipped<'a>(s: &Server<'a>, base: Text<'a>, name: Text<'a>, count: i64, slot: Text<'a>, why: Text<'a>) -> Act<()> {
    tell(s, base, text!(b"skipped"), text!(b""), s.list(&[text!(b"repeat"), name, text!(b"slot"), slot, text!(b"count"), s.text(count), text!(b"why"), why]))?;
    Ok(())
}

/// Notes in the record that slots were left out.
pub fn note_skipped<'a>(s: &Server<'a>, record: Text<'a>, before: Option<Text<'a>>, count: i64, slot: Text<'a>, why: Text<'a>) -> Act<()> {
    let skipped: i64 = i64::min(number_of(s, before)? + count, ENDED_AT);
    s.hset(&[Arg::Text(record), Arg::Word(text!(b"skipped")), Arg::Int(skipped), Arg::Word(text!(b"skip_slot")), Arg::Text(slot), Arg::Word(text!(b"skip_why")), Arg::Text(why)])?;
    Ok(())
}

/// The first occurrence of a set, `ENDED_AT` for none. A score that is no whole number is due.
pub fn first_of<'a>(s: &Server<'a>, set: Text<'a>) -> Act<i64> {
    let head: List<'a, Text<'a>> = s.zrange(&[Arg::Text(set), Arg::Int(0), Arg::Int(0)])?;
    if head.len() == 0 {
        return Ok(ENDED_AT);
    }
    let score: Option<Text<'a>> = s.zscore(&[Arg::Text(set), Arg::Text(head.get(0))])?;
    return Ok(if score.is_some() && s.int(score.unwrap(), 0, ENDED_AT) { s.num(score.unwrap())? } else { 0 });
}

/// How long it is until the next occurrence of any repeat of a queue, in ms: 0 for one that is due, -1 for none.
#[cold]
pub fn repeat_in<'a>(s: &Server<'a>, base: Text<'a>) -> Act<i64> {
    let first: i64 = i64::min(first_of(s, s.concat(&[base, text!(b"repeat")]))?, first_of(s, s.concat(&[base, text!(b"cron")]))?);
    return Ok(if first == ENDED_AT { -1 } else { i64::max(0, first - s.now()) });
}