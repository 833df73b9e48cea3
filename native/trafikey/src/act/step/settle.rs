// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Judging a settlement and ending its lease.
//!
//! A settlement is accepted from the holder of the current token, while the job is active or has lapsed and was not
//! claimed again. A lapsed job waits with an `owner` field that is empty: that tells it from one that was put back on
//! purpose, whose token has been used up. Order of judgement: gone, token, state.

use crate::runtime::*;
use crate::act::step::lane::{occupy_lane, release_lane};
use crate::act::step::row::{count_of, set_count};
use crate::act::step::waiting::{stop_waiting};

/// What a settlement reads of a row, in this order.
pub fn read_holder<'a>(s: &Server<'a>, row: Text<'a>) -> Act<List<'a, Option<Text<'a>>>> {
    return Ok(s.hmget(&[Arg::Text(row), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"state")), Arg::Word(text!(b"owner")), Arg::Word(text!(b"group")), Arg::Word(text!(b"priority")), Arg::Word(text!(b"stalled")), Arg::Word(text!(b"deferred")), Arg::Word(text!(b"cancel")), Arg::Word(text!(b"dedup")), Arg::Word(text!(b"wait")), Arg::Word(text!(b"parent"))])?);
}

/// Whether a token is the current one. No claim ever gave `0`, although a row is born with that number.
pub fn is_current<'a>(attempts: Option<Text<'a>>, token: Text<'a>) -> bool {
    return token != text!(b"0") && attempts == Some(token);
}

/// The refusal of a settlement, empty when it is accepted. `gone` and `stale` are the verb's own texts.
pub fn judge<'a>(holder: List<'a, Option<Text<'a>>>, token: Text<'a>, gone: Text<'a>, stale: Text<'a>) -> Text<'a> {
    let attempts: Option<Text<'a>> = holder.pick(0);
    if attempts.is_none() {
        return gone;
    }
    if token == text!(b"0") || attempts != Some(token) {
        return stale;
    }
    let state: Option<Text<'a>> = holder.pick(1);
    if state == Some(text!(b"active")) || (state == Some(text!(b"pending")) && holder.pick(2).is_some()) {
        return text!(b"");
    }
    return text!(b"EMQSTATE job is not active");
}

/// Takes an accepted job from where it waits after a lapse. The lapse was no crash and is taken back.
pub fn leave_waiting<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, holder: List<'a, Option<Text<'a>>>) -> Act<()> {
    stop_waiting(s, base, id, holder.pick(3))?;
    set_count(s, s.concat(&[base, text!(b"job:"), id]), text!(b"stalled"), count_of(s, holder.pick(5))? - 1)?;
    Ok(())
}

/// Takes an accepted job from where it is; its row still says that it is held, which suits one that is to go.
pub fn leave_place<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, holder: List<'a, Option<Text<'a>>>) -> Act<()> {
    let group: Option<Text<'a>> = holder.pick(3);
    if holder.pick(1) == Some(text!(b"active")) {
        s.zrem(&[Arg::Text(s.concat(&[base, text!(b"active")])), Arg::Text(id)])?;
        if group.is_some() {
            release_lane(s, base, group.unwrap())?;
        }
    } else {
        leave_waiting(s, base, id, holder)?;
    }
    Ok(())
}

/// Ends the lease of an accepted settlement: out of `active`, or out of where a lapsed job waits. The lapse of a holder
/// that came back after all was no crash and is taken back.
pub fn end_lease<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, holder: List<'a, Option<Text<'a>>>) -> Act<()> {
    let group: Option<Text<'a>> = holder.pick(3);
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
    leave_place(s, base, id, holder)?;
    if group.is_none() {
        s.hdel(&[Arg::Text(row), Arg::Word(text!(b"owner"))])?;
    } else {
        s.hdel(&[Arg::Text(row), Arg::Word(text!(b"owner")), Arg::Word(text!(b"held"))])?;
    }
    Ok(())
}

/// Ends the lease of an accepted settlement after which the job holds its ordered lane: the lane goes on counting it.
pub fn keep_lane<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, holder: List<'a, Option<Text<'a>>>, group: Text<'a>) -> Act<()> {
    if holder.pick(1) == Some(text!(b"active")) {
        s.zrem(&[Arg::Text(s.concat(&[base, text!(b"active")])), Arg::Text(id)])?;
    } else {
        leave_waiting(s, base, id, holder)?;
        occupy_lane(s, base, group)?;
    }
    s.hdel(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"owner"))])?;
    s.hset(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"held")), Arg::Word(text!(b"1"))])?;
    Ok(())
}