// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.LOG`: the text of the refusal, empty when all is well.
pub fn check_log<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 2 {
        return text!(b"ERR EMQ.LOG takes 2 keys");
    }
    if args.len() < 2 || args.len() > 3 {
        return text!(b"ERR wrong number of arguments for 'EMQ.LOG' command");
    }
    if !s.int(args.get(1), 0, 1000000) {
        return text!(b"ERR EMQ.LOG bad argument keep");
    }
    if args.len() > 2 && !s.int(args.get(2), 0, 9007199254740991) {
        return text!(b"ERR EMQ.LOG bad argument token");
    }
    let base: Text<'a> = keys.get(0).slice(0, -18);
    if !s.base(base) || !(s.branded(keys.get(0).from(-14))) || keys.get(0) != s.concat(&[base, text!(b"job:"), keys.get(0).from(-14)]) || keys.get(1) != s.concat(&[base, text!(b"job:"), keys.get(0).from(-14), text!(b":logs")]) {
        return text!(b"ERR EMQ.LOG keys do not match the wire-4 layout");
    }
    return s.fence();
}