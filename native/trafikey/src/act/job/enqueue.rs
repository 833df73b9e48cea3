// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `ENQUEUE`: admits one job into the flat queue.
//!
//! The row is born with exactly `state`, `attempts` and `payload`, in this order. The member goes in first: it is the
//! write that can meet a foreign type, and the row is known to be absent by then. Wakes nobody.

use crate::runtime::*;
use crate::act::check::job::enqueue::{check_enqueue};
use crate::act::step::row::{NO_JOB_ID, is_job_id};

/// Keys: row, pending. Arguments: id, payload. Answers 1, or 0 for a duplicate.
pub fn enqueue<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_enqueue(s, keys, args);
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
    s.zadd(&[Arg::Text(keys.get(1)), Arg::Int(0), Arg::Text(id)])?;
    s.hset(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"state")), Arg::Word(text!(b"pending")), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"0")), Arg::Word(text!(b"payload")), Arg::Text(args.get(1))])?;
    return Ok(Value::from(1));
}