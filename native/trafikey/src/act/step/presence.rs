// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Who asks: the hash `workers`, which says who serves a queue to a person who wonders why a job does not run.
//!
//! A worker adds the run `w` to a `TURN` at most once a beat, so all other turns pay for one comparison of a text. The
//! instant is the server's, as every instant that is compared with another. An entry is dropped when its worker leaves,
//! or by any other worker once it has been silent for ten of its own beats; at most 1000 are kept, and what is beyond
//! works as well but is not listed. The field `pruned` holds when that was last seen to, so however many workers there
//! are, the hash is read whole once in ten seconds.
//!
//! An entry may say that its worker is to take no jobs, which anybody may write and the worker's next word keeps. It is
//! told of it by the reply. Such an entry outlives an hour of silence, so that an outage lets no worker go on that was
//! paused.

use crate::runtime::*;
use crate::act::step::bound::{NUMBER_MAX};

/// Arguments of the run: `w`, `1`, beat in ms, concurrency (0 leaves), names.
pub const PRESENCE_WIDTH: i64 = 5;

/// Workers that are listed, at most: as many as one act may read.
pub const WORKERS_MAX: i64 = 1000;

/// Bytes of the names of one worker, at most, so that all together stay about 1 MiB.
pub const NAMES_MAX: i64 = 1024;

/// How often the silent ones are looked for, in ms.
pub const PRUNE_MS: i64 = 10000;

/// Beats of silence after which a worker is no longer listed.
pub const SILENT_BEATS: i64 = 10;

/// How a worker's entry begins that is to take no jobs, and for how long such a one may be silent, in ms.
pub const PAUSED_HEAD: Text<'static> = text!(b"{\"paused\":true,");

pub const PAUSED_SILENT_MS: i64 = 3600000;

/// The name of the first bad argument of the run at position `at`, empty when all suit.
#[cold]
pub fn bad_presence<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, at: i64) -> Text<'a> {
    if args.len() < at + PRESENCE_WIDTH {
        return text!(b"row");
    }
    if args.get(at + 1) != text!(b"1") {
        return text!(b"count");
    }
    if !(s.int(args.get(at + 2), 1, 3600000)) {
        return text!(b"beat_ms");
    }
    if !(s.int(args.get(at + 3), 0, 1000000)) {
        return text!(b"concurrency");
    }
    return if args.get(at + 4).len() > NAMES_MAX { text!(b"names") } else { text!(b"") };
}

/// The bytes of a text from `at` to the next comma, 16 at most.
pub fn until_comma<'a>(s: &Server<'a>, text: Text<'a>, at: i64) -> Text<'a> {
    let mut out: Text<'a> = text!(b"");
    let mut next: Text<'a> = s.char(text, at);
    while next != text!(b"") && next != text!(b",") && out.len() < 16 {
        out = s.concat(&[out, next]);
        next = s.char(text, at + out.len());
    }
    return out;
}

/// Whether an entry says that its worker is to take no jobs.
pub fn is_paused_entry<'a>(entry: Option<Text<'a>>) -> bool {
    return entry.is_some() && entry.unwrap().slice(0, 15) == PAUSED_HEAD;
}

/// An entry with that word, or without it.
pub fn paused_entry<'a>(s: &Server<'a>, entry: Text<'a>, is_paused: bool) -> Text<'a> {
    let rest: Text<'a> = if is_paused_entry(Some(entry)) { entry.from(15) } else { entry.from(1) };
    return if is_paused { s.concat(&[PAUSED_HEAD, rest]) } else { s.concat(&[text!(b"{"), rest]) };
}

/// Whether an entry is of a worker that has been silent for too long, or is no entry of ours.
pub fn is_silent<'a>(s: &Server<'a>, entry: Text<'a>, now: i64) -> Act<bool> {
    // {"askedAt":<instant>,"beatMs":<ms>,…
    let at: i64 = if is_paused_entry(Some(entry)) { 25 } else { 11 };
    let asked: Text<'a> = until_comma(s, entry, at);
    let beat: Text<'a> = until_comma(s, entry, at + 10 + asked.len());
    if !s.int(asked, 0, NUMBER_MAX) || !s.int(beat, 1, 3600000) {
        return Ok(true);
    }
    let silent_ms: i64 = now - s.num(asked)?;
    if is_paused_entry(Some(entry)) && silent_ms <= PAUSED_SILENT_MS {
        return Ok(false);
    }
    return Ok(silent_ms > SILENT_BEATS * s.num(beat)?);
}

