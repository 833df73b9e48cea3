//! Sorted sets.

use std::ffi::c_int;

use valkey_module::raw;

use super::direct::{Open, ZSET, key_of};
use super::strings::{OwnedString, bytes_of, with_string};
use super::{Fault, Server};
use crate::runtime::{Act, Arg, DECIMAL_MAX, List, Text, decimal};
use crate::server::commands::whole_of;

/// Scores up to here are whole numbers whose decimal text is that of the server.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// The score that an argument stands for.
fn score_of(arg: &Arg) -> Act<f64> {
    let score = match arg {
        Arg::Int(number) => Some(*number as f64),
        Arg::Text(text) | Arg::Word(text) => std::str::from_utf8(text.0).ok().and_then(|text| text.parse::<f64>().ok()),
    };
    match score {
        Some(score) if !score.is_nan() => Ok(score),
        _ => Err(Fault::new(b"ERR value is not a valid float")),
    }
}

/// Takes a member out; whether it was there.
fn remove(open: Open, member: *mut raw::RedisModuleString) -> bool {
    let mut deleted: c_int = 0;
    // SAFETY: the key is open and holds a sorted set, or nothing since an earlier member was its last, which is no error.
    unsafe { raw::RedisModule_ZsetRem.unwrap()(open.handle.key, member, &mut deleted) };
    deleted != 0
}

