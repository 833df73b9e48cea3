// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Erasing a job from wherever it is, with its row, its side keys and its names. Its last token is remembered, and its
//! parents hear of it unless it was over and they know.

use crate::runtime::*;
use crate::act::step::dedup::{Names, let_go, read_names};
use crate::act::step::family::{Notice, note_end, tell_gone};
use crate::act::step::lane::{leave_lane, read_lanes, release_lane};
use crate::act::step::parent::{REMOVED_ERROR};
use crate::act::step::result::{tell_waiters, waited_until};
use crate::act::step::row::{delete_row};
use crate::act::step::tokens::{last_token, remember_tokens};

/// Removes an id from the sets and its lane, then deletes the row. Membership decides, not the row's word, so a
/// member that strayed goes as well.
pub fn erase<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, group: Option<Text<'a>>, dedup: Option<Text<'a>>) -> Act<()> {
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"active")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"schedule")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"dead")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"completed")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"expiry")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"ttl")]))])?;
    if group.is_some() {
        read_lanes(s, base, s.list(&[group.unwrap()]), 1)?;
    }
    let holds: bool = group.is_some() && s.hexists(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"held"))])? == 1;
    let names: Option<&'a Names<'a>> = read_names(s, base, id, dedup, true)?;
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"wait")), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"state")), Arg::Word(text!(b"parent"))])?;
    let token: i64 = last_token(s, base, fields.pick(1))?;
    let state: Option<Text<'a>> = fields.pick(2);
    let is_awaiting: bool = state == Some(text!(b"awaiting_children"));
    if is_awaiting {
        s.zcard(&[Arg::Text(s.concat(&[base, text!(b"awaiting")]))])?;
    }
    if state == Some(text!(b"dead")) || state == Some(text!(b"completed")) {
        fields.set(3, None);
    }
    let notice: Option<&'a Notice<'a>> = note_end(s, base, id, fields.pick(3), text!(b"removed"), REMOVED_ERROR, true, None)?;
    if waited_until(s, fields.pick(0), 0)? > 0 {
        tell_waiters(s, base, id)?;
    }
    s.zrem(&[Arg::Text(s.concat(&[base, text!(b"pending")])), Arg::Text(id)])?;
    let was_active: i64 = s.zrem(&[Arg::Text(s.concat(&[base, text!(b"active")])), Arg::Text(id)])?;
    let was_scheduled: i64 = s.zrem(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Text(id)])?;
    s.zrem(&[Arg::Text(s.concat(&[base, text!(b"dead")])), Arg::Text(id)])?;
    s.zrem(&[Arg::Text(s.concat(&[base, text!(b"completed")])), Arg::Text(id)])?;
    s.zrem(&[Arg::Text(s.concat(&[base, text!(b"expiry")])), Arg::Text(id)])?;
    s.zrem(&[Arg::Text(s.concat(&[base, text!(b"ttl")])), Arg::Text(id)])?;
    if is_awaiting {
        s.zrem(&[Arg::Text(s.concat(&[base, text!(b"awaiting")])), Arg::Text(id)])?;
    }
    if group.is_some() {
        leave_lane(s, base, group.unwrap(), id)?;
        if was_active == 1 || (was_scheduled == 1 && holds) {
            release_lane(s, base, group.unwrap())?;
        }
    }
    delete_row(s, s.concat(&[base, text!(b"job:"), id]))?;
    remember_tokens(s, base, s.list(&[id]), s.list(&[token]))?;
    tell_gone(s, base, notice)?;
    let_go(s, base, names)?;
    Ok(())
}