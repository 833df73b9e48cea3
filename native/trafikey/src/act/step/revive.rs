// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Reviving: a dead job gets a fresh budget and waits again, at its own place.
//!
//! A parent that died while it waited for its children waits again if some are open; those that have failed count as
//! ended from then on. A child is open again at a parent of the same queue.
//!
//! The attempts number stays: it is the fencing token and must never repeat. The attempts so far count as interruptions.

use crate::runtime::*;
use crate::act::step::bulk::{write_pairs};
use crate::act::step::kin::{queue_of};
use crate::act::step::open_children::{count_open};
use crate::act::step::parent::{open_in};
use crate::act::step::waiting::{let_wait, read_place};

/// Lets a child count as open at its parent again, if that is of the same queue.
#[cold]
pub fn reopen_child<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, parent: Text<'a>) -> Act<()> {
    let own: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"parent_queue")), Arg::Word(text!(b"parent_as"))])?;
    let is_near: bool = own.pick(0).is_none() || own.pick(0) == Some(text!(b"")) || own.pick(0) == Some(queue_of(base));
    if !is_near || !s.branded(parent) {
        return Ok(());
    }
    s.hdel(&[Arg::Text(s.concat(&[base, text!(b"job:"), parent, text!(b":failed")])), Arg::Text(if own.pick(1).is_none() { id } else { own.pick(1).unwrap() })])?;
    Ok(())
}

/// Counts the failed children of a parent as ended, with their failures; answers how many are open.
pub fn accept_failures<'a>(s: &Server<'a>, row: Text<'a>) -> Act<i64> {
    let failed: List<'a, Text<'a>> = s.hgetall(&[Arg::Text(s.concat(&[row, text!(b":failed")]))])?;
    write_pairs(s, s.concat(&[row, text!(b":unsuccessful")]), failed)?;
    s.del(&[Arg::Text(s.concat(&[row, text!(b":failed")]))])?;
    let mut left: i64 = i64::max(0, open_in(s, s.get(&[Arg::Text(s.concat(&[row, text!(b":dependencies")]))])?)? - failed.len() / 2);
    // Some may have failed before the parent was told of them.
    if s.exists(&[Arg::Text(s.concat(&[row, text!(b":children")]))])? == 1 {
        left = count_open(s, row)?;
    }
    s.set(&[Arg::Text(s.concat(&[row, text!(b":dependencies")])), Arg::Int(left)])?;
    return Ok(left);
}

/// Reads what `acceptFailures` writes to.
pub fn read_failures<'a>(s: &Server<'a>, base: Text<'a>, row: Text<'a>) -> Act<()> {
    s.hlen(&[Arg::Text(s.concat(&[row, text!(b":failed")]))])?;
    s.hlen(&[Arg::Text(s.concat(&[row, text!(b":unsuccessful")]))])?;
    s.hlen(&[Arg::Text(s.concat(&[row, text!(b":processed")]))])?;
    s.hlen(&[Arg::Text(s.concat(&[row, text!(b":children")]))])?;
    s.get(&[Arg::Text(s.concat(&[row, text!(b":dependencies")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"awaiting")]))])?;
    Ok(())
}

/// Lets a parent wait again that died while it waited, when children of it are open. Answers whether it does.
#[cold]
pub fn await_again<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>) -> Act<bool> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
    s.hdel(&[Arg::Text(row), Arg::Word(text!(b"failed_child"))])?;
    s.zrem(&[Arg::Text(s.concat(&[base, text!(b"ttl")])), Arg::Text(id)])?;
    if accept_failures(s, row)? == 0 {
        return Ok(false);
    }
    s.hset(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"awaiting_children"))])?;
    s.zadd(&[Arg::Text(s.concat(&[base, text!(b"awaiting")])), Arg::Int(s.now()), Arg::Text(id)])?;
    return Ok(true);
}

/// Reads what reviving a child, or a parent that died while it waited, touches.
#[cold]
pub fn read_family<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, parent: Option<Text<'a>>, is_parent: bool) -> Act<()> {
    if is_parent {
        read_failures(s, base, s.concat(&[base, text!(b"job:"), id]))?;
    }
    if parent.is_some() && s.branded(parent.unwrap()) {
        s.hlen(&[Arg::Text(s.concat(&[base, text!(b"job:"), parent.unwrap(), text!(b":failed")]))])?;
    }
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"ttl")]))])?;
    Ok(())
}

/// Revives a member of `dead`; `fields` are `attempts`, `group`, `priority`, `state`, `parent` and `failed_child` of its
/// row, which must be there.
pub fn revive_dead<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, fields: List<'a, Option<Text<'a>>>) -> Act<()> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
    let attempts: Option<Text<'a>> = fields.pick(0);
    read_place(s, base, fields.pick(1))?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"expiry")]))])?;
    let parent: Option<Text<'a>> = fields.pick(4);
    let is_parent: bool = fields.pick(5).is_some();
    if is_parent || parent.is_some() {
        read_family(s, base, id, parent, is_parent)?;
    }
    s.zrem(&[Arg::Text(s.concat(&[base, text!(b"dead")])), Arg::Text(id)])?;
    s.zrem(&[Arg::Text(s.concat(&[base, text!(b"expiry")])), Arg::Text(id)])?;
    s.hdel(&[Arg::Text(row), Arg::Word(text!(b"last_error")), Arg::Word(text!(b"stalled")), Arg::Word(text!(b"cancel")), Arg::Word(text!(b"owner")), Arg::Word(text!(b"finished_at"))])?;
    if attempts.is_some() {
        s.hset(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"pending")), Arg::Word(text!(b"deferred")), Arg::Text(attempts.unwrap())])?;
    }
    if attempts == Some(text!(b"0")) {
        s.hdel(&[Arg::Text(row), Arg::Word(text!(b"deferred"))])?;
    }
    if parent.is_some() {
        reopen_child(s, base, id, parent.unwrap())?;
    }
    if !is_parent || !(await_again(s, base, id)?) {
        let_wait(s, base, id, fields.pick(1), fields.pick(2))?;
    }
    Ok(())
}