impl<'a> Server<'a> {
    pub fn zcard(&self, args: &[Arg<'a>]) -> Act<i64> {
        let open = self.open(key_of(args), ZSET)?;
        // SAFETY: the key is open.
        Ok(unsafe { raw::RedisModule_ValueLength.unwrap()(open.handle.key) } as i64)
    }

    /// Scores and members, without further words.
    pub fn zadd(&self, args: &[Arg<'a>]) -> Act<i64> {
        let open = self.open(key_of(args), ZSET)?;
        let mut scores = bumpalo::collections::Vec::with_capacity_in(args.len() / 2, self.arena);
        for pair in args[1..].chunks_exact(2) {
            scores.push(score_of(&pair[0])?);
        }
        self.begin_writing()?;
        let strings = self.strings_of(open, args);
        let mut added = 0;
        for (pair, score) in strings.pointers()[1..].chunks_exact(2).zip(&scores) {
            let mut flags: c_int = 0;
            // SAFETY: the key is open and no other value than a sorted set.
            unsafe { raw::RedisModule_ZsetAdd.unwrap()(open.handle.key, *score, pair[1], &mut flags) };
            added += i64::from(flags & raw::REDISMODULE_ZADD_ADDED as c_int != 0);
        }
        self.tell(open, raw::REDISMODULE_NOTIFY_ZSET, c"zadd", c"ZADD", &strings);
        Ok(added)
    }

    pub fn zrem(&self, args: &[Arg<'a>]) -> Act<i64> {
        let open = self.open(key_of(args), ZSET)?;
        if open.is_empty() {
            return Ok(0);
        }
        self.begin_writing()?;
        let strings = self.strings_of(open, args);
        let mut removed = 0;
        for member in &strings.pointers()[1..] {
            removed += i64::from(remove(open, *member));
        }
        if removed > 0 {
            self.tell(open, raw::REDISMODULE_NOTIFY_ZSET, c"zrem", c"ZREM", &strings);
            self.tell_if_gone(open);
        }
        Ok(removed)
    }

    /// Takes members out by rank. The first alone is found and taken as it lies, which is most of what a claim of one
    /// job costs; ranges are the server's to take out.
    pub fn zremrangebyrank(&self, args: &[Arg<'a>]) -> Act<i64> {
        let open = self.open(key_of(args), ZSET)?;
        if open.is_empty() {
            return Ok(0);
        }
        if (whole_of(&args[1]), whole_of(&args[2])) != (Some(0), Some(0)) {
            return self.writing_number(c"ZREMRANGEBYRANK", args);
        }
        self.begin_writing()?;
        let strings = self.strings_of(open, args);
        // SAFETY: the key is open and a sorted set that has a first member; the range ends before the set is written to.
        let first = unsafe {
            raw::RedisModule_ZsetFirstInScoreRange.unwrap()(open.handle.key, f64::NEG_INFINITY, f64::INFINITY, 0, 0);
            let first = raw::RedisModule_ZsetRangeCurrentElement.unwrap()(open.handle.key, std::ptr::null_mut());
            raw::RedisModule_ZsetRangeStop.unwrap()(open.handle.key);
            OwnedString(first)
        };
        remove(open, first.0);
        self.tell(open, raw::REDISMODULE_NOTIFY_ZSET, c"zremrangebyrank", c"ZREMRANGEBYRANK", &strings);
        self.tell_if_gone(open);
        Ok(1)
    }

    pub fn zscore(&self, args: &[Arg<'a>]) -> Act<Option<Text<'a>>> {
        let open = self.open(key_of(args), ZSET)?;
        if open.is_empty() {
            return Ok(None);
        }
        let mut score = 0.0;
        let found = with_string(&args[1], |member| {
            // SAFETY: as above.
            unsafe { raw::RedisModule_ZsetScore.unwrap()(open.handle.key, member, &mut score) }
        });
        if found != raw::REDISMODULE_OK as c_int {
            return Ok(None);
        }
        match self.score_text(score) {
            Some(text) => Ok(Some(text)),
            None => Ok(Some(self.run(c"ZSCORE", args)?.text())),
        }
    }

    /// The text of a score that is a whole number; nothing for another, which the server has to write.
    fn score_text(&self, score: f64) -> Option<Text<'a>> {
        let is_exact = score.fract() == 0.0 && score.abs() < EXACT_MAX && !(score == 0.0 && score.is_sign_negative());
        is_exact.then(|| self.keep(decimal(score as i64, &mut [0; DECIMAL_MAX])))
    }

    /// Members by rank. From the first on they are read as they lie; any other range is the server's to find.
    pub fn zrange(&self, args: &[Arg<'a>]) -> Act<List<'a, Text<'a>>> {
        let open = self.open(key_of(args), ZSET)?;
        if open.is_empty() {
            return Ok(self.list(&[]));
        }
        let (first, last) = (whole_of(&args[1]), whole_of(&args[2]));
        let with_scores = args.len() == 4;
        if let (Some(0), Some(last)) = (first, last) {
            let most = if last < 0 { i64::MAX.saturating_add(last + 1) } else { last + 1 };
            if last == -1 || last >= 0 {
                if let Some(members) = self.members_upto(open, f64::INFINITY, most, with_scores) {
                    return Ok(members);
                }
            }
        }
        self.texts_of(self.run(c"ZRANGE", args)?)
    }

    /// Members from the lowest score up to one, at most so many: `ZRANGEBYSCORE key -inf max LIMIT 0 count`.
    pub fn zrangebyscore(&self, args: &[Arg<'a>]) -> Act<List<'a, Text<'a>>> {
        let open = self.open(key_of(args), ZSET)?;
        if open.is_empty() {
            return Ok(self.list(&[]));
        }
        if let [_, Arg::Word(Text(b"-inf")), Arg::Int(most), Arg::Word(Text(b"LIMIT")), Arg::Int(0), Arg::Int(count)] =
            args
        {
            if let Some(members) = self.members_upto(open, *most as f64, *count, false) {
                return Ok(members);
            }
        }
        self.texts_of(self.run(c"ZRANGEBYSCORE", args)?)
    }

    /// Members from the lowest on; nothing when a score has to be written that is no whole number.
    fn members_upto(&self, open: Open, most: f64, count: i64, with_scores: bool) -> Option<List<'a, Text<'a>>> {
        let key = open.handle.key;
        let members = self.list(&[]);
        let mut left = count;
        // SAFETY: the key is open and a sorted set; nothing is written to it while the range lasts.
        unsafe {
            raw::RedisModule_ZsetFirstInScoreRange.unwrap()(key, f64::NEG_INFINITY, most, 0, 0);
            while left > 0 && raw::RedisModule_ZsetRangeEndReached.unwrap()(key) == 0 {
                let mut score = 0.0;
                let member = OwnedString(raw::RedisModule_ZsetRangeCurrentElement.unwrap()(key, &mut score));
                members.push(self.keep(bytes_of(member.0)));
                if with_scores {
                    let Some(text) = self.score_text(score) else {
                        raw::RedisModule_ZsetRangeStop.unwrap()(key);
                        return None;
                    };
                    members.push(text);
                }
                raw::RedisModule_ZsetRangeNext.unwrap()(key);
                left -= 1;
            }
            raw::RedisModule_ZsetRangeStop.unwrap()(key);
        }
        Some(members)
    }
}
