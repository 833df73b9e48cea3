// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.COUNTS`: the text of the refusal, empty when all is well.
pub fn check_counts<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() < 2 {
        return text!(b"ERR EMQ.COUNTS takes 2 keys");
    }
    {
        let mut i: i64 = 0;
        while i < args.len() {
            if args.get(i) != text!(b"completed") && args.get(i) != text!(b"failed") && args.get(i) != text!(b"lanes") {
                return text!(b"ERR EMQ.COUNTS bad argument counter");
            }
            i += 1;
        }
    }
    let base: Text<'a> = keys.get(0);
    if !s.base(base) || keys.get(1) != s.concat(&[base, text!(b"pending")]) {
        return text!(b"ERR EMQ.COUNTS keys do not match the wire-4 layout");
    }
    {
        let mut i: i64 = 2;
        while i < keys.len() {
            if keys.get(i) != s.concat(&[base, text!(b"active")]) && keys.get(i) != s.concat(&[base, text!(b"schedule")]) && keys.get(i) != s.concat(&[base, text!(b"awaiting")]) && keys.get(i) != s.concat(&[base, text!(b"dead")]) && keys.get(i) != s.concat(&[base, text!(b"completed")]) {
                return text!(b"ERR EMQ.COUNTS keys do not match the wire-4 layout");
            }
            i += 1;
        }
    }
    return s.fence();
}