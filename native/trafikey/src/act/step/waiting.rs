// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Where a job waits: the flat queue, or the lane that its row names. Its priority is the score in both.

use crate::runtime::*;
use crate::act::step::lane::{BEGUN_SCORE, enter_lane, leave_lane, read_lanes};
use crate::act::step::row::{score_of};

/// Reads the place where a job waits, before the first write: a foreign type ends the act there.
pub fn read_place<'a>(s: &Server<'a>, base: Text<'a>, group: Option<Text<'a>>) -> Act<()> {
    if group.is_none() {
        s.zcard(&[Arg::Text(s.concat(&[base, text!(b"pending")]))])?;
    } else {
        read_lanes(s, base, s.list(&[group.unwrap()]), 1)?;
    }
    Ok(())
}

/// Lets a job wait at its place. The caller sets the row's state.
pub fn let_wait<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, group: Option<Text<'a>>, priority: Option<Text<'a>>) -> Act<()> {
    let score: i64 = score_of(s, priority)?;
    if group.is_none() {
        s.zadd(&[Arg::Text(s.concat(&[base, text!(b"pending")])), Arg::Int(score), Arg::Text(id)])?;
    } else {
        enter_lane(s, base, group.unwrap(), id, score)?;
    }
    Ok(())
}

/// Lets a job that was begun wait before all others of its ordered lane.
pub fn let_wait_first<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, group: Text<'a>) -> Act<()> {
    s.hset(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"held")), Arg::Word(text!(b"1"))])?;
    enter_lane(s, base, group, id, BEGUN_SCORE)?;
    Ok(())
}

/// Takes a job from where it waits; 1 if it waited there.
pub fn stop_waiting<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, group: Option<Text<'a>>) -> Act<i64> {
    if group.is_none() {
        return Ok(s.zrem(&[Arg::Text(s.concat(&[base, text!(b"pending")])), Arg::Text(id)])?);
    }
    return Ok(leave_lane(s, base, group.unwrap(), id)?);
}