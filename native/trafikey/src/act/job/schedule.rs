// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `SCHEDULE`: admits one job that falls due later.
//!
//! An instant is taken as it is, also when it has passed; a delay counts from the server's now. Wakes nobody, as it
//! declares no base to derive the wake list from.

use crate::runtime::*;
use crate::act::check::job::schedule::{check_schedule};
use crate::act::step::bound::{due_in};
use crate::act::step::row::{NO_JOB_ID, is_job_id};

/// Keys: row, schedule. Arguments: id, payload, at or in, ms. Answers 1, or 0 for a duplicate.
pub fn schedule<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_schedule(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let id: Text<'a> = args.get(0);
    if !is_job_id(id) {
        return Ok(Value::Error(NO_JOB_ID));
    }
    if s.exists(&[Arg::Text(keys.get(0))])? == 1 {
        return Ok(Value::from(0));
    }
    let ms: i64 = s.num(args.get(3))?;
    s.zadd(&[Arg::Text(keys.get(1)), Arg::Int(if args.get(2) == text!(b"in") { due_in(s, ms) } else { ms }), Arg::Text(id)])?;
    s.hset(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"state")), Arg::Word(text!(b"scheduled")), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"0")), Arg::Word(text!(b"payload")), Arg::Text(args.get(1))])?;
    return Ok(Value::from(1));
}