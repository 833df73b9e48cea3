// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `CLEAN`: removes those of the given jobs that are in one state.
//!
//! The host picks ids by their age, which never changes, and this act judges the state, which may have changed since. So
//! nothing is removed that was claimed, retried or promoted in between. A locked job stays.

use crate::runtime::*;
use crate::act::check::operator::clean::{check_clean};
use crate::act::step::erase::{erase};
use crate::act::step::event::{heard_by, tell_of_job};
use crate::act::step::lane::{lane_key};
use crate::act::step::wake::{is_open, push_if_claimable};

/// The set in which a job of a state stands; a job of a lane waits in its lane.
pub fn place_of<'a>(s: &Server<'a>, base: Text<'a>, state: Text<'a>, group: Option<Text<'a>>) -> Text<'a> {
    if state == text!(b"dead") || state == text!(b"completed") {
        return s.concat(&[base, state]);
    }
    if state == text!(b"awaiting_children") {
        return s.concat(&[base, text!(b"awaiting")]);
    }
    if state == text!(b"scheduled") {
        return s.concat(&[base, text!(b"schedule")]);
    }
    return if group.is_none() { s.concat(&[base, text!(b"pending")]) } else { lane_key(s, base, group.unwrap()) };
}

/// Keys: pending, schedule, dead, base. Arguments: state, ids. Answers how many were removed.
pub fn clean<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_clean(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(3);
    let state: Text<'a> = args.get(0);
    let open: bool = is_open(s, base)?;
    let heard: i64 = heard_by(s, base)?;
    let stop: i64 = args.len();
    let mut removed: i64 = 0;
    {
        let mut i: i64 = 1;
        while i < stop {
            let id: Text<'a> = args.get(i);
            let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
            let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"group")), Arg::Word(text!(b"dedup")), Arg::Word(text!(b"lock"))])?;
            if fields.pick(0) == Some(state) && fields.pick(3).is_none() && s.exists(&[Arg::Text(s.concat(&[row, text!(b":lock")]))])? == 0 {
                if s.zscore(&[Arg::Text(place_of(s, base, state, fields.pick(1))), Arg::Text(id)])?.is_some() {
                    if heard > 0 {
                        tell_of_job(s, base, text!(b"removed"), id, fields.pick(2), s.list(&[text!(b"state"), state]))?;
                    }
                    erase(s, base, id, fields.pick(1), fields.pick(2))?;
                    removed += 1;
                }
            }
            i += 1;
        }
    }
    if removed > 0 {
        push_if_claimable(s, base, open)?;
    }
    return Ok(Value::from(removed));
}