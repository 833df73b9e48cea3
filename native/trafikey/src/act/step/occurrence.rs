// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! An occurrence of a repeat: the job that it becomes, admitted by the rules of `ADMIT` from what the record holds.
//!
//! The job says in its options which repeat it is of and which slot: `{"repeat":…,"slot":…}` before what the caller
//! set. Whether it may be made at all while the job of the occurrence before lives, is the repeat's `overlap`.

use crate::runtime::*;
use crate::act::step::admission::{Admission};
use crate::act::step::admit_act::{admit_runs, start_admission};
use crate::act::step::bound::{NUMBER_MAX};
use crate::act::step::lane::{LANE_SETTINGS_MAX, SETTINGS_FULL, is_ordered, lane_key, set_limit};
use crate::act::step::repeat_record::{GROUP_FIELD, LAST_FIELD, OVERLAP_FIELD, TEMPLATE_FIELD};

/// Occurrences that wait in the lane of a repeat, at most.
pub const QUEUED_MAX: i64 = 100;

/// What became of an occurrence.
pub const ID_TAKEN: i64 = 0;

pub const MADE_JOB: i64 = 1;

pub const LEFT_OUT: i64 = 2;

pub const MADE_NONE: i64 = 3;

/// Whether the job of the last occurrence has not ended.
pub fn is_last_alive<'a>(s: &Server<'a>, base: Text<'a>, last: Option<Text<'a>>) -> Act<bool> {
    if last.is_none() || !s.branded(last.unwrap()) {
        return Ok(false);
    }
    let state: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"job:"), last.unwrap()])), Arg::Word(text!(b"state"))])?;
    return Ok(state == Some(text!(b"pending")) || state == Some(text!(b"active")) || state == Some(text!(b"scheduled")) || state == Some(text!(b"awaiting_children")));
}

/// Whether an occurrence has to be left out because of those before it.
pub fn is_overlapping<'a>(s: &Server<'a>, base: Text<'a>, fields: List<'a, Option<Text<'a>>>) -> Act<bool> {
    let overlap: Option<Text<'a>> = fields.pick(OVERLAP_FIELD);
    if overlap == Some(text!(b"skip")) {
        return Ok(is_last_alive(s, base, fields.pick(LAST_FIELD))?);
    }
    if overlap != Some(text!(b"queue")) || fields.pick(GROUP_FIELD).is_none() {
        return Ok(false);
    }
    return Ok(s.zcard(&[Arg::Text(lane_key(s, base, fields.pick(GROUP_FIELD).unwrap()))])? >= QUEUED_MAX);
}

/// The options of the job: its repeat and its slot, then what the caller set.
pub fn occurrence_opts<'a>(s: &Server<'a>, name: Text<'a>, slot: i64, opts: Option<Text<'a>>) -> Text<'a> {
    let own: Text<'a> = s.concat(&[text!(b"{\"repeat\":"), s.json(name), text!(b",\"slot\":"), s.text(slot)]);
    return if opts.is_none() || opts.unwrap().len() <= 2 { s.concat(&[own, text!(b"}")]) } else { s.concat(&[own, text!(b","), opts.unwrap().from(1)]) };
}

/// The run of one row that an occurrence is. `dueAt` is 0 for a job that may run at once.
pub fn occurrence_row<'a>(s: &Server<'a>, record: Text<'a>, name: Text<'a>, id: Text<'a>, template: Text<'a>, slot: i64, delay_ms: i64) -> Act<List<'a, Text<'a>>> {
    let has: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(record), Arg::Word(text!(b"name")), Arg::Word(text!(b"priority")), Arg::Word(text!(b"group")), Arg::Word(text!(b"opts")), Arg::Word(text!(b"due_in")), Arg::Word(text!(b"dedup")), Arg::Word(text!(b"mode")), Arg::Word(text!(b"dedup_ms")), Arg::Word(text!(b"max_wait_ms")), Arg::Word(text!(b"lane_limit")), Arg::Word(text!(b"expire_ms")), Arg::Word(text!(b"cost"))])?;
    let letters: Text<'a> = text!(b"npgoadmtwlxc");
    let due_in: Option<Text<'a>> = has.pick(4);
    let due_at: i64 = i64::min(slot + delay_ms + (if due_in.is_none() { 0 } else { s.num(due_in.unwrap())? }), NUMBER_MAX);
    has.set(3, Some(occurrence_opts(s, name, slot, has.pick(3))));
    has.set(4, if due_at > s.now() { Some(s.text(due_at)) } else { None });
    let row: List<'a, Text<'a>> = s.list(&[text!(b""), text!(b"1"), id, template]);
    let mut shape: Text<'a> = text!(b"");
    let stop: i64 = letters.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let value: Option<Text<'a>> = has.pick(i);
            if value.is_some() {
                shape = s.concat(&[shape, s.char(letters, i)]);
                row.push(value.unwrap());
            }
            i += 1;
        }
    }
    row.set(0, shape);
    return Ok(row);
}

