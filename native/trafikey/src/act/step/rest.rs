// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! The end of a rest: lanes whose rate has something left come back onto the ring.
//!
//! A lane that rests is off the ring whatever happens to its jobs; it comes back by the first act that claims after its
//! time, if it has work then. At most 100 come back by one act, the earliest first.

use crate::runtime::*;
use crate::act::step::lane::{is_servable, lane_key, read_lanes};
use crate::act::step::wake::{push};

/// Lanes that come back by one act, at most.
pub const RETURNS_MAX: i64 = 100;

/// Entries of the ring that are looked at for a lane which a speaker without a base has put there, at most.
pub const RING_LOOKS: Text<'static> = text!(b"1000");

/// Puts a servable lane onto the ring that may have been put there already.
pub fn offer_lane<'a>(s: &Server<'a>, base: Text<'a>, lane: Text<'a>) -> Act<()> {
    let places: List<'a, i64> = s.lpos(&[Arg::Text(s.concat(&[base, text!(b"ring")])), Arg::Text(lane), Arg::Word(text!(b"COUNT")), Arg::Int(1), Arg::Word(text!(b"MAXLEN")), Arg::Text(RING_LOOKS)])?;
    if places.len() == 0 {
        s.rpush(&[Arg::Text(s.concat(&[base, text!(b"ring")])), Arg::Text(lane)])?;
    }
    Ok(())
}

/// Ends every rest whose time has come; answers how many.
#[cold]
pub fn end_rests<'a>(s: &Server<'a>, base: Text<'a>) -> Act<i64> {
    let rest: Text<'a> = s.concat(&[base, text!(b"rest")]);
    let due: List<'a, Text<'a>> = s.zrangebyscore(&[Arg::Text(rest), Arg::Word(text!(b"-inf")), Arg::Int(s.now()), Arg::Word(text!(b"LIMIT")), Arg::Int(0), Arg::Int(RETURNS_MAX)])?;
    let stop: i64 = due.len();
    if stop == 0 {
        return Ok(0);
    }
    read_lanes(s, base, due, 1)?;
    s.zrem(s.spread(&[Arg::Text(rest)], due))?;
    for lane in due.iter() {
        if lane != text!(b"") && s.zcard(&[Arg::Text(lane_key(s, base, lane))])? > 0 && is_servable(s, base, lane)? {
            offer_lane(s, base, lane)?;
        }
    }
    return Ok(stop);
}

/// Milliseconds until the first rest ends, -1 when nothing rests; pushes if this act sent that one to rest.
#[cold]
pub fn rest_after<'a>(s: &Server<'a>, base: Text<'a>, rested: List<'a, Text<'a>>) -> Act<i64> {
    let head: List<'a, Text<'a>> = s.zrange(&[Arg::Text(s.concat(&[base, text!(b"rest")])), Arg::Int(0), Arg::Int(0), Arg::Word(text!(b"WITHSCORES"))])?;
    if head.len() == 0 {
        return Ok(-1);
    }
    for subject in rested.iter() {
        if subject == head.get(0) {
            push(s, s.concat(&[base, text!(b"wake")]))?;
        }
    }
    return Ok(i64::max(0, s.num(head.get(1))? - s.now()));
}