// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Removing many jobs that wait, with their rows, their side keys and their names.
//!
//! All rows of a slice are read before the first is written, so a foreign type in one of them leaves the slice whole.
//! The caller looks after the ring, because only it knows where a lane stands on it.

use crate::runtime::*;
use crate::act::step::bulk::{delete_keys, remove_members};
use crate::act::step::dedup::{Names, let_go, read_names};
use crate::act::step::erase::{erase};
use crate::act::step::event::{tell_of_job};
use crate::act::step::family::{Notice, note_end, tell_gone};
use crate::act::step::kin::{Told, nothing_told};
use crate::act::step::parent::{REMOVED_ERROR};
use crate::act::step::result::{tell_waiters, waited_until};
use crate::act::step::row::{gather_row};
use crate::act::step::tokens::{last_token, remember_tokens};

/// Tells that a job is removed which waited.
pub fn tell_removed<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, dedup: Option<Text<'a>>, state: Text<'a>) -> Act<()> {
    tell_of_job(s, base, text!(b"removed"), id, dedup, s.list(&[text!(b"state"), state]))?;
    Ok(())
}

/// Removes up to `most` jobs from a set of waiting jobs, flat or of a lane; answers how many.
pub fn drain_waiting<'a>(s: &Server<'a>, base: Text<'a>, set: Text<'a>, most: i64, heard: i64) -> Act<i64> {
    if most <= 0 {
        return Ok(0);
    }
    let ids: List<'a, Text<'a>> = s.zrange(&[Arg::Text(set), Arg::Int(0), Arg::Int(most - 1)])?;
    let doomed: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let held: List<'a, &'a Names<'a>> = s.list::<&'a Names<'a>>(&[]);
    let waited: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let tokens: List<'a, i64> = s.list::<i64>(&[]);
    let notices: List<'a, &'a Notice<'a>> = s.list::<&'a Notice<'a>>(&[]);
    let told: &'a Told<'a> = nothing_told(s);
    for id in ids.iter() {
        let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
        let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(row), Arg::Word(text!(b"dedup")), Arg::Word(text!(b"wait")), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"parent"))])?;
        tokens.push(last_token(s, base, fields.pick(2))?);
        let names: Option<&'a Names<'a>> = read_names(s, base, id, fields.pick(0), true)?;
        if waited_until(s, fields.pick(1), 0)? > 0 {
            waited.push(id);
        }
        let notice: Option<&'a Notice<'a>> = note_end(s, base, id, fields.pick(3), text!(b"removed"), REMOVED_ERROR, true, Some(told))?;
        if notice.is_some() {
            notices.push(notice.unwrap());
        }
        if heard > 0 {
            tell_removed(s, base, id, fields.pick(0), text!(b"pending"))?;
        }
        gather_row(s, doomed, row);
        if names.is_some() {
            held.push(names.unwrap());
        }
    }
    let timed: i64 = s.zcard(&[Arg::Text(s.concat(&[base, text!(b"ttl")]))])?;
    for id in waited.iter() {
        tell_waiters(s, base, id)?;
    }
    remove_members(s, set, ids)?;
    if timed > 0 {
        remove_members(s, s.concat(&[base, text!(b"ttl")]), ids)?;
    }
    delete_keys(s, text!(b"DEL"), doomed)?;
    remember_tokens(s, base, ids, tokens)?;
    for notice in notices.iter() {
        tell_gone(s, base, Some(notice))?;
    }
    for names in held.iter() {
        let_go(s, base, Some(names))?;
    }
    return Ok(ids.len());
}

/// Removes up to `most` jobs from the schedule, the next due first; answers how many.
pub fn drain_scheduled<'a>(s: &Server<'a>, base: Text<'a>, schedule: Text<'a>, most: i64, heard: i64) -> Act<i64> {
    if most <= 0 {
        return Ok(0);
    }
    let ids: List<'a, Text<'a>> = s.zrange(&[Arg::Text(schedule), Arg::Int(0), Arg::Int(most - 1)])?;
    for id in ids.iter() {
        let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"group")), Arg::Word(text!(b"dedup"))])?;
        if heard > 0 {
            tell_removed(s, base, id, fields.pick(1), text!(b"scheduled"))?;
        }
        erase(s, base, id, fields.pick(0), fields.pick(1))?;
    }
    return Ok(ids.len());
}