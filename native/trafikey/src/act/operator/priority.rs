// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `PRIORITY`: changes the priority of a job that waits or is scheduled.
//!
//! The row keeps the priority and the score of a waiting member repeats it. A job that was begun in an ordered lane
//! stands before every priority there and keeps that place.

use crate::runtime::*;
use crate::act::check::operator::priority::{check_priority};
use crate::act::step::lane::{lane_key};

/// Keys: row, pending, schedule, base. Arguments: id, priority. Answers 1, or -1 when the job is gone.
pub fn priority<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_priority(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let id: Text<'a> = args.get(0);
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"state")), Arg::Word(text!(b"group"))])?;
    let state: Option<Text<'a>> = fields.pick(0);
    let group: Option<Text<'a>> = fields.pick(1);
    if state.is_none() {
        return Ok(Value::from(-1));
    }
    let lane: Text<'a> = if group.is_none() { keys.get(1) } else { lane_key(s, keys.get(3), group.unwrap()) };
    let place: Text<'a> = if state == Some(text!(b"scheduled")) { keys.get(2) } else { lane };
    if state != Some(text!(b"scheduled")) && state != Some(text!(b"pending")) {
        return Ok(Value::Error(text!(b"EMQSTATE not waiting")));
    }
    let score: Option<Text<'a>> = s.zscore(&[Arg::Text(place), Arg::Text(id)])?;
    if score.is_none() {
        return Ok(Value::Error(text!(b"EMQSTATE not waiting")));
    }
    s.hdel(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"priority"))])?;
    if args.get(1) != text!(b"0") {
        s.hset(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"priority")), Arg::Text(args.get(1))])?;
    }
    if state == Some(text!(b"pending")) && score.unwrap().slice(0, 1) != text!(b"-") {
        s.zadd(&[Arg::Text(place), Arg::Int(s.num(args.get(1))?), Arg::Text(id)])?;
    }
    return Ok(Value::from(1));
}