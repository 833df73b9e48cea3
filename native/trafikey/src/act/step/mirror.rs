// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Events that stay: where a queue says so, each event is also appended to its stream `events`, so that a reader that
//! comes late loses nothing.
//!
//! The stream is bounded by bytes and by age. Each record says in `sum` how many bytes had been told up to and with it,
//! so what the stream holds is a difference of two records, and no counter can drift away from it. It is cut at the
//! head whenever the sum crosses a multiple of `STEP_BYTES`: to so much below the bound that no event exceeds it.
//!
//! The trim by age comes first because it grows nothing: an act that settles a job has to pass on a server at its
//! `maxmemory`, which refuses what grows unless the act has written before. An act that admits jobs has to be refused
//! there, so what it tells is appended first and trimmed afterwards.

use crate::runtime::*;
use crate::act::step::bound::{NUMBER_MAX};

/// The smallest bound of bytes that a queue may say.
pub const MIRROR_BYTES_MIN: i64 = 65536;

/// Bytes between two looks at the head.
pub const STEP_BYTES: i64 = 8192;

/// What is kept free below the bound: a step, and the largest event with its texts.
pub const SPARE_BYTES: i64 = 32768;

/// What an entry costs beside its texts, about.
pub const ENTRY_BYTES: i64 = 64;

/// The bytes told up to and with an entry, whose first field says it; 0 for one that does not.
pub fn sum_of<'a>(s: &Server<'a>, fields: List<'a, Text<'a>>) -> Act<i64> {
    return Ok(if fields.get(0) == text!(b"sum") && s.int(fields.get(1), 0, NUMBER_MAX) { s.num(fields.get(1))? } else { 0 });
}

/// Cuts the head so that at most `most` bytes stay behind the first record that is kept. At most 200 go at a time.
pub fn cut_head<'a>(s: &Server<'a>, key: Text<'a>, sum: i64, most: i64) -> Act<()> {
    let rows: List<'a, (Text<'a>, List<'a, Text<'a>>)> = s.xrange(&[Arg::Text(key), Arg::Word(text!(b"-")), Arg::Word(text!(b"+")), Arg::Word(text!(b"COUNT")), Arg::Int(200)])?;
    let stop: i64 = rows.len();
    let mut keep: Text<'a> = text!(b"");
    {
        let mut i: i64 = 0;
        while i < stop {
            let row: (Text<'a>, List<'a, Text<'a>>) = rows.get(i);
            keep = row.0;
            if sum - sum_of(s, row.1)? <= most {
                break;
            }
            i += 1;
        }
    }
    if keep != text!(b"") {
        s.xtrim(&[Arg::Text(key), Arg::Word(text!(b"MINID")), Arg::Word(text!(b"=")), Arg::Text(keep)])?;
    }
    Ok(())
}

/// Appends an event to the stream, if the queue says so. `more` holds names and texts in turn; an empty text is left
/// out, and one that is long is cut unless it is a result. `bytes` is about what the event takes.
pub fn mirror<'a>(s: &Server<'a>, base: Text<'a>, event: Text<'a>, id: Text<'a>, more: List<'a, Text<'a>>, bytes: i64) -> Act<()> {
    let said: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"meta")])), Arg::Word(text!(b"events_bytes")), Arg::Word(text!(b"events_ms"))])?;
    let most: Option<Text<'a>> = said.pick(0);
    if most.is_none() || !s.int(most.unwrap(), MIRROR_BYTES_MIN, NUMBER_MAX) {
        return Ok(());
    }
    let key: Text<'a> = s.concat(&[base, text!(b"stream:events")]);
    let age: Option<Text<'a>> = said.pick(1);
    let now: i64 = s.now();
    let from: i64 = if age.is_some() && s.int(age.unwrap(), 1, now) { now - s.num(age.unwrap())? } else { 0 };
    let oldest: Text<'a> = s.concat(&[s.text(from), text!(b"-0")]);
    let admits: bool = event == text!(b"added") || event == text!(b"deduplicated");
    if !admits {
        s.xtrim(&[Arg::Text(key), Arg::Word(text!(b"MINID")), Arg::Word(text!(b"=")), Arg::Text(oldest)])?;
    }
    let last: List<'a, (Text<'a>, List<'a, Text<'a>>)> = s.xrevrange(&[Arg::Text(key), Arg::Word(text!(b"+")), Arg::Word(text!(b"-")), Arg::Word(text!(b"COUNT")), Arg::Int(1)])?;
    let before: i64 = if last.len() == 0 { 0 } else { sum_of(s, last.get(0).1)? };
    let sum: i64 = before + bytes + ENTRY_BYTES;
    let fields: List<'a, Text<'a>> = s.list(&[text!(b"sum"), s.text(sum), text!(b"event"), event]);
    if id != text!(b"") {
        fields.set(4, text!(b"job"));
        fields.set(5, id);
    }
    let stop: i64 = more.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let value: Text<'a> = more.get(i + 1);
            if value != text!(b"") {
                fields.push(more.get(i));
                fields.push(if value.len() > 1024 && more.get(i) != text!(b"result") { value.slice(0, 1024) } else { value });
            }
            i += 2;
        }
    }
    s.xadd(s.spread(&[Arg::Text(key), Arg::Word(text!(b"*"))], fields))?;
    if admits {
        s.xtrim(&[Arg::Text(key), Arg::Word(text!(b"MINID")), Arg::Word(text!(b"=")), Arg::Text(oldest)])?;
    }
    if floor_div(before, STEP_BYTES) != floor_div(sum, STEP_BYTES) {
        cut_head(s, key, sum, s.num(most.unwrap())? - SPARE_BYTES)?;
    }
    Ok(())
}