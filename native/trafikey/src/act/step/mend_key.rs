// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Putting right what a queue has one of: the wake list, the place of the round, counters, the rate window, settings;
//! and deduplication keys whose holder is gone.

use crate::runtime::*;
use crate::act::step::bound::{NUMBER_MAX};
use crate::act::step::limit::{is_limited};
use crate::act::step::mend_job::{LEFT, MENDED, RIGHT};
use crate::act::step::tokens::{bound_tokens};

/// Tokens that the list may hold where foreign speakers push them.
pub const WAKE_TOKENS_MAX: i64 = 64;

/// Entries of the hash of workers: those of a thousand, and the instant of the last pruning.
pub const WORKERS_MAX: i64 = 1001;

/// Puts the tokens of removed jobs back within their bounds.
pub fn mend_tokens<'a>(s: &Server<'a>, base: Text<'a>) -> Act<i64> {
    return Ok(if bound_tokens(s, base)? { MENDED } else { RIGHT });
}

/// Forgets the workers when there are more than can be; those that are there tell so again at their next beat.
pub fn mend_workers<'a>(s: &Server<'a>, base: Text<'a>) -> Act<i64> {
    if s.hlen(&[Arg::Text(s.concat(&[base, text!(b"workers")]))])? <= WORKERS_MAX {
        return Ok(RIGHT);
    }
    s.del(&[Arg::Text(s.concat(&[base, text!(b"workers")]))])?;
    return Ok(MENDED);
}

/// Empties a wake list that holds too much or what is no token. The caller pushes one for the work that waits, also
/// where the list was empty. `open` is whether the queue is not paused.
pub fn mend_wake<'a>(s: &Server<'a>, base: Text<'a>, open: bool) -> Act<i64> {
    let wake: Text<'a> = s.concat(&[base, text!(b"wake")]);
    if s.llen(&[Arg::Text(wake)])? == 0 {
        return Ok(if open && s.exists(&[Arg::Text(s.concat(&[base, text!(b"pending")])), Arg::Text(s.concat(&[base, text!(b"ring")]))])? > 0 && !(is_limited(s, base)?) { MENDED } else { RIGHT });
    }
    let mut is_wrong: bool = s.llen(&[Arg::Text(wake)])? > WAKE_TOKENS_MAX;
    for token in s.lrange(&[Arg::Text(wake), Arg::Int(0), Arg::Int(WAKE_TOKENS_MAX)])?.iter() {
        if token != text!(b"1") {
            is_wrong = true;
        }
    }
    if !is_wrong {
        return Ok(RIGHT);
    }
    s.del(&[Arg::Text(wake)])?;
    return Ok(MENDED);
}

/// Releases a deduplication key that has no expiry and whose holder has no row.
pub fn mend_dedup<'a>(s: &Server<'a>, base: Text<'a>, dedup: Text<'a>) -> Act<i64> {
    if !s.name(dedup) {
        return Ok(RIGHT);
    }
    let key: Text<'a> = s.concat(&[base, text!(b"de:"), dedup]);
    let holder: Option<Text<'a>> = s.get(&[Arg::Text(key)])?;
    if holder.is_none() || s.pttl(&[Arg::Text(key)])? != -1 {
        return Ok(RIGHT);
    }
    if s.branded(holder.unwrap()) && s.exists(&[Arg::Text(s.concat(&[base, text!(b"job:"), holder.unwrap()]))])? == 1 {
        return Ok(RIGHT);
    }
    s.del(&[Arg::Text(key)])?;
    return Ok(MENDED);
}

/// Whether a field is absent or a whole number that is not negative.
pub fn is_count<'a>(s: &Server<'a>, text: Option<Text<'a>>) -> bool {
    return text.is_none() || s.int(text.unwrap(), 0, NUMBER_MAX);
}

/// Whether a field is absent or a whole number of either sign.
pub fn is_signed<'a>(s: &Server<'a>, text: Option<Text<'a>>) -> bool {
    if text.is_none() {
        return true;
    }
    return s.int(if s.char(text.unwrap(), 0) == text!(b"-") { text.unwrap().from(1) } else { text.unwrap() }, 0, NUMBER_MAX);
}

