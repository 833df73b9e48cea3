// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.REVIVE`: the text of the refusal, empty when all is well.
pub fn check_revive<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 3 {
        return text!(b"ERR EMQ.REVIVE takes 3 keys");
    }
    if args.len() > 1000 {
        return text!(b"ERR EMQ.REVIVE bad argument ids");
    }
    let base: Text<'a> = keys.get(2);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"dead")]) || keys.get(1) != s.concat(&[base, text!(b"pending")]) {
        return text!(b"ERR EMQ.REVIVE keys do not match the wire-4 layout");
    }
    return s.fence();
}