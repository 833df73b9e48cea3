// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.FIRENOW`: the text of the refusal, empty when all is well.
pub fn check_firenow<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 4 {
        return text!(b"ERR EMQ.FIRENOW takes 4 keys");
    }
    if args.len() != 2 {
        return text!(b"ERR wrong number of arguments for 'EMQ.FIRENOW' command");
    }
    if !s.name(args.get(0)) {
        return text!(b"ERR EMQ.FIRENOW bad argument name");
    }
    let base: Text<'a> = keys.get(3);
    let plane: Text<'a> = if keys.get(0) == s.concat(&[base, text!(b"cron")]) { text!(b"cron") } else { text!(b"repeat") };
    if !s.base(base) || keys.get(0) != s.concat(&[base, plane]) || keys.get(1) != s.concat(&[base, plane, text!(b":"), args.get(0)]) || keys.get(2) != s.concat(&[base, text!(b"job:"), args.get(1)]) {
        return text!(b"ERR EMQ.FIRENOW keys do not match the wire-4 layout");
    }
    return s.fence();
}