// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! The rows of `ADMIT`: runs of (shape, count, row…), where a row is id, payload and one value for each letter of the
//! shape.
//!
//! Everything is judged here before the act reads or writes anything, so one bad row refuses the whole act and no value
//! can fail half-way.

use crate::runtime::*;
use crate::act::step::bound::{NUMBER_MAX, PRIORITY_MAX};
use crate::act::step::limit::{RATE_MAX};

/// Rows of one act, at most.
pub const ROWS_MAX: i64 = 1000;

/// Rows of one act that carry a name, at most: each costs about four others.
pub const NAMED_MAX: i64 = 250;

/// Payload bytes of one act, at most, unless a single row holds more.
pub const PAYLOAD_MAX: i64 = 1048576;

/// The letters of a shape in their order; `a` and `i` exclude each other, and so do `j` and `k`.
pub const LETTERS: Text<'static> = text!(b"npgoaidmtwjklxc");

/// The words of the letter `m`, each between blanks.
pub const MODES: Text<'static> = text!(b" keep extend replace throttle slide debounce short follow latest ");

/// The modes that say nothing without a time.
pub const TIMED_MODES: Text<'static> = text!(b" extend throttle slide ");

/// The largest limit of a lane, 2^31.
pub const LIMIT_MAX: i64 = 2147483648;

/// The longest name of a lane or job, in bytes.
pub const NAME_MAX: i64 = 256;

/// The letters of a shape, or one empty text when it is no shape: a letter unknown, twice or out of order.
pub fn letters_of<'a>(s: &Server<'a>, shape: Text<'a>) -> List<'a, Text<'a>> {
    let letters: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let mut last: i64 = -1;
    let stop: i64 = shape.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let letter: Text<'a> = s.char(shape, i);
            let at: i64 = LETTERS.index_of(letter);
            if at <= last {
                return s.list(&[text!(b"")]);
            }
            last = at;
            letters.set(i, letter);
            i += 1;
        }
    }
    if shape.index_of(text!(b"ai")) >= 0 || shape.index_of(text!(b"jk")) >= 0 {
        return s.list(&[text!(b"")]);
    }
    let needs_dedup: bool = shape.index_of(text!(b"m")) >= 0 || shape.index_of(text!(b"t")) >= 0 || shape.index_of(text!(b"w")) >= 0;
    if needs_dedup && shape.index_of(text!(b"d")) < 0 {
        return s.list(&[text!(b"")]);
    }
    return if shape.index_of(text!(b"l")) < 0 || shape.index_of(text!(b"g")) >= 0 { letters } else { s.list(&[text!(b"")]) };
}

/// Whether a word stands in a list whose words stand between blanks.
pub fn is_word<'a>(s: &Server<'a>, words: Text<'a>, word: Text<'a>) -> bool {
    return word != text!(b"") && word.index_of(text!(b" ")) < 0 && words.index_of(s.concat(&[text!(b" "), word, text!(b" ")])) >= 0;
}

/// The name of a bad value of a letter that says how a job is named, empty when it suits.
#[cold]
pub fn bad_name<'a>(s: &Server<'a>, letter: Text<'a>, value: Text<'a>) -> Text<'a> {
    if letter == text!(b"d") {
        return if s.name(value) { text!(b"") } else { text!(b"dedup") };
    }
    if letter == text!(b"m") {
        return if is_word(s, MODES, value) { text!(b"") } else { text!(b"mode") };
    }
    if letter == text!(b"t") {
        return if s.int(value, 1, NUMBER_MAX) { text!(b"") } else { text!(b"dedup_ms") };
    }
    if letter == text!(b"w") {
        return if s.int(value, 0, NUMBER_MAX) { text!(b"") } else { text!(b"max_wait_ms") };
    }
    if letter == text!(b"l") {
        return if s.int(value, 1, LIMIT_MAX) { text!(b"") } else { text!(b"limit") };
    }
    return if s.name(value) { text!(b"") } else { text!(b"alias") };
}

/// The name of a bad value, empty when the value suits its letter.
pub fn bad_value<'a>(s: &Server<'a>, letter: Text<'a>, value: Text<'a>) -> Text<'a> {
    if letter == text!(b"p") {
        return if s.int(value, 0, PRIORITY_MAX) { text!(b"") } else { text!(b"priority") };
    }
    if letter == text!(b"g") {
        return if s.name(value) { text!(b"") } else { text!(b"lane") };
    }
    if letter == text!(b"n") {
        return if value.len() <= NAME_MAX { text!(b"") } else { text!(b"name") };
    }
    if letter == text!(b"o") {
        return text!(b"");
    }
    if letter == text!(b"a") || letter == text!(b"i") {
        return if s.int(value, 0, NUMBER_MAX) { text!(b"") } else { text!(b"due") };
    }
    if letter == text!(b"x") {
        return if s.int(value, 1, NUMBER_MAX) { text!(b"") } else { text!(b"expire_ms") };
    }
    if letter == text!(b"c") {
        return if s.int(value, 1, RATE_MAX) { text!(b"") } else { text!(b"cost") };
    }
    return bad_name(s, letter, value);
}

