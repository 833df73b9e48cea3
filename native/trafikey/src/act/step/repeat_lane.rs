// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! The lane in which the occurrences of a repeat run one after another, and what of it goes when they no longer do.

use crate::runtime::*;
use crate::act::step::lane::{lane_key, read_lanes, set_limit};

/// Whether the lane of a repeat has settings that may go: there are any, and nothing is in it. Reads what
/// `freeLane` will meet, so it stands before the first write.
pub fn may_free_lane<'a>(s: &Server<'a>, base: Text<'a>, overlap: Option<Text<'a>>, group: Option<Text<'a>>) -> Act<bool> {
    if overlap != Some(text!(b"queue")) || group.is_none() {
        return Ok(false);
    }
    read_lanes(s, base, s.list(&[group.unwrap()]), 1)?;
    s.scard(&[Arg::Text(s.concat(&[base, text!(b"gordered")]))])?;
    return Ok(s.zcard(&[Arg::Text(lane_key(s, base, group.unwrap()))])? == 0 && s.hexists(&[Arg::Text(s.concat(&[base, text!(b"gactive")])), Arg::Text(group.unwrap())])? == 0);
}

/// Takes the limit and the order of such a lane away.
pub fn free_lane<'a>(s: &Server<'a>, base: Text<'a>, group: Text<'a>) -> Act<()> {
    set_limit(s, base, group, 0)?;
    s.srem(&[Arg::Text(s.concat(&[base, text!(b"gordered")])), Arg::Text(group)])?;
    Ok(())
}