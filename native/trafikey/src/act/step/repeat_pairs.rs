// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! The pairs of `REPEAT`: what the jobs of a repeat have, and what the repeat itself has.
//!
//! The words of jobs stand for the letters of `ADMIT`, in its order, so the row that a repeat makes again and again is
//! judged once, by the very rules of admission, when the repeat is registered.

use crate::runtime::*;
use crate::act::step::admit_rows::{bad_admit_row};
use crate::act::step::bound::{NUMBER_MAX};

/// Arguments before the pairs, and the place of the template among them.
pub const FIXED: i64 = 5;

pub const TEMPLATE_AT: i64 = 3;

/// Every word in its order, each between blanks.
pub const WORDS: Text<'static> = text!(b" name priority group opts due_in dedup mode dedup_ms max_wait_ms lane_limit expire_ms cost limit until overlap rule policy ");

/// The words that say what a slot means while the job of the one before lives.
pub const OVERLAPS: Text<'static> = text!(b" allow skip queue ");

/// Bytes of `rule` and of `policy`, at most.
pub const RULE_BYTES_MAX: i64 = 4096;

/// The letter of `ADMIT` that a word stands for, empty for a word of the repeat itself.
pub fn letter_of<'a>(word: Text<'a>) -> Text<'a> {
    if word == text!(b"name") {
        return text!(b"n");
    }
    if word == text!(b"priority") {
        return text!(b"p");
    }
    if word == text!(b"group") {
        return text!(b"g");
    }
    if word == text!(b"opts") {
        return text!(b"o");
    }
    if word == text!(b"due_in") {
        return text!(b"i");
    }
    if word == text!(b"dedup") {
        return text!(b"d");
    }
    if word == text!(b"mode") {
        return text!(b"m");
    }
    if word == text!(b"dedup_ms") {
        return text!(b"t");
    }
    if word == text!(b"max_wait_ms") {
        return text!(b"w");
    }
    if word == text!(b"lane_limit") {
        return text!(b"l");
    }
    if word == text!(b"expire_ms") {
        return text!(b"x");
    }
    return if word == text!(b"cost") { text!(b"c") } else { text!(b"") };
}

/// Whether a value suits a word of the repeat itself.
pub fn is_own_value<'a>(s: &Server<'a>, word: Text<'a>, value: Text<'a>) -> bool {
    if word == text!(b"limit") {
        return s.int(value, 1, NUMBER_MAX);
    }
    if word == text!(b"until") {
        return s.int(value, 0, NUMBER_MAX);
    }
    if word == text!(b"overlap") {
        return value != text!(b"") && value.index_of(text!(b" ")) < 0 && OVERLAPS.index_of(s.concat(&[text!(b" "), value, text!(b" ")])) >= 0;
    }
    return value.len() <= RULE_BYTES_MAX;
}

/// Whether options are an object, as far as its braces tell: the acts put the slot in at its beginning.
pub fn is_object<'a>(s: &Server<'a>, opts: Text<'a>) -> bool {
    return s.char(opts, 0) == text!(b"{") && s.char(opts, opts.len() - 1) == text!(b"}");
}

/// The name of the first bad argument from position `from` on, empty when all pairs are well formed.
pub fn bad_repeat<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, from: i64) -> Act<Text<'a>> {
    let stop: i64 = args.len();
    let values: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let mut shape: Text<'a> = text!(b"");
    let mut last: i64 = -1;
    let mut is_queued: bool = false;
    let mut at: i64 = from;
    while at < stop {
        let word: Text<'a> = args.get(at);
        let place: i64 = if word == text!(b"") || word.index_of(text!(b" ")) >= 0 { -1 } else { WORDS.index_of(s.concat(&[text!(b" "), word, text!(b" ")])) };
        if place <= last {
            return Ok(text!(b"word"));
        }
        if at + 1 >= stop {
            return Ok(text!(b"value"));
        }
        last = place;
        let letter: Text<'a> = letter_of(word);
        let value: Text<'a> = args.get(at + 1);
        if letter != text!(b"") {
            shape = s.concat(&[shape, letter]);
            values.push(value);
            if letter == text!(b"o") && !is_object(s, value) {
                return Ok(text!(b"opts"));
            }
        } else if !is_own_value(s, word, value) {
            return Ok(word);
        }
        if word == text!(b"overlap") && value == text!(b"queue") {
            is_queued = true;
        }
        at += 2;
    }
    if is_queued && shape.index_of(text!(b"g")) < 0 {
        return Ok(text!(b"group"));
    }
    let row: List<'a, Text<'a>> = s.list(&[shape, text!(b"1"), text!(b""), args.get(TEMPLATE_AT)]);
    for value in values.iter() {
        row.push(value);
    }
    return Ok(bad_admit_row(s, row, 0)?);
}

/// The value of a word among the pairs of a call, `false` where there is none.
pub fn pair_of<'a>(args: List<'a, Text<'a>>, word: Text<'a>) -> Option<Text<'a>> {
    let stop: i64 = args.len();
    {
        let mut i: i64 = FIXED;
        while i < stop {
            if args.get(i) == word {
                return Some(args.get(i + 1));
            }
            i += 2;
        }
    }
    return None;
}