/// Whether rows of a shape carry a name, or give their lane a limit.
pub fn is_named_shape<'a>(shape: Text<'a>) -> bool {
    return shape.index_of(text!(b"d")) >= 0 || shape.index_of(text!(b"j")) >= 0 || shape.index_of(text!(b"k")) >= 0 || shape.index_of(text!(b"l")) >= 0;
}

/// Whether rows of a shape say no more than a name and options, as nearly all do.
pub fn is_plain_shape<'a>(shape: Text<'a>) -> bool {
    return shape == text!(b"") || shape == text!(b"n") || shape == text!(b"no") || shape == text!(b"o");
}

/// What is wrong with the rows of well-formed runs that carry a name: there are too many, or one has a mode that says
/// nothing without a time, and no time. Empty when all suits.
#[cold]
pub fn bad_named<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, from: i64) -> Act<Text<'a>> {
    let stop: i64 = args.len();
    let mut at: i64 = from;
    let mut rows: i64 = 0;
    while at < stop {
        let shape: Text<'a> = args.get(at);
        let width: i64 = 2 + shape.len();
        let mode: i64 = shape.index_of(text!(b"m"));
        let past: i64 = at + 2 + s.num(args.get(at + 1))? * width;
        if is_named_shape(shape) {
            rows += s.num(args.get(at + 1))?;
        }
        if rows > NAMED_MAX {
            return Ok(text!(b"count"));
        }
        if mode >= 0 && shape.index_of(text!(b"t")) < 0 {
            {
                let mut row: i64 = at + 2;
                while row < past {
                    if is_word(s, TIMED_MODES, args.get(row + 2 + mode)) {
                        return Ok(text!(b"dedup_ms"));
                    }
                    row += width;
                }
            }
        }
        at = past;
    }
    return Ok(text!(b""));
}

/// The letters of a shape that is not plain.
#[cold]
pub fn read_shape<'a>(s: &Server<'a>, shape: Text<'a>) -> List<'a, Text<'a>> {
    return letters_of(s, shape);
}

/// The name of the first bad value of rows of some letters, empty when each suits its letter.
#[cold]
pub fn bad_values<'a>(s: &Server<'a>, letters: List<'a, Text<'a>>, args: List<'a, Text<'a>>, from: i64, past: i64) -> Text<'a> {
    let stop: i64 = letters.len();
    {
        let mut row: i64 = from;
        while row < past {
            {
                let mut i: i64 = 0;
                while i < stop {
                    let bad: Text<'a> = bad_value(s, letters.get(i), args.get(row + 2 + i));
                    if bad != text!(b"") {
                        return bad;
                    }
                    i += 1;
                }
            }
            row += 2 + stop;
        }
    }
    return text!(b"");
}

/// The payload bytes of the rows of a run; -1 where the shape is plain and a row has a name that is too long.
pub fn payload_of<'a>(shape: Text<'a>, args: List<'a, Text<'a>>, from: i64, past: i64) -> i64 {
    let width: i64 = 2 + shape.len();
    let mut bytes: i64 = 0;
    if shape == text!(b"n") || shape == text!(b"no") {
        {
            let mut row: i64 = from;
            while row < past {
                bytes += args.get(row + 1).len();
                if args.get(row + 2).len() > NAME_MAX {
                    return -1;
                }
                row += width;
            }
        }
    } else {
        {
            let mut row: i64 = from;
            while row < past {
                bytes += args.get(row + 1).len();
                row += width;
            }
        }
    }
    return bytes;
}

/// The name of the first bad argument from position `from` on, empty when all runs are well formed.
pub fn bad_admit_row<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, from: i64) -> Act<Text<'a>> {
    let stop: i64 = args.len();
    let mut at: i64 = from;
    let mut rows: i64 = 0;
    let mut payload: i64 = 0;
    let mut are_named: bool = false;
    if at >= stop {
        return Ok(text!(b"shape"));
    }
    while at < stop {
        let shape: Text<'a> = args.get(at);
        let is_plain: bool = is_plain_shape(shape);
        let letters: List<'a, Text<'a>> = if is_plain { s.list::<Text<'a>>(&[]) } else { read_shape(s, shape) };
        if !is_plain && letters.get(0) == text!(b"") {
            return Ok(text!(b"shape"));
        }
        if at + 1 >= stop || !(s.int(args.get(at + 1), 1, ROWS_MAX)) {
            return Ok(text!(b"count"));
        }
        let count: i64 = s.num(args.get(at + 1))?;
        let width: i64 = 2 + shape.len();
        let past: i64 = at + 2 + count * width;
        rows += count;
        if rows > ROWS_MAX {
            return Ok(text!(b"count"));
        }
        if past > stop {
            return Ok(text!(b"row"));
        }
        let bytes: i64 = payload_of(shape, args, at + 2, past);
        if bytes < 0 {
            return Ok(text!(b"name"));
        }
        payload += bytes;
        if !is_plain {
            let bad: Text<'a> = bad_values(s, letters, args, at + 2, past);
            if bad != text!(b"") {
                return Ok(bad);
            }
            are_named = are_named || is_named_shape(shape);
        }
        at = past;
    }
    if rows > 1 && payload > PAYLOAD_MAX {
        return Ok(text!(b"payload"));
    }
    return Ok(if are_named { bad_named(s, args, from)? } else { text!(b"") });
}