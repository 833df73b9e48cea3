// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `COMPLETE`: ends a job as done. Its row and side keys go, unless the call or the queue has it kept.
//!
//! A missing row answers 0 and takes a stray member of `active` with it, which no sweep could turn into a row.

use crate::runtime::*;
use crate::act::check::job::complete::{check_complete};
use crate::act::step::event::{heard_by};
use crate::act::step::limit::{has_ceiling};
use crate::act::step::retain::{Leavers, Terms, ask_queue, done_terms, drop_oldest, find_oldest};
use crate::act::step::settle::{read_holder};
use crate::act::step::settlements::{complete_one};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Reads what a queue with settings, or one that is listened to, makes of a completion; answers whether the end of any
/// job can let another one run.
#[cold]
pub fn look_around<'a>(s: &Server<'a>, base: Text<'a>, terms: &'a Terms<'a>) -> Act<bool> {
    terms.heard.set(heard_by(s, base)?);
    ask_queue(s, base, terms)?;
    return Ok(has_ceiling(s, base)?);
}

/// Keys: active, row, base. Arguments: id, token, perhaps a result, keep_n, keep_ms and result_ms. Answers 1, or 0 when
/// the job is gone.
pub fn complete<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_complete(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let id: Text<'a> = args.get(0);
    let base: Text<'a> = keys.get(2);
    let terms: &'a Terms<'a> = done_terms(s, args, 3)?;
    let holder: List<'a, Option<Text<'a>>> = read_holder(s, keys.get(1))?;
    let is_set: bool = s.exists(&[Arg::Text(s.concat(&[base, text!(b"meta")])), Arg::Text(s.concat(&[base, text!(b"listeners")]))])? > 0;
    let is_capped: bool = is_set && look_around(s, base, terms)?;
    let frees: bool = is_capped || holder.pick(3).is_some();
    let open: bool = !is_set || !frees || is_open(s, base)?;
    let oldest: Option<&'a Leavers<'a>> = if terms.done_count.get() > 0 { Some(find_oldest(s, base, text!(b"completed"), terms.done_count.get(), 1, 0)?) } else { None };
    let verdict: Text<'a> = complete_one(s, base, id, args.get(1), holder, if args.len() > 2 { Some(args.get(2)) } else { None }, terms)?;
    if verdict == text!(b"0") {
        if s.zrem(&[Arg::Text(keys.get(0)), Arg::Text(id)])? == 1 && frees {
            push_if_claimable(s, base, open)?;
        }
        return Ok(Value::from(0));
    }
    if verdict != text!(b"") {
        return Ok(Value::Error(verdict));
    }
    if oldest.is_some() {
        drop_oldest(s, base, text!(b"completed"), oldest.unwrap())?;
    }
    if frees {
        push_if_claimable(s, base, open)?;
    }
    return Ok(Value::from(1));
}