// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `UPDATE`: replaces the payload, in any state; with a token, only for its holder.

use crate::runtime::*;
use crate::act::check::job::update::{check_update};
use crate::act::step::settle::{is_current};

/// Keys: row. Arguments: payload and perhaps a token. Answers 1, or -1 when the job is gone.
pub fn update<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_update(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let attempts: Option<Text<'a>> = s.hget(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"attempts"))])?;
    if attempts.is_none() {
        return Ok(Value::from(-1));
    }
    if args.len() > 1 && !is_current(Some(attempts.unwrap()), args.get(1)) {
        return Ok(Value::Error(text!(b"EMQSTALE update token mismatch")));
    }
    s.hset(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"payload")), Arg::Text(args.get(0))])?;
    return Ok(Value::from(1));
}