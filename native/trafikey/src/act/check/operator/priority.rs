// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.PRIORITY`: the text of the refusal, empty when all is well.
pub fn check_priority<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 4 {
        return text!(b"ERR EMQ.PRIORITY takes 4 keys");
    }
    if args.len() != 2 {
        return text!(b"ERR wrong number of arguments for 'EMQ.PRIORITY' command");
    }
    if !s.int(args.get(1), 0, 2097152) {
        return text!(b"ERR EMQ.PRIORITY bad argument priority");
    }
    let base: Text<'a> = keys.get(3);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"job:"), args.get(0)]) || keys.get(1) != s.concat(&[base, text!(b"pending")]) || keys.get(2) != s.concat(&[base, text!(b"schedule")]) {
        return text!(b"ERR EMQ.PRIORITY keys do not match the wire-4 layout");
    }
    return s.fence();
}