// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Finding lanes by their settings: those without work, and those that a pause, a limit or a rest keeps off the ring.
//!
//! A scan goes on by its cursor, so an act looks at a slice of the names and never at all of them.

use crate::runtime::*;
use crate::act::step::limit::{rated_lane};

/// Names that one step of a scan asks for.
pub const NAMES: i64 = 100;

/// What one step of a scan found.
pub struct LanePage<'a> {
    /// Where the scan goes on; `0` at its end.
    pub cursor: Text<'a>,
    pub lanes: List<'a, Text<'a>>,
    /// The member or field that names the lane at the same place.
    pub entries: List<'a, Text<'a>>,
    pub here: Here<'a>,
}

/// Takes one step of a scan over the lanes that a key of settings names.
pub fn scan_lanes<'a>(s: &Server<'a>, base: Text<'a>, settings: Text<'a>, cursor: Text<'a>) -> Act<&'a LanePage<'a>> {
    let key: Text<'a> = s.concat(&[base, settings]);
    let is_set: bool = settings == text!(b"paused");
    let page: (Text<'a>, List<'a, Text<'a>>) = if is_set { s.sscan(&[Arg::Text(key), Arg::Text(cursor), Arg::Word(text!(b"COUNT")), Arg::Int(NAMES)])? } else { s.hscan(&[Arg::Text(key), Arg::Text(cursor), Arg::Word(text!(b"COUNT")), Arg::Int(NAMES)])? };
    let found: List<'a, Text<'a>> = page.1;
    let stop: i64 = found.len();
    let width: i64 = if is_set { 1 } else { 2 };
    let lanes: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let entries: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    {
        let mut i: i64 = 0;
        while i < stop {
            let lane: Text<'a> = if settings == text!(b"rate") { rated_lane(s, found.get(i)) } else { found.get(i) };
            if lane != text!(b"") {
                lanes.push(lane);
                entries.push(found.get(i));
            }
            i += width;
        }
    }
    return Ok(s.make(LanePage { cursor: page.0, lanes: lanes, entries: entries, here: Here::new() }));
}