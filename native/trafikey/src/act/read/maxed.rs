// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `MAXED`: whether as many jobs are leased as `meta.concurrency` allows, for a host that asks before it claims.

use crate::runtime::*;
use crate::act::check::read::maxed::{check_maxed};
use crate::act::step::row::{count_of};

/// Keys: meta, active. No arguments. Answers 0, or refuses at the ceiling.
pub fn maxed<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_maxed(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let ceiling: i64 = count_of(s, s.hget(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"concurrency"))])?)?;
    if ceiling > 0 && s.zcard(&[Arg::Text(keys.get(1))])? >= ceiling {
        return Ok(Value::Error(text!(b"EMQRATE at concurrency ceiling")));
    }
    return Ok(Value::from(0));
}