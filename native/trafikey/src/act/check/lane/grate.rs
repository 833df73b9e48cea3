// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.GRATE`: the text of the refusal, empty when all is well.
pub fn check_grate<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 5 {
        return text!(b"ERR EMQ.GRATE takes 5 keys");
    }
    if args.len() != 5 {
        return text!(b"ERR wrong number of arguments for 'EMQ.GRATE' command");
    }
    if !s.name(args.get(0)) {
        return text!(b"ERR EMQ.GRATE bad argument group");
    }
    if !s.int(args.get(1), 0, 1048576) {
        return text!(b"ERR EMQ.GRATE bad argument max");
    }
    if !s.int(args.get(2), 1, 2147483648) {
        return text!(b"ERR EMQ.GRATE bad argument duration");
    }
    if args.get(3) != text!(b"window") && args.get(3) != text!(b"sliding") && args.get(3) != text!(b"bucket") {
        return text!(b"ERR EMQ.GRATE bad argument way");
    }
    if !s.int(args.get(4), 0, 1048576) {
        return text!(b"ERR EMQ.GRATE bad argument burst");
    }
    let base: Text<'a> = keys.get(4);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"rate")]) || keys.get(1) != s.concat(&[base, text!(b"rest")]) || keys.get(2) != s.concat(&[base, text!(b"ring")]) || keys.get(3) != s.concat(&[base, text!(b"wake")]) {
        return text!(b"ERR EMQ.GRATE keys do not match the wire-4 layout");
    }
    return s.fence();
}