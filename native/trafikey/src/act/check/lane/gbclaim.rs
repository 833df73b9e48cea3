// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.GBCLAIM`: the text of the refusal, empty when all is well.
pub fn check_gbclaim<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 3 {
        return text!(b"ERR EMQ.GBCLAIM takes 3 keys");
    }
    if args.len() != 2 {
        return text!(b"ERR wrong number of arguments for 'EMQ.GBCLAIM' command");
    }
    if !s.int(args.get(0), 1, 2147483648) {
        return text!(b"ERR EMQ.GBCLAIM bad argument lease_ms");
    }
    if !s.int(args.get(1), 0, 1000) {
        return text!(b"ERR EMQ.GBCLAIM bad argument size");
    }
    let base: Text<'a> = keys.get(2);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"ring")]) || keys.get(1) != s.concat(&[base, text!(b"active")]) {
        return text!(b"ERR EMQ.GBCLAIM keys do not match the wire-4 layout");
    }
    return s.fence();
}