// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `QRESUME`: resumes the queue and wakes a worker, which then finds out what waits.

use crate::runtime::*;
use crate::act::check::operator::qresume::{check_qresume};
use crate::act::step::wake::{push};

/// Keys: meta, wake. No arguments. Answers 1.
pub fn qresume<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_qresume(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    if s.hdel(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"paused"))])? == 1 {
        push(s, keys.get(1))?;
    }
    return Ok(Value::from(1));
}