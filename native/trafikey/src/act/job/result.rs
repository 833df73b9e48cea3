// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `RESULT`: how a job ended, or the mark of somebody who waits for its end.
//!
//! A mark never becomes shorter, so several waiters of one job need not know of each other. It is dropped before it is
//! set: dropping is a write that a full server admits, and who waits for room must hear that there is some.

use crate::runtime::*;
use crate::act::check::job::result::{check_result};
use crate::act::step::result::{waited_until};

/// Keys: row, base. Arguments: id, wait_ms. Answers the state and the outcome, empty where there is none.
pub fn result<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_result(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"state")), Arg::Word(text!(b"wait")), Arg::Word(text!(b"result")), Arg::Word(text!(b"last_error"))])?;
    let state: Option<Text<'a>> = fields.pick(0);
    if state.is_none() {
        let left: Option<Text<'a>> = s.get(&[Arg::Text(s.concat(&[keys.get(1), text!(b"job:"), args.get(0), text!(b":result")]))])?;
        return Ok(Value::from(s.list(&[Value::from(text!(b"absent")), Value::from(if left.is_none() { text!(b"") } else { left.unwrap() })])));
    }
    if state == Some(text!(b"completed")) {
        return Ok(Value::from(s.list(&[Value::from(state.unwrap()), Value::from(if fields.pick(2).is_none() { text!(b"c") } else { s.concat(&[text!(b"r"), fields.pick(2).unwrap()]) })])));
    }
    if state == Some(text!(b"dead")) {
        return Ok(Value::from(s.list(&[Value::from(state.unwrap()), Value::from(s.concat(&[text!(b"k"), if fields.pick(3).is_none() { text!(b"") } else { fields.pick(3).unwrap() }]))])));
    }
    let ms: i64 = s.num(args.get(1))?;
    if ms > 0 {
        let until: i64 = waited_until(s, fields.pick(1), ms)?;
        s.hdel(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"wait"))])?;
        s.hset(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"wait")), Arg::Int(until)])?;
    }
    return Ok(Value::from(s.list(&[Value::from(state.unwrap()), Value::from(text!(b""))])));
}