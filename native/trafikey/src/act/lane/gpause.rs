// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `GPAUSE`: pauses a lane and takes it off the ring. What is leased goes on.
//!
//! No base is declared, so the lane itself is not seen: the ring is searched, but only when the lane was not paused yet.

use crate::runtime::*;
use crate::act::check::lane::gpause::{check_gpause};
use crate::act::step::lane::{LANE_SETTINGS_MAX, SETTINGS_FULL};

/// Keys: paused, ring. Arguments: group. Answers 1.
pub fn gpause<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_gpause(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    if s.sismember(&[Arg::Text(keys.get(0)), Arg::Text(args.get(0))])? == 1 {
        return Ok(Value::from(1));
    }
    if s.scard(&[Arg::Text(keys.get(0))])? >= LANE_SETTINGS_MAX {
        return Ok(Value::Error(SETTINGS_FULL));
    }
    s.lrem(&[Arg::Text(keys.get(1)), Arg::Int(0), Arg::Text(args.get(0))])?;
    s.sadd(&[Arg::Text(keys.get(0)), Arg::Text(args.get(0))])?;
    return Ok(Value::from(1));
}