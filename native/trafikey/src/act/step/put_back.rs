// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! The settlements after which a job lives on: delayed, given back, tried again, or dead.
//!
//! Each reads what it is going to write to, then ends the lease, which is a write that a full server admits and drops
//! `owner`, so that the same token cannot settle twice.

use crate::runtime::*;
use crate::act::step::bound::{due_in};
use crate::act::step::bury::{bury, read_deaths};
use crate::act::step::dedup::{Names, let_go, read_names};
use crate::act::step::event::{tell_of_job};
use crate::act::step::family::{Notice, note_end, tell_dead};
use crate::act::step::lane::{is_ordered, read_lanes};
use crate::act::step::result::{tell_waiters, waited_until};
use crate::act::step::retain::{Leavers, Terms, drop_oldest};
use crate::act::step::row::{count_of};
use crate::act::step::settle::{end_lease, keep_lane};
use crate::act::step::waiting::{let_wait, let_wait_first, read_place};

/// Ends the lease of a job that goes into the schedule. In an ordered lane it holds the lane meanwhile. Everything that
/// scheduling writes to is read before the first write.
pub fn leave_for_schedule<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, holder: List<'a, Option<Text<'a>>>) -> Act<()> {
    let group: Option<Text<'a>> = holder.pick(3);
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"schedule")]))])?;
    if group.is_some() {
        read_lanes(s, base, s.list(&[group.unwrap()]), 1)?;
    }
    if group.is_some() && is_ordered(s, base, Some(group.unwrap()))? {
        keep_lane(s, base, id, holder, group.unwrap())?;
    } else {
        end_lease(s, base, id, holder)?;
    }
    Ok(())
}

/// The text of a field, empty where it is absent.
pub fn said<'a>(field: Option<Text<'a>>) -> Text<'a> {
    return if field.is_none() { text!(b"") } else { field.unwrap() };
}

/// Tells that a job goes into the schedule until `due`.
pub fn tell_scheduled<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, holder: List<'a, Option<Text<'a>>>, due: i64) -> Act<()> {
    tell_of_job(s, base, text!(b"scheduled"), id, holder.pick(8), s.list(&[text!(b"dueAt"), s.text(due)]))?;
    Ok(())
}

/// Tells that an attempt failed.
pub fn tell_failed<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, holder: List<'a, Option<Text<'a>>>, error: Text<'a>) -> Act<()> {
    tell_of_job(s, base, text!(b"failed"), id, holder.pick(8), s.list(&[text!(b"attempts"), said(holder.pick(0)), text!(b"error"), error]))?;
    Ok(())
}

/// Puts an accepted job into the schedule and counts the interruption. `heard` is what `heardBy` says.
pub fn defer<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, holder: List<'a, Option<Text<'a>>>, due: i64, heard: i64) -> Act<()> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
    if heard > 0 {
        tell_scheduled(s, base, id, holder, due)?;
    }
    leave_for_schedule(s, base, id, holder)?;
    s.hset(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"scheduled")), Arg::Word(text!(b"deferred")), Arg::Int(count_of(s, holder.pick(6))? + 1)])?;
    s.zadd(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Int(due), Arg::Text(id)])?;
    Ok(())
}

/// Lets an accepted job wait at its place again and counts the interruption.
pub fn give_up<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, holder: List<'a, Option<Text<'a>>>) -> Act<()> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
    let group: Option<Text<'a>> = holder.pick(3);
    read_place(s, base, group)?;
    let ordered: bool = is_ordered(s, base, group)?;
    end_lease(s, base, id, holder)?;
    s.hset(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"pending")), Arg::Word(text!(b"deferred")), Arg::Int(count_of(s, holder.pick(6))? + 1)])?;
    if ordered && group.is_some() {
        let_wait_first(s, base, id, group.unwrap())?;
    } else {
        let_wait(s, base, id, group, holder.pick(4))?;
    }
    Ok(())
}

/// Ends an accepted job as dead.
pub fn kill<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, holder: List<'a, Option<Text<'a>>>, error: Text<'a>, terms: &'a Terms<'a>) -> Act<()> {
    let oldest: &'a Leavers<'a> = read_deaths(s, base, terms, 1)?;
    if holder.pick(3).is_some() {
        read_lanes(s, base, s.list(&[holder.pick(3).unwrap()]), 1)?;
    }
    let names: Option<&'a Names<'a>> = read_names(s, base, id, holder.pick(8), terms.dead_count.get() == 0)?;
    let until: i64 = waited_until(s, holder.pick(9), terms.result_ms.get())?;
    let notice: Option<&'a Notice<'a>> = note_end(s, base, id, holder.pick(10), text!(b"failed"), error, terms.wakes.get(), None)?;
    if until > 0 {
        tell_waiters(s, base, id)?;
    }
    if terms.heard.get() > 0 {
        tell_failed(s, base, id, holder, error)?;
        tell_of_job(s, base, text!(b"dead"), id, holder.pick(8), s.list(&[text!(b"error"), error]))?;
    }
    end_lease(s, base, id, holder)?;
    bury(s, base, id, error, terms, until)?;
    tell_dead(s, base, notice, error)?;
    drop_oldest(s, base, text!(b"dead"), oldest)?;
    let_go(s, base, names)?;
    Ok(())
}

/// Ends an accepted attempt as failed. It is dead when its failures (attempts less crashes and interruptions) reach
/// `max`, or when a cancel was asked for; otherwise it is tried again after `delay`. Answers `dead` or `scheduled`.
pub fn fail<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, holder: List<'a, Option<Text<'a>>>, delay: i64, max: i64, error: Text<'a>, terms: &'a Terms<'a>) -> Act<Text<'a>> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
    let lapsed: i64 = if holder.pick(1) == Some(text!(b"active")) { 0 } else { 1 };
    let crashes: i64 = i64::max(0, count_of(s, holder.pick(5))? - lapsed);
    let failures: i64 = count_of(s, holder.pick(0))? - crashes - count_of(s, holder.pick(6))?;
    if failures >= max || holder.pick(7).is_some() {
        kill(s, base, id, holder, error, terms)?;
        return Ok(text!(b"dead"));
    }
    let due: i64 = due_in(s, delay);
    if terms.heard.get() > 0 {
        tell_failed(s, base, id, holder, error)?;
        tell_scheduled(s, base, id, holder, due)?;
    }
    leave_for_schedule(s, base, id, holder)?;
    s.hset(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"scheduled")), Arg::Word(text!(b"last_error")), Arg::Text(error)])?;
    s.zadd(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Int(due), Arg::Text(id)])?;
    return Ok(text!(b"scheduled"));
}