// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `CANCEL`: removes a job that waits, for its turn, its time or its children, or marks an active one so that its holder
//! stops.
//!
//! The mark is dropped before it is set: dropping is a write that a full server admits. The channel `control` tells the
//! holder at once; should it not hear it, it reads the mark when it renews its lease.

use crate::runtime::*;
use crate::act::check::job::cancel::{check_cancel};
use crate::act::step::control::{tell_control};
use crate::act::step::erase::{erase};
use crate::act::step::event::{heard_by, tell_of_job};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Keys: row, active, base. Arguments: id, reason. Answers 1 marked, 2 removed, -1 gone or over.
pub fn cancel<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_cancel(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"state")), Arg::Word(text!(b"group")), Arg::Word(text!(b"dedup"))])?;
    let state: Option<Text<'a>> = fields.pick(0);
    let waits: bool = state == Some(text!(b"pending")) || state == Some(text!(b"scheduled")) || state == Some(text!(b"awaiting_children"));
    if state != Some(text!(b"active")) && !waits {
        return Ok(Value::from(-1));
    }
    if heard_by(s, keys.get(2))? > 0 {
        tell_of_job(s, keys.get(2), text!(b"cancelled"), args.get(0), fields.pick(2), s.list(&[text!(b"state"), state.unwrap(), text!(b"reason"), args.get(1)]))?;
    }
    if state == Some(text!(b"active")) {
        tell_control(s, keys.get(2), text!(b"c"), args.get(0))?;
        s.hdel(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"cancel"))])?;
        s.hset(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"cancel")), Arg::Text(args.get(1))])?;
        return Ok(Value::from(1));
    }
    let open: bool = is_open(s, keys.get(2))?;
    erase(s, keys.get(2), args.get(0), fields.pick(1), fields.pick(2))?;
    if fields.pick(1).is_some() {
        push_if_claimable(s, keys.get(2), open)?;
    }
    return Ok(Value::from(2));
}