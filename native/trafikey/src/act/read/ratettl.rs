// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `RATETTL`: for how long the rate of the queue is spent, for a host that asks before it claims.

use crate::runtime::*;
use crate::act::check::read::ratettl::{check_ratettl};
use crate::act::step::bound::{NUMBER_MAX};

/// Keys: limiter, meta. Arguments: max, 0 for the one of the queue. Answers ms, 0 when the rate is not spent.
pub fn ratettl<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_ratettl(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let mut text: Option<Text<'a>> = Some(args.get(0));
    if text == Some(text!(b"0")) {
        text = s.hget(&[Arg::Text(keys.get(1)), Arg::Word(text!(b"max"))])?;
    }
    if text.is_none() || !s.int(text.unwrap(), 1, NUMBER_MAX) {
        return Ok(Value::from(0));
    }
    let count: Option<Text<'a>> = s.get(&[Arg::Text(keys.get(0))])?;
    if count.is_none() || !s.int(count.unwrap(), 0, NUMBER_MAX) || s.num(count.unwrap())? < s.num(text.unwrap())? {
        return Ok(Value::from(0));
    }
    return Ok(Value::from(i64::max(0, s.pttl(&[Arg::Text(keys.get(0))])?)));
}