// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.WPAUSE`: the text of the refusal, empty when all is well.
pub fn check_wpause<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 2 {
        return text!(b"ERR EMQ.WPAUSE takes 2 keys");
    }
    if args.len() != 2 {
        return text!(b"ERR wrong number of arguments for 'EMQ.WPAUSE' command");
    }
    if args.get(1) != text!(b"on") && args.get(1) != text!(b"off") {
        return text!(b"ERR EMQ.WPAUSE bad argument paused");
    }
    let base: Text<'a> = keys.get(1);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"workers")]) {
        return text!(b"ERR EMQ.WPAUSE keys do not match the wire-4 layout");
    }
    return s.fence();
}