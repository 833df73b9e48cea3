// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;
use crate::act::step::pairs::{bad_pair};

/// Shape, values and layout of `EMQ.EXTENDM`: the text of the refusal, empty when all is well.
pub fn check_extendm<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 2 {
        return text!(b"ERR EMQ.EXTENDM takes 2 keys");
    }
    if args.len() < 1 {
        return text!(b"ERR wrong number of arguments for 'EMQ.EXTENDM' command");
    }
    if !s.int(args.get(0), 1, 2147483648) {
        return text!(b"ERR EMQ.EXTENDM bad argument lease_ms");
    }
    let bad: Text<'a> = bad_pair(s, args, 1);
    if bad != text!(b"") {
        return s.concat(&[text!(b"ERR EMQ.EXTENDM bad argument "), bad]);
    }
    let base: Text<'a> = keys.get(1);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"active")]) {
        return text!(b"ERR EMQ.EXTENDM keys do not match the wire-4 layout");
    }
    return s.fence();
}