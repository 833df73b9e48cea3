// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.FCLEAR`: the text of the refusal, empty when all is well.
pub fn check_fclear<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 2 {
        return text!(b"ERR EMQ.FCLEAR takes 2 keys");
    }
    if args.len() < 1 {
        return text!(b"ERR wrong number of arguments for 'EMQ.FCLEAR' command");
    }
    if args.get(0) != text!(b"done") && args.get(0) != text!(b"bad") {
        return text!(b"ERR EMQ.FCLEAR bad argument mode");
    }
    if args.len() > 1001 {
        return text!(b"ERR EMQ.FCLEAR bad argument signals");
    }
    let base: Text<'a> = keys.get(1);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"flow:outbox")]) {
        return text!(b"ERR EMQ.FCLEAR keys do not match the wire-4 layout");
    }
    return s.fence();
}