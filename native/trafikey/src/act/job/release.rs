// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `RELEASE`: moves one scheduled job to where it waits, before its time.

use crate::runtime::*;
use crate::act::check::job::release::{check_release};
use crate::act::step::promote_due::{let_wait_again};
use crate::act::step::waiting::{read_place};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Keys: row, schedule, pending, base. Arguments: id. Answers 1, or -1 when the job is gone.
pub fn release<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_release(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"state")), Arg::Word(text!(b"group")), Arg::Word(text!(b"priority")), Arg::Word(text!(b"owner"))])?;
    if fields.pick(0).is_none() {
        return Ok(Value::from(-1));
    }
    // In an ordered lane a delayed job has its place already, and the instant is all that keeps it.
    if fields.pick(0) == Some(text!(b"pending")) && s.hdel(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"due"))])? == 1 {
        return Ok(Value::from(1));
    }
    if fields.pick(0) != Some(text!(b"scheduled")) {
        return Ok(Value::Error(text!(b"EMQSTATE not scheduled")));
    }
    let open: bool = is_open(s, keys.get(3))?;
    read_place(s, keys.get(3), fields.pick(1))?;
    s.zrem(&[Arg::Text(keys.get(1)), Arg::Text(args.get(0))])?;
    let_wait_again(s, keys.get(3), args.get(0), fields)?;
    push_if_claimable(s, keys.get(3), open)?;
    return Ok(Value::from(1));
}