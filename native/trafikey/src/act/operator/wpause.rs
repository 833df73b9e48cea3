// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `WPAUSE`: pauses or resumes one worker, which hears of it at once or with its next word.
//!
//! The word stands in the worker's own entry of `workers` and goes with it. The entry is dropped before it is written:
//! dropping is a write that a full server admits.

use crate::runtime::*;
use crate::act::check::operator::wpause::{check_wpause};
use crate::act::step::control::{tell_control};
use crate::act::step::presence::{is_paused_entry, paused_entry};

/// Keys: workers, base. Arguments: worker, on or off. Answers 1, 0 when it was so, -1 when no such worker is listed.
pub fn wpause<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_wpause(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let worker: Text<'a> = args.get(0);
    let entry: Option<Text<'a>> = s.hget(&[Arg::Text(keys.get(0)), Arg::Text(worker)])?;
    if entry.is_none() || entry.unwrap().slice(0, 1) != text!(b"{") {
        return Ok(Value::from(-1));
    }
    let is_paused: bool = args.get(1) == text!(b"on");
    if is_paused_entry(Some(entry.unwrap())) == is_paused {
        return Ok(Value::from(0));
    }
    tell_control(s, keys.get(1), text!(b"w"), worker)?;
    s.hdel(&[Arg::Text(keys.get(0)), Arg::Text(worker)])?;
    s.hset(&[Arg::Text(keys.get(0)), Arg::Text(worker), Arg::Text(paused_entry(s, entry.unwrap(), is_paused))])?;
    return Ok(Value::from(1));
}