/// Drops a place of the round that no act can read: the round starts anew.
pub fn mend_cursor<'a>(s: &Server<'a>, base: Text<'a>) -> Act<i64> {
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"cursor")])), Arg::Word(text!(b"passed")), Arg::Word(text!(b"credit")), Arg::Word(text!(b"share"))])?;
    if is_count(s, fields.pick(0)) && is_signed(s, fields.pick(1)) && is_count(s, fields.pick(2)) {
        return Ok(RIGHT);
    }
    s.del(&[Arg::Text(s.concat(&[base, text!(b"cursor")]))])?;
    return Ok(MENDED);
}

/// Lets a counter begin anew that no act can raise.
pub fn mend_counter<'a>(s: &Server<'a>, base: Text<'a>, which: Text<'a>, may_destroy: bool) -> Act<i64> {
    if which != text!(b"completed") && which != text!(b"failed") {
        return Ok(RIGHT);
    }
    let key: Text<'a> = s.concat(&[base, text!(b"metrics:"), which]);
    let count: Option<Text<'a>> = s.hget(&[Arg::Text(key), Arg::Word(text!(b"count"))])?;
    if count.is_none() || s.int(count.unwrap(), 0, NUMBER_MAX) {
        return Ok(RIGHT);
    }
    if !may_destroy {
        return Ok(LEFT);
    }
    s.hdel(&[Arg::Text(key), Arg::Word(text!(b"count"))])?;
    return Ok(MENDED);
}

/// Ends a rate window that is no number or would never end.
pub fn mend_limiter<'a>(s: &Server<'a>, base: Text<'a>) -> Act<i64> {
    let limiter: Text<'a> = s.concat(&[base, text!(b"limiter")]);
    let count: Option<Text<'a>> = s.get(&[Arg::Text(limiter)])?;
    if count.is_none() || (s.int(count.unwrap(), 0, NUMBER_MAX) && s.pttl(&[Arg::Text(limiter)])? != -1) {
        return Ok(RIGHT);
    }
    s.del(&[Arg::Text(limiter)])?;
    return Ok(MENDED);
}

/// Drops a setting of the queue that no act can read.
pub fn mend_setting<'a>(s: &Server<'a>, base: Text<'a>, field: Text<'a>, may_destroy: bool) -> Act<i64> {
    let is_one: bool = field == text!(b"concurrency") || field == text!(b"max") || field == text!(b"duration") || field == text!(b"burst");
    if !is_one && field != text!(b"keep_n") && field != text!(b"keep_ms") {
        return Ok(RIGHT);
    }
    let text: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"meta")])), Arg::Text(field)])?;
    if text.is_none() || s.int(text.unwrap(), 0, NUMBER_MAX) {
        return Ok(RIGHT);
    }
    if !may_destroy {
        return Ok(LEFT);
    }
    s.hdel(&[Arg::Text(s.concat(&[base, text!(b"meta")])), Arg::Text(field)])?;
    return Ok(MENDED);
}

/// Gives a repeat that has lost its next occurrence one that whoever fires looks for, and takes away what is left of one
/// without a record.
pub fn mend_repeat<'a>(s: &Server<'a>, base: Text<'a>, set: Text<'a>, name: Text<'a>) -> Act<i64> {
    if set != text!(b"repeat") && set != text!(b"cron") {
        return Ok(RIGHT);
    }
    let key: Text<'a> = s.concat(&[base, set]);
    let record: Text<'a> = s.concat(&[key, text!(b":"), name]);
    let score: Option<Text<'a>> = s.zscore(&[Arg::Text(key), Arg::Text(name)])?;
    if s.name(name) && s.hexists(&[Arg::Text(record), Arg::Word(text!(b"template"))])? == 1 {
        if score.is_some() && s.int(score.unwrap(), 0, NUMBER_MAX) {
            return Ok(RIGHT);
        }
        s.zadd(&[Arg::Text(key), Arg::Int(0), Arg::Text(name)])?;
        return Ok(MENDED);
    }
    let mut gone: i64 = s.zrem(&[Arg::Text(key), Arg::Text(name)])?;
    if s.name(name) {
        gone += s.del(&[Arg::Text(record)])?;
    }
    return Ok(if gone > 0 { MENDED } else { RIGHT });
}