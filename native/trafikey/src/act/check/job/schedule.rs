// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.SCHEDULE`: the text of the refusal, empty when all is well.
pub fn check_schedule<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 2 {
        return text!(b"ERR EMQ.SCHEDULE takes 2 keys");
    }
    if args.len() != 4 {
        return text!(b"ERR wrong number of arguments for 'EMQ.SCHEDULE' command");
    }
    if args.get(2) != text!(b"at") && args.get(2) != text!(b"in") {
        return text!(b"ERR EMQ.SCHEDULE bad argument mode");
    }
    if !s.int(args.get(3), 0, 9007199254740991) {
        return text!(b"ERR EMQ.SCHEDULE bad argument ms");
    }
    let base: Text<'a> = keys.get(1).slice(0, -8);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"job:"), args.get(0)]) || keys.get(1) != s.concat(&[base, text!(b"schedule")]) {
        return text!(b"ERR EMQ.SCHEDULE keys do not match the wire-4 layout");
    }
    return s.fence();
}