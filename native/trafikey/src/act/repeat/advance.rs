// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `ADVANCE`: moves the next occurrence of a repeat, whatever it was.
//!
//! The member is taken out and put back: taking out is a write that a full server admits.

use crate::runtime::*;
use crate::act::check::repeat::advance::{check_advance};

/// Keys: set, record. Arguments: name, next_at. Answers 1, or 0 when there is no record.
pub fn advance<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_advance(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let exists: bool = s.hexists(&[Arg::Text(keys.get(1)), Arg::Word(text!(b"template"))])? == 1;
    s.zrem(&[Arg::Text(keys.get(0)), Arg::Text(args.get(0))])?;
    if !exists {
        return Ok(Value::from(0));
    }
    s.zadd(&[Arg::Text(keys.get(0)), Arg::Text(args.get(1)), Arg::Text(args.get(0))])?;
    return Ok(Value::from(1));
}