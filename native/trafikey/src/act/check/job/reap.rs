// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.REAP`: the text of the refusal, empty when all is well.
pub fn check_reap<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 3 {
        return text!(b"ERR EMQ.REAP takes 3 keys");
    }
    if args.len() != 1 {
        return text!(b"ERR wrong number of arguments for 'EMQ.REAP' command");
    }
    if !s.int(args.get(0), 0, 1000) {
        return text!(b"ERR EMQ.REAP bad argument limit");
    }
    let base: Text<'a> = keys.get(2);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"active")]) || keys.get(1) != s.concat(&[base, text!(b"pending")]) {
        return text!(b"ERR EMQ.REAP keys do not match the wire-4 layout");
    }
    return s.fence();
}