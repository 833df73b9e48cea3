// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Putting one lane right: its settings, its counter, and whether it stands on the ring.
//!
//! A lane is on the ring exactly when it has waiting work, is not paused, is under its limit and does not rest, and its
//! counter equals its leased jobs and those that hold it while they are scheduled. The counter is judged only where all
//! leases can be looked at in one act; with more it is left as it is.

use crate::runtime::*;
use crate::act::step::bound::{NUMBER_MAX};
use crate::act::step::evidence::{count_leased, rest_of, ring_places};
use crate::act::step::lane::{is_ordered, lane_key};
use crate::act::step::mend_job::{MENDED, RIGHT};

/// The hashes whose fields are lanes.
pub fn lane_hashes<'a>(s: &Server<'a>) -> List<'a, Text<'a>> {
    s.list(&[text!(b"gactive"), text!(b"glimit"), text!(b"gweight")])
}

/// Takes a name that no lane can have out of everything that lists lanes.
pub fn drop_name<'a>(s: &Server<'a>, base: Text<'a>, name: Text<'a>) -> Act<i64> {
    s.llen(&[Arg::Text(s.concat(&[base, text!(b"ring")]))])?;
    s.sismember(&[Arg::Text(s.concat(&[base, text!(b"gordered")])), Arg::Text(name)])?;
    if name != text!(b"") {
        s.zscore(&[Arg::Text(s.concat(&[base, text!(b"rest")])), Arg::Text(name)])?;
    }
    for hash in lane_hashes(s).iter() {
        s.hexists(&[Arg::Text(s.concat(&[base, hash])), Arg::Text(name)])?;
    }
    let mut dropped: i64 = s.srem(&[Arg::Text(s.concat(&[base, text!(b"paused")])), Arg::Text(name)])? + s.srem(&[Arg::Text(s.concat(&[base, text!(b"gordered")])), Arg::Text(name)])?;
    for hash in lane_hashes(s).iter() {
        dropped += s.hdel(&[Arg::Text(s.concat(&[base, hash])), Arg::Text(name)])?;
    }
    if name != text!(b"") {
        dropped += s.zrem(&[Arg::Text(s.concat(&[base, text!(b"rest")])), Arg::Text(name)])?;
    }
    dropped += s.lrem(&[Arg::Text(s.concat(&[base, text!(b"ring")])), Arg::Int(0), Arg::Text(name)])?;
    return Ok(if dropped > 0 { MENDED } else { RIGHT });
}

/// How many of the given jobs are scheduled and hold the lane.
pub fn count_holding<'a>(s: &Server<'a>, base: Text<'a>, lane: Text<'a>, ids: List<'a, Text<'a>>) -> Act<i64> {
    let mut count: i64 = 0;
    for id in ids.iter() {
        if s.branded(id) {
            let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"state")), Arg::Word(text!(b"group")), Arg::Word(text!(b"held"))])?;
            if fields.pick(0) == Some(text!(b"scheduled")) && fields.pick(1) == Some(lane) && fields.pick(2).is_some() {
                count += 1;
            }
        }
    }
    return Ok(count);
}

/// Gives an ordered lane the limit that keeps its order; answers how many limits it set.
pub fn keep_order<'a>(s: &Server<'a>, base: Text<'a>, lane: Text<'a>, ordered: bool, limit: Option<Text<'a>>) -> Act<i64> {
    if !ordered || limit == Some(text!(b"1")) {
        return Ok(0);
    }
    // Dropped first, which a full server admits.
    s.hdel(&[Arg::Text(s.concat(&[base, text!(b"glimit")])), Arg::Text(lane)])?;
    s.hset(&[Arg::Text(s.concat(&[base, text!(b"glimit")])), Arg::Text(lane), Arg::Word(text!(b"1"))])?;
    return Ok(1);
}

/// Drops settings that no act can read; answers how many.
pub fn drop_settings<'a>(s: &Server<'a>, base: Text<'a>, lane: Text<'a>, limit: Option<Text<'a>>, weight: Option<Text<'a>>) -> Act<i64> {
    let mut dropped: i64 = 0;
    if limit.is_some() && !s.int(limit.unwrap(), 1, NUMBER_MAX) {
        dropped += s.hdel(&[Arg::Text(s.concat(&[base, text!(b"glimit")])), Arg::Text(lane)])?;
    }
    if weight.is_some() && !s.int(weight.unwrap(), 1, NUMBER_MAX) {
        dropped += s.hdel(&[Arg::Text(s.concat(&[base, text!(b"gweight")])), Arg::Text(lane)])?;
    }
    return Ok(dropped);
}

/// Puts one lane right. `holders` are scheduled jobs that may hold it.
pub fn mend_lane<'a>(s: &Server<'a>, base: Text<'a>, lane: Text<'a>, holders: List<'a, Text<'a>>) -> Act<i64> {
    if !s.name(lane) {
        return Ok(drop_name(s, base, lane)?);
    }
    let ring: Text<'a> = s.concat(&[base, text!(b"ring")]);
    let limit: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"glimit")])), Arg::Text(lane)])?;
    let weight: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"gweight")])), Arg::Text(lane)])?;
    let says: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"gactive")])), Arg::Text(lane)])?;
    let waits: bool = s.zcard(&[Arg::Text(lane_key(s, base, lane))])? > 0 && s.sismember(&[Arg::Text(s.concat(&[base, text!(b"paused")])), Arg::Text(lane)])? == 0;
    let places: i64 = ring_places(s, base, lane)?;
    let leased: i64 = count_leased(s, base, lane)?;
    let said: i64 = if says.is_some() && s.int(says.unwrap(), 1, NUMBER_MAX) { s.num(says.unwrap())? } else { 0 };
    let active: i64 = if leased < 0 { said } else { leased + count_holding(s, base, lane, holders)? };
    let ordered: bool = is_ordered(s, base, Some(lane))?;
    let ceiling: Option<Text<'a>> = if ordered { Some(text!(b"1")) } else { limit };
    let is_full: bool = ceiling.is_some() && s.int(ceiling.unwrap(), 1, NUMBER_MAX) && active >= s.num(ceiling.unwrap())?;
    let rest: i64 = rest_of(s, base, lane)?;
    let wanted: i64 = if waits && !is_full && rest != 1 { 1 } else { 0 };
    let mut changes: i64 = drop_settings(s, base, lane, limit, weight)?;
    // Nothing but a rate sends a lane to rest, and its end ends the rest.
    if rest == 2 {
        changes += s.zrem(&[Arg::Text(s.concat(&[base, text!(b"rest")])), Arg::Text(lane)])?;
    }
    changes += keep_order(s, base, lane, ordered, limit)?;
    // Taken off first, which a full server admits; then it stands at the end, as a lane does that came anew.
    if places != wanted {
        changes += 1 + s.lrem(&[Arg::Text(ring), Arg::Int(0), Arg::Text(lane)])?;
    }
    if says.is_some() && active == 0 {
        changes += s.hdel(&[Arg::Text(s.concat(&[base, text!(b"gactive")])), Arg::Text(lane)])?;
    }
    if active > 0 && active != said {
        s.hset(&[Arg::Text(s.concat(&[base, text!(b"gactive")])), Arg::Text(lane), Arg::Int(active)])?;
        changes += 1;
    }
    if places != wanted && wanted == 1 {
        s.rpush(&[Arg::Text(ring), Arg::Text(lane)])?;
    }
    return Ok(if changes > 0 { MENDED } else { RIGHT });
}