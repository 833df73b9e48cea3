// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Pairs of id and token that follow the fixed arguments of a verb.

use crate::runtime::*;
use crate::act::step::bound::{NUMBER_MAX};

/// Pairs of one act, at most.
pub const PAIRS_MAX: i64 = 1000;

/// The name of the first bad argument from position `from` on, empty when all pairs are well formed.
pub fn bad_pair<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, from: i64) -> Text<'a> {
    let stop: i64 = args.len();
    if stop - from > PAIRS_MAX * 2 {
        return text!(b"id");
    }
    let mut at: i64 = from;
    while at < stop {
        if at + 1 >= stop || !(s.int(args.get(at + 1), 0, NUMBER_MAX)) {
            return text!(b"token");
        }
        at += 2;
    }
    return text!(b"");
}