// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.OBLITERATE`: the text of the refusal, empty when all is well.
pub fn check_obliterate<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 2 {
        return text!(b"ERR EMQ.OBLITERATE takes 2 keys");
    }
    if args.len() != 2 {
        return text!(b"ERR wrong number of arguments for 'EMQ.OBLITERATE' command");
    }
    if args.get(0) != text!(b"") && args.get(0) != text!(b"force") {
        return text!(b"ERR EMQ.OBLITERATE bad argument force");
    }
    if !s.int(args.get(1), 1, 1000) {
        return text!(b"ERR EMQ.OBLITERATE bad argument budget");
    }
    let base: Text<'a> = keys.get(1);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"meta")]) {
        return text!(b"ERR EMQ.OBLITERATE keys do not match the wire-4 layout");
    }
    return s.fence();
}