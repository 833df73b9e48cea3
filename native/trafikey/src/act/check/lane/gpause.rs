// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.GPAUSE`: the text of the refusal, empty when all is well.
pub fn check_gpause<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 2 {
        return text!(b"ERR EMQ.GPAUSE takes 2 keys");
    }
    if args.len() != 1 {
        return text!(b"ERR wrong number of arguments for 'EMQ.GPAUSE' command");
    }
    if !s.name(args.get(0)) {
        return text!(b"ERR EMQ.GPAUSE bad argument group");
    }
    let base: Text<'a> = keys.get(0).slice(0, -6);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"paused")]) || keys.get(1) != s.concat(&[base, text!(b"ring")]) {
        return text!(b"ERR EMQ.GPAUSE keys do not match the wire-4 layout");
    }
    return s.fence();
}