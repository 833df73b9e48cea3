// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.EXPLAIN`: the text of the refusal, empty when all is well.
pub fn check_explain<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 6 {
        return text!(b"ERR EMQ.EXPLAIN takes 6 keys");
    }
    if args.len() != 1 {
        return text!(b"ERR wrong number of arguments for 'EMQ.EXPLAIN' command");
    }
    let base: Text<'a> = keys.get(5);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"pending")]) || keys.get(1) != s.concat(&[base, text!(b"active")]) || keys.get(2) != s.concat(&[base, text!(b"schedule")]) || keys.get(3) != s.concat(&[base, text!(b"dead")]) || keys.get(4) != s.concat(&[base, text!(b"job:"), args.get(0)]) {
        return text!(b"ERR EMQ.EXPLAIN keys do not match the wire-4 layout");
    }
    return s.fence();
}