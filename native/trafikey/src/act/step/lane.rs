// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Lanes: fair shares of one queue.
//!
//! The invariant that every step keeps: a lane is on `ring` exactly when it has waiting work, is not paused, is under
//! its limit and does not rest because of its rate (step/limit.ts). A step looks only at its own move over that line
//! (first member in, last member out, a release from at-limit to under), so no act ever searches the ring to find out;
//! only a lane that is known to be on it is taken off.
//!
//! A lane in strict order has the limit 1. While a job of it that was begun waits for another attempt, the lane counts
//! that job as active, so no other one can pass it; when it waits for its claim again, it stands before all others.

use crate::runtime::*;
use crate::act::step::limit::{is_resting};
use crate::act::step::row::{count_of};

/// Lanes that each of the settings of a queue may name, so that lanes that are gone cannot fill a server.
pub const LANE_SETTINGS_MAX: i64 = 100000;

/// The refusal of a setting of one lane more.
pub const SETTINGS_FULL: Text<'static> = text!(b"EMQFULL settings of lanes");

/// The score at which a job that was begun waits in an ordered lane: before the first priority, 0.
pub const BEGUN_SCORE: i64 = -1;

/// The sorted set of a lane's waiting jobs.
pub fn lane_key<'a>(s: &Server<'a>, base: Text<'a>, group: Text<'a>) -> Text<'a> {
    return s.concat(&[base, text!(b"g:"), group, text!(b":pending")]);
}

/// Whether a lane may be served as far as an act without a base can see: not paused, and fewer jobs leased than its
/// limit.
pub fn is_under_limit<'a>(s: &Server<'a>, base: Text<'a>, group: Text<'a>) -> Act<bool> {
    if s.sismember(&[Arg::Text(s.concat(&[base, text!(b"paused")])), Arg::Text(group)])? == 1 {
        return Ok(false);
    }
    let limit: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"glimit")])), Arg::Text(group)])?;
    if limit.is_none() {
        return Ok(true);
    }
    let active: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"gactive")])), Arg::Text(group)])?;
    return Ok((if active.is_none() { 0 } else { s.num(active.unwrap())? }) < s.num(limit.unwrap())?);
}

/// Whether a lane may be served when it has work: not paused, fewer jobs leased than its limit, and not at rest.
pub fn is_servable<'a>(s: &Server<'a>, base: Text<'a>, group: Text<'a>) -> Act<bool> {
    return Ok(is_under_limit(s, base, group)? && !(is_resting(s, base, group)?));
}

/// Reads each key that the steps of these lanes touch, so that a foreign type ends the act while nothing is written. To
/// be called before the first write. Names of lanes stand at every `step`-th place; each is read once.
pub fn read_lanes<'a>(s: &Server<'a>, base: Text<'a>, groups: List<'a, Text<'a>>, step: i64) -> Act<()> {
    let stop: i64 = groups.len();
    if stop == 0 {
        return Ok(());
    }
    let seen: Dict<'a, bool> = s.dict();
    s.llen(&[Arg::Text(s.concat(&[base, text!(b"ring")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"rest")]))])?;
    {
        let mut i: i64 = 0;
        while i < stop {
            let group: Text<'a> = groups.get(i);
            let lane: Text<'a> = lane_key(s, base, group);
            if seen.get(lane) != Some(true) {
                seen.set(lane, true);
                s.sismember(&[Arg::Text(s.concat(&[base, text!(b"paused")])), Arg::Text(group)])?;
                s.hget(&[Arg::Text(s.concat(&[base, text!(b"glimit")])), Arg::Text(group)])?;
                s.hget(&[Arg::Text(s.concat(&[base, text!(b"gactive")])), Arg::Text(group)])?;
                s.zcard(&[Arg::Text(lane)])?;
            }
            i += step;
        }
    }
    Ok(())
}

/// Whether the lane of a row is in strict order. To be asked before the first write.
pub fn is_ordered<'a>(s: &Server<'a>, base: Text<'a>, group: Option<Text<'a>>) -> Act<bool> {
    return Ok(group.is_some() && s.sismember(&[Arg::Text(s.concat(&[base, text!(b"gordered")])), Arg::Text(group.unwrap())])? == 1);
}

/// Lets a job wait in its lane. The first member of a servable lane brings it onto the ring.
pub fn enter_lane<'a>(s: &Server<'a>, base: Text<'a>, group: Text<'a>, id: Text<'a>, score: i64) -> Act<()> {
    let lane: Text<'a> = lane_key(s, base, group);
    let added: i64 = s.zadd(&[Arg::Text(lane), Arg::Int(score), Arg::Text(id)])?;
    if added == 1 && s.zcard(&[Arg::Text(lane)])? == 1 && is_servable(s, base, group)? {
        s.rpush(&[Arg::Text(s.concat(&[base, text!(b"ring")])), Arg::Text(group)])?;
    }
    Ok(())
}

