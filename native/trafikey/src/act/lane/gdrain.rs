// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `GDRAIN`: deletes waiting jobs of a lane, those that would run first before others.
//!
//! A member whose row is of another lane, or does not wait, strayed here: it goes, and the job stays.

use crate::runtime::*;
use crate::act::check::lane::gdrain::{check_gdrain};
use crate::act::step::bulk::{remove_members};
use crate::act::step::dedup::{Names, let_go, read_names};
use crate::act::step::event::{heard_by, tell_of_job};
use crate::act::step::family::{Notice, note_end, tell_gone};
use crate::act::step::kin::{Told, nothing_told};
use crate::act::step::lane::{is_servable};
use crate::act::step::parent::{REMOVED_ERROR};
use crate::act::step::result::{tell_waiters, waited_until};
use crate::act::step::row::{delete_row};
use crate::act::step::tokens::{last_token, remember_tokens};

/// Keys: lane, ring, base. Arguments: group, budget. Answers how many members went; as many as the budget means more.
pub fn gdrain<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_gdrain(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(2);
    let group: Text<'a> = args.get(0);
    let ids: List<'a, Text<'a>> = s.zrange(&[Arg::Text(keys.get(0)), Arg::Int(0), Arg::Int(s.num(args.get(1))? - 1)])?;
    let stop: i64 = ids.len();
    if stop == 0 {
        return Ok(Value::from(0));
    }
    s.llen(&[Arg::Text(keys.get(1))])?;
    let servable: bool = is_servable(s, base, group)?;
    let heard: i64 = heard_by(s, base)?;
    let doomed: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let gone: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let tokens: List<'a, i64> = s.list::<i64>(&[]);
    let held: List<'a, &'a Names<'a>> = s.list::<&'a Names<'a>>(&[]);
    let waited: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let notices: List<'a, &'a Notice<'a>> = s.list::<&'a Notice<'a>>(&[]);
    let told: &'a Told<'a> = nothing_told(s);
    for id in ids.iter() {
        let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"state")), Arg::Word(text!(b"group")), Arg::Word(text!(b"dedup")), Arg::Word(text!(b"wait")), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"parent"))])?;
        if fields.pick(0) == Some(text!(b"pending")) && fields.pick(1) == Some(group) {
            doomed.push(s.concat(&[base, text!(b"job:"), id]));
            gone.push(id);
            tokens.push(last_token(s, base, fields.pick(4))?);
            let notice: Option<&'a Notice<'a>> = note_end(s, base, id, fields.pick(5), text!(b"removed"), REMOVED_ERROR, true, Some(told))?;
            if notice.is_some() {
                notices.push(notice.unwrap());
            }
            if heard > 0 {
                tell_of_job(s, base, text!(b"removed"), id, fields.pick(2), s.list(&[text!(b"state"), text!(b"pending")]))?;
            }
            let names: Option<&'a Names<'a>> = read_names(s, base, id, fields.pick(2), true)?;
            if names.is_some() {
                held.push(names.unwrap());
            }
            if waited_until(s, fields.pick(3), 0)? > 0 {
                waited.push(id);
            }
        }
    }
    let timed: i64 = s.zcard(&[Arg::Text(s.concat(&[base, text!(b"ttl")]))])?;
    for id in waited.iter() {
        tell_waiters(s, base, id)?;
    }
    // By member and not by rank: an operator is kept from claiming by lacking the command for ranks.
    remove_members(s, keys.get(0), ids)?;
    if timed > 0 {
        remove_members(s, s.concat(&[base, text!(b"ttl")]), ids)?;
    }
    for row in doomed.iter() {
        delete_row(s, row)?;
    }
    remember_tokens(s, base, gone, tokens)?;
    for notice in notices.iter() {
        tell_gone(s, base, Some(notice))?;
    }
    for names in held.iter() {
        let_go(s, base, Some(names))?;
    }
    if servable && s.zcard(&[Arg::Text(keys.get(0))])? == 0 {
        s.lrem(&[Arg::Text(keys.get(1)), Arg::Int(1), Arg::Text(group)])?;
    }
    return Ok(Value::from(stop));
}