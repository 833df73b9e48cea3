// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Retention: what becomes of jobs that have ended.
//!
//! The terms say how many completed and dead jobs are kept, and for how long. They come with the call of whoever
//! settles, because a worker knows what job, queue and worker ask for and an act cannot read JSON; where a call does not
//! say, the queue's `meta` does for completed jobs, else completed jobs go and dead ones stay.
//!
//! A number of jobs is kept by taking the oldest away in the act that adds one; a time by the sorted set `expiry`, which
//! holds the instant at which each such job is to go. The invariant: an id in `expiry` is that of a completed or dead
//! job, so whoever takes one out of there takes it out of `expiry` too.

use crate::runtime::*;
use crate::act::step::bulk::{delete_keys, remove_members};
use crate::act::step::dedup::{aliases_of};
use crate::act::step::tokens::{last_token, remember_tokens};

/// As many as there are, and the last instant.
pub const ALL: i64 = 9007199254740991;

/// Jobs that one settlement takes away beyond those that it adds, at most.
pub const TRIM_MAX: i64 = 10;

/// The terms on which jobs end: what is kept of them, and for how long; and who is told.
pub struct Terms<'a> {
    /// Completed jobs that are kept, the newest; 0 keeps none, -1 is not said.
    pub done_count: Cell<i64>,
    /// How long a completed job is kept, in ms; 0 is without limit.
    pub done_ms: Cell<i64>,
    /// Dead jobs that are kept; 0 keeps none.
    pub dead_count: Cell<i64>,
    /// How long a dead job is kept, in ms; 0 is without limit.
    pub dead_ms: Cell<i64>,
    /// How long the outcome of a job is left for whoever asks, in ms; 0 leaves it for those alone who have asked.
    pub result_ms: Cell<i64>,
    /// Whether anybody listens to events; see `heardBy`. 0 until whoever settles has asked.
    pub heard: Cell<i64>,
    /// Whether a parent that an end releases wakes a worker: not in a `TURN`, which sees to all work that it leaves.
    pub wakes: Cell<bool>,
    pub here: Here<'a>,
}

/// The terms where nobody says any.
pub fn plain_terms<'a>(s: &Server<'a>) -> &'a Terms<'a> {
    return s.make(Terms { done_count: Cell::new(-1), done_ms: Cell::new(0), dead_count: Cell::new(ALL), dead_ms: Cell::new(0), result_ms: Cell::new(0), heard: Cell::new(0), wakes: Cell::new(true), here: Here::new() });
}

/// The number of an argument, or `absent` where there is none or it is empty.
pub fn given<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, at: i64, absent: i64) -> Act<i64> {
    return Ok(if at < args.len() && args.get(at) != text!(b"") { s.num(args.get(at))? } else { absent });
}

/// The terms at the end of a verb that completes one job: keep_n, keep_ms, result_ms from position `at` on.
pub fn done_terms<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, at: i64) -> Act<&'a Terms<'a>> {
    let terms: &'a Terms<'a> = plain_terms(s);
    terms.done_count.set(given(s, args, at, -1)?);
    terms.done_ms.set(given(s, args, at + 1, 0)?);
    terms.result_ms.set(given(s, args, at + 2, 0)?);
    return Ok(terms);
}

/// The terms at the end of a verb that ends jobs as dead: keep_n, keep_ms, result_ms from position `at` on.
pub fn dead_terms<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, at: i64) -> Act<&'a Terms<'a>> {
    let terms: &'a Terms<'a> = plain_terms(s);
    terms.dead_count.set(given(s, args, at, ALL)?);
    terms.dead_ms.set(given(s, args, at + 1, 0)?);
    terms.result_ms.set(given(s, args, at + 2, 0)?);
    return Ok(terms);
}

