// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `RESCHEDULE`: gives a scheduled job another due time.
//!
//! The member is taken out and put back: taking out is a write that a full server admits, so a job can be put off there.
//! The end of its time to live moves along. One that comes to the head of the schedule wakes whoever keeps time.

use crate::runtime::*;
use crate::act::check::operator::reschedule::{check_reschedule};
use crate::act::step::bound::{due_in};
use crate::act::step::ttl::{move_time};
use crate::act::step::wake::{push_if_head};

/// Keys: row, schedule, base. Arguments: id, mode, ms. Answers 1, or -1 when the job is gone.
pub fn reschedule<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_reschedule(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"state")), Arg::Word(text!(b"expires"))])?;
    if fields.pick(0).is_none() {
        return Ok(Value::from(-1));
    }
    let before: Option<Text<'a>> = s.zscore(&[Arg::Text(keys.get(1)), Arg::Text(args.get(0))])?;
    if fields.pick(0) != Some(text!(b"scheduled")) || before.is_none() {
        return Ok(Value::Error(text!(b"EMQSTATE not scheduled")));
    }
    let ms: i64 = s.num(args.get(2))?;
    let due: i64 = if args.get(1) == text!(b"in") { due_in(s, ms) } else { ms };
    if fields.pick(1).is_some() {
        s.zcard(&[Arg::Text(s.concat(&[keys.get(2), text!(b"ttl")]))])?;
    }
    s.zrem(&[Arg::Text(keys.get(1)), Arg::Text(args.get(0))])?;
    s.zadd(&[Arg::Text(keys.get(1)), Arg::Int(due), Arg::Text(args.get(0))])?;
    if fields.pick(1).is_some() {
        move_time(s, keys.get(2), args.get(0), fields.pick(1).unwrap(), due - s.num(before.unwrap())?)?;
    }
    push_if_head(s, keys.get(2), args.get(0))?;
    return Ok(Value::from(1));
}