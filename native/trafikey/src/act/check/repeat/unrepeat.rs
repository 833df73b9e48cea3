// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.UNREPEAT`: the text of the refusal, empty when all is well.
pub fn check_unrepeat<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 3 {
        return text!(b"ERR EMQ.UNREPEAT takes 3 keys");
    }
    if args.len() != 1 {
        return text!(b"ERR wrong number of arguments for 'EMQ.UNREPEAT' command");
    }
    if !s.name(args.get(0)) {
        return text!(b"ERR EMQ.UNREPEAT bad argument name");
    }
    let base: Text<'a> = keys.get(2);
    let plane: Text<'a> = if keys.get(0) == s.concat(&[base, text!(b"cron")]) { text!(b"cron") } else { text!(b"repeat") };
    if !s.base(base) || keys.get(0) != s.concat(&[base, plane]) || keys.get(1) != s.concat(&[base, plane, text!(b":"), args.get(0)]) {
        return text!(b"ERR EMQ.UNREPEAT keys do not match the wire-4 layout");
    }
    return s.fence();
}