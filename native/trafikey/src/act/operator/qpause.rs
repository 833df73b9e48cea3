// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `QPAUSE`: pauses the queue. Claims test it inside their act; nothing else is touched.
//!
//! The field is dropped before it is set: dropping is a write that a full server admits.

use crate::runtime::*;
use crate::act::check::operator::qpause::{check_qpause};

/// Keys: meta. No arguments. Answers 1.
pub fn qpause<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_qpause(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    s.hdel(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"paused"))])?;
    s.hset(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"paused")), Arg::Word(text!(b"1"))])?;
    return Ok(Value::from(1));
}