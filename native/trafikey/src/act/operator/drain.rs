// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `DRAIN`: removes jobs that wait, in slices.
//!
//! Flat jobs go first, then scheduled ones where their set is declared, then those of lanes: the lanes of the ring, and
//! those that a pause, a limit or a rest keeps off it. A lane with work always gives at least one job, so looking at
//! lanes costs no more than the jobs that are removed; lanes without work are looked at up to the budget once more.

use crate::runtime::*;
use crate::act::check::operator::drain::{check_drain};
use crate::act::step::drain::{drain_scheduled, drain_waiting};
use crate::act::step::event::{heard_by};
use crate::act::step::lane::{lane_key};
use crate::act::step::lane_scan::{LanePage, scan_lanes};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Drains lanes from the head of the ring; one that is empty leaves it. Answers how many jobs went.
pub fn drain_ring<'a>(s: &Server<'a>, base: Text<'a>, budget: i64, heard: i64) -> Act<i64> {
    let ring: Text<'a> = s.concat(&[base, text!(b"ring")]);
    let mut drained: i64 = 0;
    let mut empty: i64 = 0;
    while drained < budget && empty < budget {
        let group: Option<Text<'a>> = s.lindex(&[Arg::Text(ring), Arg::Int(0)])?;
        if group.is_none() {
            return Ok(drained);
        }
        let lane: Text<'a> = lane_key(s, base, group.unwrap());
        let removed: i64 = drain_waiting(s, base, lane, budget - drained, heard)?;
        if removed == 0 {
            empty += 1;
        }
        drained += removed;
        if s.exists(&[Arg::Text(lane)])? == 0 {
            s.lpop(&[Arg::Text(ring)])?;
        }
    }
    return Ok(drained);
}

/// Drains lanes that a key of settings names, none of which is on the ring any more. Answers how many jobs went.
pub fn drain_named<'a>(s: &Server<'a>, base: Text<'a>, settings: Text<'a>, budget: i64, heard: i64) -> Act<i64> {
    let mut drained: i64 = 0;
    let mut looks: i64 = 0;
    let mut cursor: Text<'a> = text!(b"0");
    while drained < budget && looks < budget {
        let page: &'a LanePage<'a> = scan_lanes(s, base, settings, cursor)?;
        for lane in page.lanes.iter() {
            looks += 1;
            if drained < budget {
                drained += drain_waiting(s, base, lane_key(s, base, lane), budget - drained, heard)?;
            }
        }
        cursor = page.cursor;
        if cursor == text!(b"0") {
            return Ok(drained);
        }
    }
    return Ok(drained);
}

/// Keys: pending, base and perhaps schedule. Arguments: budget, lanes. Answers how many jobs were removed.
pub fn drain<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_drain(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(1);
    let budget: i64 = s.num(args.get(0))?;
    let open: bool = is_open(s, base)?;
    let heard: i64 = heard_by(s, base)?;
    let mut drained: i64 = drain_waiting(s, base, keys.get(0), budget, heard)?;
    if keys.len() > 2 {
        drained += drain_scheduled(s, base, keys.get(2), budget - drained, heard)?;
    }
    if args.get(1) == text!(b"1") {
        drained += drain_ring(s, base, budget - drained, heard)?;
        // A lane that stands on the ring is emptied from there only, as it must leave it.
        if s.llen(&[Arg::Text(s.concat(&[base, text!(b"ring")]))])? == 0 {
            drained += drain_named(s, base, text!(b"paused"), budget - drained, heard)?;
            drained += drain_named(s, base, text!(b"glimit"), budget - drained, heard)?;
            // Lanes that have a rate may rest.
            drained += drain_named(s, base, text!(b"rate"), budget - drained, heard)?;
        }
    }
    push_if_claimable(s, base, open)?;
    return Ok(Value::from(drained));
}