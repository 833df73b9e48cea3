// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.GWEIGHT`: the text of the refusal, empty when all is well.
pub fn check_gweight<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 1 {
        return text!(b"ERR EMQ.GWEIGHT takes 1 keys");
    }
    if args.len() != 2 {
        return text!(b"ERR wrong number of arguments for 'EMQ.GWEIGHT' command");
    }
    if !s.name(args.get(0)) {
        return text!(b"ERR EMQ.GWEIGHT bad argument group");
    }
    if !s.int(args.get(1), 0, 1000000) {
        return text!(b"ERR EMQ.GWEIGHT bad argument weight");
    }
    let base: Text<'a> = keys.get(0).slice(0, -7);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"gweight")]) {
        return text!(b"ERR EMQ.GWEIGHT keys do not match the wire-4 layout");
    }
    return s.fence();
}