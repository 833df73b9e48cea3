// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `REMOVE`: removes a job from wherever it is, an active one included. Its holder's settlement then answers that it is
//! gone.
//!
//! A job that a foreign lock plane has marked is left as it is, unless it is forced.

use crate::runtime::*;
use crate::act::check::job::remove::{check_remove};
use crate::act::step::erase::{erase};
use crate::act::step::event::{heard_by, tell_of_job};
use crate::act::step::limit::{has_ceiling};
use crate::act::step::row::{held_dedup};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Keys: row, pending, active, schedule, dead, base. Arguments: id, dedup or empty, perhaps force. Answers 1 or -1.
pub fn remove<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_remove(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(5);
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"state")), Arg::Word(text!(b"group")), Arg::Word(text!(b"dedup")), Arg::Word(text!(b"lock"))])?;
    if fields.pick(0).is_none() && s.exists(&[Arg::Text(keys.get(0))])? == 0 {
        return Ok(Value::from(-1));
    }
    let locked: bool = fields.pick(3).is_some() || s.exists(&[Arg::Text(s.concat(&[keys.get(0), text!(b":lock")]))])? == 1;
    if locked && args.len() < 3 {
        return Ok(Value::Error(text!(b"EMQLOCK job is locked")));
    }
    let open: bool = is_open(s, base)?;
    let frees: bool = fields.pick(1).is_some() || has_ceiling(s, base)?;
    let held: Text<'a> = held_dedup(s, base, Some(args.get(1)), args.get(0))?;
    if heard_by(s, base)? > 0 {
        tell_of_job(s, base, text!(b"removed"), args.get(0), fields.pick(2), s.list(&[text!(b"state"), if fields.pick(0).is_none() { text!(b"") } else { fields.pick(0).unwrap() }]))?;
    }
    erase(s, base, args.get(0), fields.pick(1), fields.pick(2))?;
    if held != text!(b"") {
        s.del(&[Arg::Text(held)])?;
    }
    if frees {
        push_if_claimable(s, base, open)?;
    }
    return Ok(Value::from(1));
}