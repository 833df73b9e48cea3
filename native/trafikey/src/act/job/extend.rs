// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `EXTEND`: renews one lease. Only a member of `active` is renewed, so a job never sits in two sets.
//!
//! The old member goes first: that is a write which a full server admits, and after it the new one is admitted as well.

use crate::runtime::*;
use crate::act::check::job::extend::{check_extend};
use crate::act::step::settle::{is_current};

/// Keys: active, row. Arguments: id, token, lease_ms. Answers 1, 2 when a cancel was asked for, -1 when gone.
pub fn extend<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_extend(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(keys.get(1)), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"cancel"))])?;
    if fields.pick(0).is_none() {
        return Ok(Value::from(-1));
    }
    if !is_current(Some(fields.pick(0).unwrap()), args.get(1)) || s.zscore(&[Arg::Text(keys.get(0)), Arg::Text(args.get(0))])?.is_none() {
        return Ok(Value::Error(text!(b"EMQSTALE extend token mismatch")));
    }
    s.zrem(&[Arg::Text(keys.get(0)), Arg::Text(args.get(0))])?;
    s.zadd(&[Arg::Text(keys.get(0)), Arg::Int(s.now() + s.num(args.get(2))?), Arg::Text(args.get(0))])?;
    return Ok(Value::from(if fields.pick(1).is_none() { 1 } else { 2 }));
}