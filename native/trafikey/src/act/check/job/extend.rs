// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.EXTEND`: the text of the refusal, empty when all is well.
pub fn check_extend<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 2 {
        return text!(b"ERR EMQ.EXTEND takes 2 keys");
    }
    if args.len() != 3 {
        return text!(b"ERR wrong number of arguments for 'EMQ.EXTEND' command");
    }
    if !s.int(args.get(1), 0, 9007199254740991) {
        return text!(b"ERR EMQ.EXTEND bad argument token");
    }
    if !s.int(args.get(2), 1, 2147483648) {
        return text!(b"ERR EMQ.EXTEND bad argument lease_ms");
    }
    let base: Text<'a> = keys.get(0).slice(0, -6);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"active")]) || keys.get(1) != s.concat(&[base, text!(b"job:"), args.get(0)]) {
        return text!(b"ERR EMQ.EXTEND keys do not match the wire-4 layout");
    }
    return s.fence();
}