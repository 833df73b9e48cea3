// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.FFAIL`: the text of the refusal, empty when all is well.
pub fn check_ffail<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 5 {
        return text!(b"ERR EMQ.FFAIL takes 5 keys");
    }
    if args.len() != 4 {
        return text!(b"ERR wrong number of arguments for 'EMQ.FFAIL' command");
    }
    if args.get(2) != text!(b"fp") && args.get(2) != text!(b"id") {
        return text!(b"ERR EMQ.FFAIL bad argument policy");
    }
    let base: Text<'a> = keys.get(4);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"job:"), args.get(3), text!(b":dependencies")]) || keys.get(1) != s.concat(&[base, text!(b"job:"), args.get(3), text!(b":failed")]) || keys.get(2) != s.concat(&[base, text!(b"job:"), args.get(3), text!(b":unsuccessful")]) || keys.get(3) != s.concat(&[base, text!(b"job:"), args.get(3)]) {
        return text!(b"ERR EMQ.FFAIL keys do not match the wire-4 layout");
    }
    return s.fence();
}