/// Takes a waiting job out of its lane. The last member out takes the lane off the ring.
pub fn leave_lane<'a>(s: &Server<'a>, base: Text<'a>, group: Text<'a>, id: Text<'a>) -> Act<i64> {
    let lane: Text<'a> = lane_key(s, base, group);
    let removed: i64 = s.zrem(&[Arg::Text(lane), Arg::Text(id)])?;
    if removed == 1 && s.zcard(&[Arg::Text(lane)])? == 0 && is_servable(s, base, group)? {
        s.lrem(&[Arg::Text(s.concat(&[base, text!(b"ring")])), Arg::Int(1), Arg::Text(group)])?;
    }
    return Ok(removed);
}

/// Counts one leased job less. A lane that comes from at its limit to under it returns to the ring.
pub fn release_lane<'a>(s: &Server<'a>, base: Text<'a>, group: Text<'a>) -> Act<()> {
    let active: i64 = s.hincrby(&[Arg::Text(s.concat(&[base, text!(b"gactive")])), Arg::Text(group), Arg::Int(-1)])?;
    if active <= 0 {
        s.hdel(&[Arg::Text(s.concat(&[base, text!(b"gactive")])), Arg::Text(group)])?;
    }
    let limit: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"glimit")])), Arg::Text(group)])?;
    if limit.is_none() {
        return Ok(());
    }
    let ceiling: i64 = s.num(limit.unwrap())?;
    if active >= ceiling || active + 1 < ceiling {
        return Ok(());
    }
    if s.zcard(&[Arg::Text(lane_key(s, base, group))])? == 0 {
        return Ok(());
    }
    if s.sismember(&[Arg::Text(s.concat(&[base, text!(b"paused")])), Arg::Text(group)])? == 1 || is_resting(s, base, group)? {
        return Ok(());
    }
    s.rpush(&[Arg::Text(s.concat(&[base, text!(b"ring")])), Arg::Text(group)])?;
    Ok(())
}

/// Counts one leased job more, for a job that was claimed from the flat queue although its row names a lane. If the lane
/// reaches its limit by it, it leaves the ring.
pub fn occupy_lane<'a>(s: &Server<'a>, base: Text<'a>, group: Text<'a>) -> Act<()> {
    let active: i64 = s.hincrby(&[Arg::Text(s.concat(&[base, text!(b"gactive")])), Arg::Text(group), Arg::Int(1)])?;
    let limit: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"glimit")])), Arg::Text(group)])?;
    if limit.is_none() || active != s.num(limit.unwrap())? {
        return Ok(());
    }
    if s.zcard(&[Arg::Text(lane_key(s, base, group))])? > 0 {
        s.lrem(&[Arg::Text(s.concat(&[base, text!(b"ring")])), Arg::Int(1), Arg::Text(group)])?;
    }
    Ok(())
}

/// Sets the limit of a lane, 0 for none, and takes the lane over the line of the ring if that moves it there. Everything
/// that it touches is read before its first write, which does not grow.
pub fn set_limit<'a>(s: &Server<'a>, base: Text<'a>, group: Text<'a>, limit: i64) -> Act<()> {
    let before: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"glimit")])), Arg::Text(group)])?;
    let active: i64 = count_of(s, s.hget(&[Arg::Text(s.concat(&[base, text!(b"gactive")])), Arg::Text(group)])?)?;
    let may_wait: bool = s.sismember(&[Arg::Text(s.concat(&[base, text!(b"paused")])), Arg::Text(group)])? == 0 && !(is_resting(s, base, group)?);
    let waits: bool = may_wait && s.zcard(&[Arg::Text(lane_key(s, base, group))])? > 0;
    s.llen(&[Arg::Text(s.concat(&[base, text!(b"ring")]))])?;
    let was: bool = waits && (before.is_none() || active < s.num(before.unwrap())?);
    let is: bool = waits && (limit == 0 || active < limit);
    s.hdel(&[Arg::Text(s.concat(&[base, text!(b"glimit")])), Arg::Text(group)])?;
    if limit > 0 {
        s.hset(&[Arg::Text(s.concat(&[base, text!(b"glimit")])), Arg::Text(group), Arg::Int(limit)])?;
    }
    if was && !is {
        s.lrem(&[Arg::Text(s.concat(&[base, text!(b"ring")])), Arg::Int(1), Arg::Text(group)])?;
    }
    if is && !was {
        s.rpush(&[Arg::Text(s.concat(&[base, text!(b"ring")])), Arg::Text(group)])?;
    }
    Ok(())
}