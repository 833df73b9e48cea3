// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.EXAMINE`: the text of the refusal, empty when all is well.
pub fn check_examine<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 2 {
        return text!(b"ERR EMQ.EXAMINE takes 2 keys");
    }
    if args.len() < 3 {
        return text!(b"ERR wrong number of arguments for 'EMQ.EXAMINE' command");
    }
    if args.get(0) != text!(b"") && !s.name(args.get(0)) {
        return text!(b"ERR EMQ.EXAMINE bad argument lane");
    }
    if args.get(1) != text!(b"") && !s.name(args.get(1)) {
        return text!(b"ERR EMQ.EXAMINE bad argument dedup");
    }
    if !s.int(args.get(2), 0, 1) {
        return text!(b"ERR EMQ.EXAMINE bad argument count");
    }
    let base: Text<'a> = keys.get(1);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"pending")]) {
        return text!(b"ERR EMQ.EXAMINE keys do not match the wire-4 layout");
    }
    return s.fence();
}