/// Fills in what the queue says about completed jobs where the call did not.
pub fn ask_queue<'a>(s: &Server<'a>, base: Text<'a>, terms: &'a Terms<'a>) -> Act<()> {
    if terms.done_count.get() >= 0 {
        return Ok(());
    }
    let said: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"meta")])), Arg::Word(text!(b"keep_n")), Arg::Word(text!(b"keep_ms"))])?;
    let count: Option<Text<'a>> = said.pick(0);
    let ms: Option<Text<'a>> = said.pick(1);
    if ms.is_some() && s.int(ms.unwrap(), 0, ALL) {
        terms.done_ms.set(s.num(ms.unwrap())?);
        if terms.done_ms.get() > 0 {
            terms.done_count.set(ALL);
        }
    }
    if count.is_some() && s.int(count.unwrap(), 0, ALL) {
        terms.done_count.set(s.num(count.unwrap())?);
    }
    Ok(())
}

/// Deletes a kept job's row and side keys, but not an outcome that somebody waits for: that goes by itself.
pub fn delete_kept<'a>(s: &Server<'a>, row: Text<'a>) -> Act<()> {
    s.del(&[Arg::Text(row), Arg::Text(s.concat(&[row, text!(b":logs")])), Arg::Text(s.concat(&[row, text!(b":lock")])), Arg::Text(s.concat(&[row, text!(b":dependencies")])), Arg::Text(s.concat(&[row, text!(b":processed")])), Arg::Text(s.concat(&[row, text!(b":failed")])), Arg::Text(s.concat(&[row, text!(b":unsuccessful")])), Arg::Text(s.concat(&[row, text!(b":children")])), Arg::Text(s.concat(&[row, text!(b":parents")]))])?;
    Ok(())
}

/// Puts a job that has ended into its set, with the instant at which it is to go if there is one.
pub fn keep<'a>(s: &Server<'a>, base: Text<'a>, set: Text<'a>, id: Text<'a>, ms: i64) -> Act<()> {
    let now: i64 = s.now();
    s.zadd(&[Arg::Text(s.concat(&[base, set])), Arg::Int(if set == text!(b"completed") { now } else { 0 }), Arg::Text(id)])?;
    if ms > 0 {
        s.zadd(&[Arg::Text(s.concat(&[base, text!(b"expiry")])), Arg::Int(i64::min(now + ms, ALL)), Arg::Text(id)])?;
    }
    Ok(())
}

/// Kept jobs that are to go, and the aliases that go with them.
pub struct Leavers<'a> {
    pub ids: List<'a, Text<'a>>,
    pub aliases: List<'a, Text<'a>>,
    pub here: Here<'a>,
}

/// Finds the oldest members of a set that are beyond `count` once the act has added `adding` more: at most nine more
/// than `added` in all, and never one that is yet to be added. To be called before the first write, as it reads their
/// rows.
pub fn find_oldest<'a>(s: &Server<'a>, base: Text<'a>, set: Text<'a>, count: i64, adding: i64, added: i64) -> Act<&'a Leavers<'a>> {
    let key: Text<'a> = s.concat(&[base, set]);
    let size: i64 = s.zcard(&[Arg::Text(key)])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"expiry")]))])?;
    let excess: i64 = if count >= ALL { 0 } else { i64::min(i64::min(size + adding - count, adding + added + TRIM_MAX - 1), size) };
    if excess <= 0 {
        return Ok(s.make(Leavers { ids: s.list::<Text<'a>>(&[]), aliases: s.list::<Text<'a>>(&[]), here: Here::new() }));
    }
    let ids: List<'a, Text<'a>> = s.zrange(&[Arg::Text(key), Arg::Int(0), Arg::Int(excess - 1)])?;
    return Ok(s.make(Leavers { ids: ids, aliases: aliases_of(s, base, ids)?, here: Here::new() }));
}

/// Takes away what `findOldest` has found in a set.
pub fn drop_oldest<'a>(s: &Server<'a>, base: Text<'a>, set: Text<'a>, leavers: &'a Leavers<'a>) -> Act<()> {
    if leavers.ids.len() == 0 {
        return Ok(());
    }
    remove_members(s, s.concat(&[base, set]), leavers.ids)?;
    remove_members(s, s.concat(&[base, text!(b"expiry")]), leavers.ids)?;
    let tokens: List<'a, i64> = s.list::<i64>(&[]);
    for id in leavers.ids.iter() {
        let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
        tokens.push(if set == text!(b"dead") { last_token(s, base, s.hget(&[Arg::Text(row), Arg::Word(text!(b"attempts"))])?)? } else { 0 });
        delete_kept(s, row)?;
    }
    remember_tokens(s, base, leavers.ids, tokens)?;
    delete_keys(s, text!(b"DEL"), leavers.aliases)?;
    Ok(())
}

