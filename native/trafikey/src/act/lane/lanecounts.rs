// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `LANECOUNTS`: depth and settings of lanes, from one instant.

use crate::runtime::*;
use crate::act::check::lane::lanecounts::{check_lanecounts};
use crate::act::step::lane::{is_ordered, lane_key};
use crate::act::step::limit::{rests_until};
use crate::act::step::row::{count_of};

/// Keys: ring, base. Arguments: lanes. Answers seven numbers for each.
pub fn lanecounts<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_lanecounts(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(1);
    let out: List<'a, i64> = s.list::<i64>(&[]);
    for group in args.iter() {
        let weight: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"gweight")])), Arg::Text(group)])?;
        out.push(s.zcard(&[Arg::Text(lane_key(s, base, group))])?);
        out.push(count_of(s, s.hget(&[Arg::Text(s.concat(&[base, text!(b"gactive")])), Arg::Text(group)])?)?);
        out.push(count_of(s, s.hget(&[Arg::Text(s.concat(&[base, text!(b"glimit")])), Arg::Text(group)])?)?);
        out.push(if weight.is_none() { 1 } else { s.num(weight.unwrap())? });
        out.push(s.sismember(&[Arg::Text(s.concat(&[base, text!(b"paused")])), Arg::Text(group)])?);
        out.push(if is_ordered(s, base, Some(group))? { 1 } else { 0 });
        // A lane whose time has come is still off the ring until the next claim, and says so by 1.
        let until: i64 = rests_until(s, base, group)?;
        out.push(if until == 0 { 0 } else { i64::max(1, until - s.now()) });
    }
    return Ok(Value::from(out));
}