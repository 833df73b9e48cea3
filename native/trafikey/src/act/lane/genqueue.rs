// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `GENQUEUE`: admits one job into a lane.
//!
//! The member goes in first: it is the write that can meet a foreign type, and the row is known to be absent by then. No
//! base is declared, so neither the queue's pause nor what waits elsewhere is known; a lane that comes onto the ring
//! pushes a token as wire 3 does. That a lane rests is not known either: it comes onto the ring and the next claim takes
//! it off.

use crate::runtime::*;
use crate::act::check::lane::genqueue::{check_genqueue};
use crate::act::step::lane::{is_under_limit};
use crate::act::step::row::{NO_JOB_ID, is_job_id};
use crate::act::step::wake::{push_of_lane};

/// Keys: row, lane, ring, paused, glimit, gactive, wake. Arguments: id, payload, group. Answers 1, or 0 for a duplicate.
pub fn genqueue<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_genqueue(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let id: Text<'a> = args.get(0);
    let group: Text<'a> = args.get(2);
    if !is_job_id(id) {
        return Ok(Value::Error(NO_JOB_ID));
    }
    if s.exists(&[Arg::Text(keys.get(0))])? == 1 {
        return Ok(Value::from(0));
    }
    let base: Text<'a> = keys.get(2).slice(0, -4);
    let first: bool = s.zcard(&[Arg::Text(keys.get(1))])? == 0;
    s.llen(&[Arg::Text(keys.get(2))])?;
    s.llen(&[Arg::Text(keys.get(6))])?;
    let servable: bool = is_under_limit(s, base, group)?;
    s.zadd(&[Arg::Text(keys.get(1)), Arg::Int(0), Arg::Text(id)])?;
    s.hset(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"state")), Arg::Word(text!(b"pending")), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"0")), Arg::Word(text!(b"payload")), Arg::Text(args.get(1)), Arg::Word(text!(b"group")), Arg::Text(group)])?;
    if first && servable {
        s.rpush(&[Arg::Text(keys.get(2)), Arg::Text(group)])?;
        push_of_lane(s, keys.get(6))?;
    }
    return Ok(Value::from(1));
}