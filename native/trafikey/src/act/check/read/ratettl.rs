// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.RATETTL`: the text of the refusal, empty when all is well.
pub fn check_ratettl<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 2 {
        return text!(b"ERR EMQ.RATETTL takes 2 keys");
    }
    if args.len() != 1 {
        return text!(b"ERR wrong number of arguments for 'EMQ.RATETTL' command");
    }
    if !s.int(args.get(0), 0, 9007199254740991) {
        return text!(b"ERR EMQ.RATETTL bad argument max");
    }
    let base: Text<'a> = keys.get(0).slice(0, -7);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"limiter")]) || keys.get(1) != s.concat(&[base, text!(b"meta")]) {
        return text!(b"ERR EMQ.RATETTL keys do not match the wire-4 layout");
    }
    return s.fence();
}