// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Tokens outlive a removed row, so that the numbers of one id go on growing when the id is added again.
//!
//! `tokens` is a sorted set: member job id, score (minute of the removal since 1970) x 2^27 + last token. So a score is
//! exact, the oldest entries stand first on every engine, and nothing is drawn by chance. A removal writes the entry;
//! the next claim of the id takes it back out, raises `attempts` by it and books it as interruptions, which leaves the
//! budget of the new job whole. Between the two the row says 0, which no settlement can name.
//!
//! Only ids that were claimed and then removed are kept: 10,000 of them at most, the oldest going first, and all of them
//! for a day after the last removal. While there is none, the set does not exist, and an act asks for no more than that.
//! Whatever takes a pending, active, scheduled or dead row away remembers it: removal, draining, cleaning, and dead jobs
//! that are not kept. Completed jobs are not, since theirs is the way of nearly all, and OBLITERATE leaves no key at
//! all.

use crate::runtime::*;
use crate::act::step::bound::{NUMBER_MAX};
use crate::act::step::bulk::{remove_members};

/// Entries that are kept, at most.
pub const TOKENS_MAX: i64 = 10000;

/// Life of the set after its last entry, in ms: a day. No holder of a removed job comes back later.
pub const TOKENS_MS: i64 = 86400000;

/// Entries that one act takes away to put the set back within its bounds.
pub const TOKENS_TRIM_MAX: i64 = 1000;

/// Tokens below one minute of the score: 2^27. With minutes below 2^26 (until 2097) the sum stays below 2^53.
pub const TOKEN_SPAN: i64 = 134217728;

pub const MINUTE_MS: i64 = 60000;

/// Puts the set back within its bounds, if it has outgrown them or would stay for ever; answers whether it had to.
pub fn bound_tokens<'a>(s: &Server<'a>, base: Text<'a>) -> Act<bool> {
    let key: Text<'a> = s.concat(&[base, text!(b"tokens")]);
    let over: i64 = s.zcard(&[Arg::Text(key)])? - TOKENS_MAX;
    if over <= 0 && s.pttl(&[Arg::Text(key)])? != -1 {
        return Ok(false);
    }
    // A set that is far too large is taken back over several acts.
    if over > 0 {
        remove_members(s, key, s.zrange(&[Arg::Text(key), Arg::Int(0), Arg::Int(i64::min(over, TOKENS_TRIM_MAX) - 1)])?)?;
    }
    s.pexpire(&[Arg::Text(key), Arg::Int(TOKENS_MS)])?;
    return Ok(true);
}

/// The token to remember of a row that is about to be deleted, 0 when it was never claimed. Reads the set, so that a
/// foreign type ends the act while nothing is written.
pub fn last_token<'a>(s: &Server<'a>, base: Text<'a>, attempts: Option<Text<'a>>) -> Act<i64> {
    if attempts.is_none() || !s.int(attempts.unwrap(), 1, NUMBER_MAX) {
        return Ok(0);
    }
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"tokens")]))])?;
    return Ok(i64::min(s.num(attempts.unwrap())?, TOKEN_SPAN - 1));
}

/// Remembers the last tokens of rows that were deleted, id for id; 0 is nothing to remember.
pub fn remember_tokens<'a>(s: &Server<'a>, base: Text<'a>, ids: List<'a, Text<'a>>, tokens: List<'a, i64>) -> Act<()> {
    let key: Text<'a> = s.concat(&[base, text!(b"tokens")]);
    let stop: i64 = ids.len();
    let mut kept: i64 = 0;
    {
        let mut i: i64 = 0;
        while i < stop {
            if tokens.get(i) > 0 {
                s.zadd(&[Arg::Text(key), Arg::Int(floor_div(s.now(), MINUTE_MS) * TOKEN_SPAN + tokens.get(i)), Arg::Text(ids.get(i))])?;
                kept += 1;
            }
            i += 1;
        }
    }
    if kept == 0 {
        return Ok(());
    }
    let over: i64 = s.zcard(&[Arg::Text(key)])? - TOKENS_MAX;
    if over > 0 {
        s.zremrangebyrank(&[Arg::Text(key), Arg::Int(0), Arg::Int(over - 1)])?;
    }
    s.pexpire(&[Arg::Text(key), Arg::Int(TOKENS_MS)])?;
    Ok(())
}

/// Raises the tokens of jobs that are about to be claimed for the first time by those of the former lives of their ids;
/// answers these by their place, 0 for none. Reads only.
#[cold]
pub fn recall_tokens<'a>(s: &Server<'a>, base: Text<'a>, ids: List<'a, Text<'a>>, tokens: List<'a, i64>) -> Act<List<'a, i64>> {
    let formers: List<'a, i64> = s.list::<i64>(&[]);
    let stop: i64 = ids.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let score: Option<Text<'a>> = if tokens.get(i) == 1 { s.zscore(&[Arg::Text(s.concat(&[base, text!(b"tokens")])), Arg::Text(ids.get(i))])? } else { None };
            let packed: i64 = if score.is_none() { 0 } else { s.num(score.unwrap())? };
            let former: i64 = packed - floor_div(packed, TOKEN_SPAN) * TOKEN_SPAN;
            tokens.set(i, tokens.get(i) + former);
            formers.set(i, former);
            i += 1;
        }
    }
    return Ok(formers);
}

/// Books the former tokens of jobs that have just been claimed as interruptions, in their rows and in what the act
/// answers (eight parts a job, from `from` on), and forgets them.
#[cold]
pub fn book_tokens<'a>(s: &Server<'a>, base: Text<'a>, ids: List<'a, Text<'a>>, formers: List<'a, i64>, jobs: List<'a, Value<'a>>, from: i64) -> Act<()> {
    let stop: i64 = ids.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            if formers.get(i) > 0 {
                s.zrem(&[Arg::Text(s.concat(&[base, text!(b"tokens")])), Arg::Text(ids.get(i))])?;
                s.hset(&[Arg::Text(s.concat(&[base, text!(b"job:"), ids.get(i)])), Arg::Word(text!(b"deferred")), Arg::Int(formers.get(i))])?;
                jobs.set(from + i * 8 + 7, Value::from(formers.get(i)));
            }
            i += 1;
        }
    }
    Ok(())
}