/// Drops the silent ones, if that is due. A hash that others have filled beyond all bounds begins anew.
pub fn prune_workers<'a>(s: &Server<'a>, key: Text<'a>, now: i64) -> Act<()> {
    let last: Option<Text<'a>> = s.hget(&[Arg::Text(key), Arg::Word(text!(b"pruned"))])?;
    if last.is_some() && s.int(last.unwrap(), 0, NUMBER_MAX) {
        let age: i64 = now - s.num(last.unwrap())?;
        if age >= 0 && age < PRUNE_MS {
            return Ok(());
        }
    }
    if s.hlen(&[Arg::Text(key)])? > WORKERS_MAX + 1 {
        s.del(&[Arg::Text(key)])?;
    }
    let entries: List<'a, Text<'a>> = s.hgetall(&[Arg::Text(key)])?;
    let stop: i64 = entries.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            if entries.get(i) != text!(b"pruned") && is_silent(s, entries.get(i + 1), now)? {
                s.hdel(&[Arg::Text(key), Arg::Text(entries.get(i))])?;
            }
            i += 2;
        }
    }
    // A write that a full server admits, after which it admits the next one.
    s.hdel(&[Arg::Text(key), Arg::Word(text!(b"pruned"))])?;
    s.hset(&[Arg::Text(key), Arg::Word(text!(b"pruned")), Arg::Int(now)])?;
    Ok(())
}

/// Writes that a worker asks, or that it leaves; answers 1 when it is to take no jobs, else 0. A foreign type of the
/// hash raises before anything is written.
#[cold]
pub fn note_presence<'a>(s: &Server<'a>, base: Text<'a>, worker: Text<'a>, args: List<'a, Text<'a>>, at: i64) -> Act<i64> {
    let key: Text<'a> = s.concat(&[base, text!(b"workers")]);
    let now: i64 = s.now();
    let entry: Option<Text<'a>> = s.hget(&[Arg::Text(key), Arg::Text(worker)])?;
    let is_listed: bool = entry.is_some();
    if args.get(at + 3) == text!(b"0") {
        if is_listed {
            s.hdel(&[Arg::Text(key), Arg::Text(worker)])?;
        }
        // The mark of the last look is all that is left.
        if s.hlen(&[Arg::Text(key)])? == 1 && s.hexists(&[Arg::Text(key), Arg::Word(text!(b"pruned"))])? == 1 {
            s.del(&[Arg::Text(key)])?;
        }
        return Ok(0);
    }
    prune_workers(s, key, now)?;
    if !is_listed && s.hlen(&[Arg::Text(key)])? > WORKERS_MAX {
        return Ok(0);
    }
    let is_paused: bool = is_paused_entry(entry);
    s.hdel(&[Arg::Text(key), Arg::Text(worker)])?;
    // The way from a number to its text that is the same on every engine.
    s.hset(&[Arg::Text(key), Arg::Text(worker), Arg::Int(now)])?;
    let asked: Option<Text<'a>> = s.hget(&[Arg::Text(key), Arg::Text(worker)])?;
    let head: Text<'a> = s.concat(&[text!(b"{\"askedAt\":"), if asked.is_none() { text!(b"0") } else { asked.unwrap() }, text!(b",\"beatMs\":"), args.get(at + 2)]);
    let text: Text<'a> = s.concat(&[head, text!(b",\"concurrency\":"), args.get(at + 3), text!(b",\"names\":"), args.get(at + 4), text!(b"}")]);
    s.hset(&[Arg::Text(key), Arg::Text(worker), Arg::Text(if is_paused { paused_entry(s, text, true) } else { text })])?;
    return Ok(if is_paused { 1 } else { 0 });
}