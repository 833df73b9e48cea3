// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `OBLITERATE`: takes jobs and lanes out of a paused queue, in slices.
//!
//! It goes by members, and of a row it reads only who hears of the job's end in other queues, if it is one, so no row of
//! a foreign type can stop it. Those signals are left in the outbox, which the host has delivered before it purges.
//! Every step takes what it looked at away, so a repetition always goes on. Lanes are found by the ring and by their
//! settings; deduplication keys, counters and whatever else is left are the host's to unlink by `PURGE`, which finds
//! them by a scan. `meta` stays until then, because it holds the pause.

use crate::runtime::*;
use crate::act::check::operator::obliterate::{check_obliterate};
use crate::act::step::bulk::{delete_keys, remove_members};
use crate::act::step::family::{Notice, note_last, tell_gone};
use crate::act::step::kin::{Told, nothing_told};
use crate::act::step::lane::{lane_key};
use crate::act::step::lane_scan::{LanePage, scan_lanes};
use crate::act::step::row::{gather_row};
use crate::act::step::wake::{is_open};

/// Keys that name lanes which may not be on the ring.
pub fn lane_settings<'a>(s: &Server<'a>) -> List<'a, Text<'a>> {
    s.list(&[text!(b"paused"), text!(b"glimit"), text!(b"gweight"), text!(b"gactive"), text!(b"rate")])
}

/// Notes which jobs of other queues wait for one that goes with its queue; those know already if it is over.
pub fn note_gone<'a>(s: &Server<'a>, base: Text<'a>, ids: List<'a, Text<'a>>) -> Act<List<'a, &'a Notice<'a>>> {
    let notices: List<'a, &'a Notice<'a>> = s.list::<&'a Notice<'a>>(&[]);
    let told: &'a Told<'a> = nothing_told(s);
    for id in ids.iter() {
        let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
        let fields: List<'a, Option<Text<'a>>> = if s.holds(row)? == text!(b"hash") { s.hmget(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"parent"))])? } else { s.list(&[None, None]) };
        let state: Option<Text<'a>> = fields.pick(0);
        let parent: Option<Text<'a>> = fields.pick(1);
        if parent.is_some() && state != Some(text!(b"dead")) && state != Some(text!(b"completed")) {
            let notice: Option<&'a Notice<'a>> = note_last(s, base, id, parent.unwrap(), told)?;
            if notice.is_some() {
                notices.push(notice.unwrap());
            }
        }
    }
    return Ok(notices);
}

/// Unlinks up to `most` jobs of a set with all that hangs on them; answers how many.
pub fn wipe<'a>(s: &Server<'a>, base: Text<'a>, set: Text<'a>, most: i64) -> Act<i64> {
    if most <= 0 {
        return Ok(0);
    }
    let ids: List<'a, Text<'a>> = s.zrange(&[Arg::Text(set), Arg::Int(0), Arg::Int(most - 1)])?;
    let doomed: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let notices: List<'a, &'a Notice<'a>> = note_gone(s, base, ids)?;
    for id in ids.iter() {
        gather_row(s, doomed, s.concat(&[base, text!(b"job:"), id]));
    }
    delete_keys(s, text!(b"UNLINK"), doomed)?;
    remove_members(s, set, ids)?;
    for notice in notices.iter() {
        tell_gone(s, base, Some(notice))?;
    }
    return Ok(ids.len());
}

/// Empties the lanes of the ring, from its head; answers what is left of the budget.
pub fn wipe_ring<'a>(s: &Server<'a>, base: Text<'a>, budget: i64) -> Act<i64> {
    let ring: Text<'a> = s.concat(&[base, text!(b"ring")]);
    let mut left: i64 = budget;
    while left > 0 {
        let group: Option<Text<'a>> = s.lindex(&[Arg::Text(ring), Arg::Int(0)])?;
        if group.is_none() {
            return Ok(left);
        }
        let lane: Text<'a> = lane_key(s, base, group.unwrap());
        left -= wipe(s, base, lane, left)? + 1;
        if s.exists(&[Arg::Text(lane)])? == 0 {
            s.lpop(&[Arg::Text(ring)])?;
        }
    }
    return Ok(left);
}

/// Empties the lanes that a key of settings names and drops the settings; answers what is left of the budget.
pub fn wipe_named<'a>(s: &Server<'a>, base: Text<'a>, settings: Text<'a>, budget: i64) -> Act<i64> {
    let key: Text<'a> = s.concat(&[base, settings]);
    let mut left: i64 = budget;
    let mut cursor: Text<'a> = text!(b"0");
    while left > 0 {
        let page: &'a LanePage<'a> = scan_lanes(s, base, settings, cursor)?;
        let stop: i64 = page.lanes.len();
        {
            let mut i: i64 = 0;
            while i < stop && left > 0 {
                let lane: Text<'a> = lane_key(s, base, page.lanes.get(i));
                left -= wipe(s, base, lane, left)? + 1;
                if s.exists(&[Arg::Text(lane)])? == 0 {
                    if settings == text!(b"paused") {
                        s.srem(&[Arg::Text(key), Arg::Text(page.entries.get(i))])?;
                    } else {
                        s.hdel(&[Arg::Text(key), Arg::Text(page.entries.get(i))])?;
                    }
                }
                i += 1;
            }
        }
        cursor = page.cursor;
        if cursor == text!(b"0") {
            return Ok(left);
        }
    }
    return Ok(left);
}

/// Keys: meta, base. Arguments: force or empty, budget. Answers 1 when there may be more, 0 when nothing is.
pub fn obliterate<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_obliterate(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(1);
    if is_open(s, base)? {
        return Ok(Value::Error(text!(b"EMQSTATE not paused")));
    }
    if args.get(0) == text!(b"") && s.zcard(&[Arg::Text(s.concat(&[base, text!(b"active")]))])? > 0 {
        return Ok(Value::Error(text!(b"EMQSTATE active jobs present")));
    }
    let mut left: i64 = s.num(args.get(1))?;
    for set in s.list(&[text!(b"active"), text!(b"pending"), text!(b"schedule"), text!(b"awaiting"), text!(b"dead"), text!(b"completed")]).iter() {
        left -= wipe(s, base, s.concat(&[base, set]), left)?;
    }
    left = wipe_ring(s, base, left)?;
    for settings in lane_settings(s).iter() {
        left = wipe_named(s, base, settings, left)?;
    }
    return Ok(Value::from(if left > 0 { 0 } else { 1 }));
}