/// Entries of `expiry` whose time is over: all of them in order, and which of them are of jobs that have ended.
pub struct Expired<'a> {
    pub ids: List<'a, Text<'a>>,
    /// `over:<id>` to whether the job has ended.
    pub over: Dict<'a, bool>,
    /// `over:<id>` to the last token that is to be remembered, 0 for none.
    pub tokens: Dict<'a, i64>,
    /// `over:<id>` to the alias that goes with it, at most one.
    pub aliases: Dict<'a, List<'a, Text<'a>>>,
    pub here: Here<'a>,
}

/// Finds at most `limit` entries whose time is over, before the first write.
pub fn find_expired<'a>(s: &Server<'a>, base: Text<'a>, limit: i64) -> Act<&'a Expired<'a>> {
    let over: Dict<'a, bool> = s.dict();
    let tokens: Dict<'a, i64> = s.dict();
    let aliases: Dict<'a, List<'a, Text<'a>>> = s.dict();
    if limit <= 0 {
        return Ok(s.make(Expired { ids: s.list::<Text<'a>>(&[]), over: over, tokens: tokens, aliases: aliases, here: Here::new() }));
    }
    let ids: List<'a, Text<'a>> = s.zrangebyscore(&[Arg::Text(s.concat(&[base, text!(b"expiry")])), Arg::Word(text!(b"-inf")), Arg::Int(s.now()), Arg::Word(text!(b"LIMIT")), Arg::Int(0), Arg::Int(limit)])?;
    if ids.len() > 0 {
        s.zcard(&[Arg::Text(s.concat(&[base, text!(b"completed")]))])?;
        s.zcard(&[Arg::Text(s.concat(&[base, text!(b"dead")]))])?;
        s.zcard(&[Arg::Text(s.concat(&[base, text!(b"tokens")]))])?;
    }
    for id in ids.iter() {
        let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"state")), Arg::Word(text!(b"attempts"))])?;
        over.set(s.concat(&[text!(b"over:"), id]), fields.pick(0) == Some(text!(b"completed")) || fields.pick(0) == Some(text!(b"dead")));
        tokens.set(s.concat(&[text!(b"over:"), id]), if fields.pick(0) == Some(text!(b"dead")) { last_token(s, base, fields.pick(1))? } else { 0 });
        aliases.set(s.concat(&[text!(b"over:"), id]), aliases_of(s, base, s.list(&[id]))?);
    }
    return Ok(s.make(Expired { ids: ids, over: over, tokens: tokens, aliases: aliases, here: Here::new() }));
}

/// Takes away at most `limit` of what `findExpired` has found; answers how many entries that were. An entry whose
/// job is not over, or gone, is dropped and nothing else.
pub fn drop_expired<'a>(s: &Server<'a>, base: Text<'a>, expired: &'a Expired<'a>, limit: i64) -> Act<i64> {
    let ids: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let over: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let tokens: List<'a, i64> = s.list::<i64>(&[]);
    let aliases: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    for id in expired.ids.iter() {
        if ids.len() < limit {
            ids.push(id);
            if expired.over.get(s.concat(&[text!(b"over:"), id])) == Some(true) {
                over.push(id);
                tokens.push(expired.tokens.get(s.concat(&[text!(b"over:"), id])).unwrap());
                for alias in expired.aliases.get(s.concat(&[text!(b"over:"), id])).unwrap().iter() {
                    aliases.push(alias);
                }
            }
        }
    }
    remove_members(s, s.concat(&[base, text!(b"expiry")]), ids)?;
    remove_members(s, s.concat(&[base, text!(b"completed")]), over)?;
    remove_members(s, s.concat(&[base, text!(b"dead")]), over)?;
    for id in over.iter() {
        delete_kept(s, s.concat(&[base, text!(b"job:"), id]))?;
    }
    remember_tokens(s, base, over, tokens)?;
    delete_keys(s, text!(b"DEL"), aliases)?;
    return Ok(ids.len());
}