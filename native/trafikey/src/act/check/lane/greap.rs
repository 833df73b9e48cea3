// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.GREAP`: the text of the refusal, empty when all is well.
pub fn check_greap<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 2 {
        return text!(b"ERR EMQ.GREAP takes 2 keys");
    }
    if args.len() != 2 {
        return text!(b"ERR wrong number of arguments for 'EMQ.GREAP' command");
    }
    if !s.name(args.get(0)) {
        return text!(b"ERR EMQ.GREAP bad argument group");
    }
    if !s.int(args.get(1), 0, 1000) {
        return text!(b"ERR EMQ.GREAP bad argument limit");
    }
    let base: Text<'a> = keys.get(1);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"active")]) {
        return text!(b"ERR EMQ.GREAP keys do not match the wire-4 layout");
    }
    return s.fence();
}