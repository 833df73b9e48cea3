// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Counting what ended: all the time, and by the minute.
//!
//! `metrics:<which>` counts for ever. `metrics:<which>:minutes` is a hash of minutes since 1970, of which the last four
//! hours mean anything: when a minute begins and there are more fields than that, the old ones go. So the hash is
//! bounded, an act pays for one step more, and one act a minute for looking at the fields.

use crate::runtime::*;
use crate::act::step::bound::{NUMBER_MAX};

/// Minutes that are kept: four hours. A server keeps so many fields in one compact piece and finds one in a few
/// microseconds; a day of them would cost each act as much as its settlement.
pub const MINUTES_KEPT: i64 = 240;

pub const MINUTE_MS: i64 = 60000;

/// Reads what `tally` writes to, before the first write.
pub fn read_tally<'a>(s: &Server<'a>, base: Text<'a>, which: Text<'a>) -> Act<()> {
    s.hget(&[Arg::Text(s.concat(&[base, text!(b"metrics:"), which])), Arg::Word(text!(b"count"))])?;
    s.hlen(&[Arg::Text(s.concat(&[base, text!(b"metrics:"), which, text!(b":minutes")]))])?;
    Ok(())
}

/// Drops the minutes that are too old, and fields that are no minutes.
#[cold]
pub fn drop_old<'a>(s: &Server<'a>, minutes: Text<'a>, minute: i64) -> Act<()> {
    if s.hlen(&[Arg::Text(minutes)])? <= MINUTES_KEPT {
        return Ok(());
    }
    for field in s.hkeys(&[Arg::Text(minutes)])?.iter() {
        if !s.int(field, 0, NUMBER_MAX) || s.num(field)? <= minute - MINUTES_KEPT {
            s.hdel(&[Arg::Text(minutes), Arg::Text(field)])?;
        }
    }
    Ok(())
}

/// Counts jobs that ended `completed` or `failed`.
pub fn tally<'a>(s: &Server<'a>, base: Text<'a>, which: Text<'a>, count: i64) -> Act<()> {
    let minutes: Text<'a> = s.concat(&[base, text!(b"metrics:"), which, text!(b":minutes")]);
    let minute: i64 = floor_div(s.now(), MINUTE_MS);
    s.hincrby(&[Arg::Text(s.concat(&[base, text!(b"metrics:"), which])), Arg::Word(text!(b"count")), Arg::Int(count)])?;
    if s.hincrby(&[Arg::Text(minutes), Arg::Int(minute), Arg::Int(count)])? == count {
        drop_old(s, minutes, minute)?;
    }
    Ok(())
}