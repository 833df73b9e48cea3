// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `GWEIGHT`: sets the weight of a lane, or removes it.
//!
//! The field is dropped before it is set: dropping is a write that a full server admits.

use crate::runtime::*;
use crate::act::check::lane::gweight::{check_gweight};
use crate::act::step::lane::{LANE_SETTINGS_MAX, SETTINGS_FULL};

/// Keys: gweight. Arguments: group, weight or 0. Answers 1.
pub fn gweight<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_gweight(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let known: bool = s.hexists(&[Arg::Text(keys.get(0)), Arg::Text(args.get(0))])? == 1;
    if args.get(1) != text!(b"0") && !known && s.hlen(&[Arg::Text(keys.get(0))])? >= LANE_SETTINGS_MAX {
        return Ok(Value::Error(SETTINGS_FULL));
    }
    s.hdel(&[Arg::Text(keys.get(0)), Arg::Text(args.get(0))])?;
    if args.get(1) != text!(b"0") {
        s.hset(&[Arg::Text(keys.get(0)), Arg::Text(args.get(0)), Arg::Text(args.get(1))])?;
    }
    return Ok(Value::from(1));
}