// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.ENQUEUE`: the text of the refusal, empty when all is well.
pub fn check_enqueue<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 2 {
        return text!(b"ERR EMQ.ENQUEUE takes 2 keys");
    }
    if args.len() != 2 {
        return text!(b"ERR wrong number of arguments for 'EMQ.ENQUEUE' command");
    }
    let base: Text<'a> = keys.get(1).slice(0, -7);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"job:"), args.get(0)]) || keys.get(1) != s.concat(&[base, text!(b"pending")]) {
        return text!(b"ERR EMQ.ENQUEUE keys do not match the wire-4 layout");
    }
    return s.fence();
}