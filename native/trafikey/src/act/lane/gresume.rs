// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `GRESUME`: resumes a lane; one that has work and is under its limit comes onto the ring.

use crate::runtime::*;
use crate::act::check::lane::gresume::{check_gresume};
use crate::act::step::lane::{is_servable, lane_key};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Keys: paused, ring, glimit, gactive, wake, base. Arguments: group. Answers 1.
pub fn gresume<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_gresume(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(5);
    let group: Text<'a> = args.get(0);
    let open: bool = is_open(s, base)?;
    let waits: bool = s.zcard(&[Arg::Text(lane_key(s, base, group))])? > 0;
    s.llen(&[Arg::Text(keys.get(1))])?;
    s.hget(&[Arg::Text(keys.get(2)), Arg::Text(group)])?;
    s.hget(&[Arg::Text(keys.get(3)), Arg::Text(group)])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"rest")]))])?;
    if s.srem(&[Arg::Text(keys.get(0)), Arg::Text(group)])? == 0 {
        return Ok(Value::from(1));
    }
    if waits && is_servable(s, base, group)? {
        s.rpush(&[Arg::Text(keys.get(1)), Arg::Text(group)])?;
        push_if_claimable(s, base, open)?;
    }
    return Ok(Value::from(1));
}