/// Whether a lane that is to run its jobs one after another can be given the setting; to be read before any write.
pub fn order_refusal<'a>(s: &Server<'a>, base: Text<'a>, fields: List<'a, Option<Text<'a>>>) -> Act<Text<'a>> {
    let group: Option<Text<'a>> = fields.pick(GROUP_FIELD);
    if fields.pick(OVERLAP_FIELD) != Some(text!(b"queue")) || group.is_none() || is_ordered(s, base, Some(group.unwrap()))? {
        return Ok(text!(b""));
    }
    if s.scard(&[Arg::Text(s.concat(&[base, text!(b"gordered")]))])? >= LANE_SETTINGS_MAX {
        return Ok(SETTINGS_FULL);
    }
    let known: bool = s.hexists(&[Arg::Text(s.concat(&[base, text!(b"glimit")])), Arg::Text(group.unwrap())])? == 1;
    return Ok(if !known && s.hlen(&[Arg::Text(s.concat(&[base, text!(b"glimit")]))])? >= LANE_SETTINGS_MAX { SETTINGS_FULL } else { text!(b"") });
}

/// Gives the lane of a repeat whose occurrences wait for one another strict order.
pub fn put_in_order<'a>(s: &Server<'a>, base: Text<'a>, fields: List<'a, Option<Text<'a>>>) -> Act<()> {
    let group: Option<Text<'a>> = fields.pick(GROUP_FIELD);
    if fields.pick(OVERLAP_FIELD) != Some(text!(b"queue")) || group.is_none() || is_ordered(s, base, Some(group.unwrap()))? {
        return Ok(());
    }
    set_limit(s, base, group.unwrap(), 1)?;
    s.sadd(&[Arg::Text(s.concat(&[base, text!(b"gordered")])), Arg::Text(group.unwrap())])?;
    Ok(())
}

/// Admits the job of an occurrence; everything that may refuse it is judged before its first write. Answers what became
/// of it, or the refusal of the whole.
pub fn admit_occurrence<'a>(s: &Server<'a>, base: Text<'a>, record: Text<'a>, fields: List<'a, Option<Text<'a>>>, name: Text<'a>, id: Text<'a>, slot: i64, delay_ms: i64) -> Act<Value<'a>> {
    let full: Text<'a> = order_refusal(s, base, fields)?;
    if full != text!(b"") {
        return Ok(Value::from(full));
    }
    let template: Option<Text<'a>> = fields.pick(TEMPLATE_FIELD);
    let admission: &'a Admission<'a> = start_admission(s, base);
    let row: List<'a, Text<'a>> = occurrence_row(s, record, name, id, if template.is_none() { text!(b"") } else { template.unwrap() }, slot, delay_ms)?;
    let verdict: Text<'a> = admit_runs(s, admission, s.concat(&[base, text!(b"pending")]), row)?;
    if verdict != text!(b"") {
        return Ok(Value::from(verdict));
    }
    if admission.exceptions.len() > 0 {
        let outcome: Value<'a> = (admission.exceptions.get(1).members()).get(0);
        return Ok(Value::from(if outcome == Value::from(0) { ID_TAKEN } else { MADE_NONE }));
    }
    put_in_order(s, base, fields)?;
    return Ok(Value::from(MADE_JOB));
}