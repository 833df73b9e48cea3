// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.CLEAN`: the text of the refusal, empty when all is well.
pub fn check_clean<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 4 {
        return text!(b"ERR EMQ.CLEAN takes 4 keys");
    }
    if args.len() < 1 {
        return text!(b"ERR wrong number of arguments for 'EMQ.CLEAN' command");
    }
    if args.get(0) != text!(b"pending") && args.get(0) != text!(b"scheduled") && args.get(0) != text!(b"awaiting_children") && args.get(0) != text!(b"dead") && args.get(0) != text!(b"completed") {
        return text!(b"ERR EMQ.CLEAN bad argument state");
    }
    if args.len() > 1001 {
        return text!(b"ERR EMQ.CLEAN bad argument ids");
    }
    let base: Text<'a> = keys.get(3);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"pending")]) || keys.get(1) != s.concat(&[base, text!(b"schedule")]) || keys.get(2) != s.concat(&[base, text!(b"dead")]) {
        return text!(b"ERR EMQ.CLEAN keys do not match the wire-4 layout");
    }
    return s.fence();
}