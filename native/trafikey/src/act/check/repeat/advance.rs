// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.ADVANCE`: the text of the refusal, empty when all is well.
pub fn check_advance<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 2 {
        return text!(b"ERR EMQ.ADVANCE takes 2 keys");
    }
    if args.len() != 2 {
        return text!(b"ERR wrong number of arguments for 'EMQ.ADVANCE' command");
    }
    if !s.name(args.get(0)) {
        return text!(b"ERR EMQ.ADVANCE bad argument name");
    }
    if !s.int(args.get(1), 0, 9007199254740991) {
        return text!(b"ERR EMQ.ADVANCE bad argument next_at");
    }
    let base: Text<'a> = if keys.get(0).from(-5) == text!(b":cron") { keys.get(0).slice(0, -4) } else { keys.get(0).slice(0, -6) };
    let plane: Text<'a> = if keys.get(0) == s.concat(&[base, text!(b"cron")]) { text!(b"cron") } else { text!(b"repeat") };
    if !s.base(base) || keys.get(0) != s.concat(&[base, plane]) || keys.get(1) != s.concat(&[base, plane, text!(b":"), args.get(0)]) {
        return text!(b"ERR EMQ.ADVANCE keys do not match the wire-4 layout");
    }
    return s.fence();
}