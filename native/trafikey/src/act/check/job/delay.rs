// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.DELAY`: the text of the refusal, empty when all is well.
pub fn check_delay<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 4 {
        return text!(b"ERR EMQ.DELAY takes 4 keys");
    }
    if args.len() != 4 {
        return text!(b"ERR wrong number of arguments for 'EMQ.DELAY' command");
    }
    if !s.int(args.get(1), 0, 9007199254740991) {
        return text!(b"ERR EMQ.DELAY bad argument token");
    }
    if args.get(2) != text!(b"in") && args.get(2) != text!(b"at") {
        return text!(b"ERR EMQ.DELAY bad argument mode");
    }
    if !s.int(args.get(3), 0, 9007199254740991) {
        return text!(b"ERR EMQ.DELAY bad argument ms");
    }
    let base: Text<'a> = keys.get(3);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"job:"), args.get(0)]) || keys.get(1) != s.concat(&[base, text!(b"active")]) || keys.get(2) != s.concat(&[base, text!(b"schedule")]) {
        return text!(b"ERR EMQ.DELAY keys do not match the wire-4 layout");
    }
    return s.fence();
}