// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.PROGRESS`: the text of the refusal, empty when all is well.
pub fn check_progress<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 2 {
        return text!(b"ERR EMQ.PROGRESS takes 2 keys");
    }
    if args.len() < 2 || args.len() > 3 {
        return text!(b"ERR wrong number of arguments for 'EMQ.PROGRESS' command");
    }
    if args.len() > 2 && !s.int(args.get(2), 0, 9007199254740991) {
        return text!(b"ERR EMQ.PROGRESS bad argument token");
    }
    let base: Text<'a> = keys.get(1);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"job:"), args.get(1)]) {
        return text!(b"ERR EMQ.PROGRESS keys do not match the wire-4 layout");
    }
    return s.fence();
}