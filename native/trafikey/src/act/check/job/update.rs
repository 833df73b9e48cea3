// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.UPDATE`: the text of the refusal, empty when all is well.
pub fn check_update<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 1 {
        return text!(b"ERR EMQ.UPDATE takes 1 keys");
    }
    if args.len() < 1 || args.len() > 2 {
        return text!(b"ERR wrong number of arguments for 'EMQ.UPDATE' command");
    }
    if args.len() > 1 && !s.int(args.get(1), 0, 9007199254740991) {
        return text!(b"ERR EMQ.UPDATE bad argument token");
    }
    let base: Text<'a> = keys.get(0).slice(0, -18);
    if !s.base(base) || !(s.branded(keys.get(0).from(-14))) || keys.get(0) != s.concat(&[base, text!(b"job:"), keys.get(0).from(-14)]) {
        return text!(b"ERR EMQ.UPDATE keys do not match the wire-4 layout");
    }
    return s.fence();
}