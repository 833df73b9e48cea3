// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.GDRAIN`: the text of the refusal, empty when all is well.
pub fn check_gdrain<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 3 {
        return text!(b"ERR EMQ.GDRAIN takes 3 keys");
    }
    if args.len() != 2 {
        return text!(b"ERR wrong number of arguments for 'EMQ.GDRAIN' command");
    }
    if !s.name(args.get(0)) {
        return text!(b"ERR EMQ.GDRAIN bad argument group");
    }
    if !s.int(args.get(1), 1, 1000) {
        return text!(b"ERR EMQ.GDRAIN bad argument budget");
    }
    let base: Text<'a> = keys.get(2);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"g:"), args.get(0), text!(b":pending")]) || keys.get(1) != s.concat(&[base, text!(b"ring")]) {
        return text!(b"ERR EMQ.GDRAIN keys do not match the wire-4 layout");
    }
    return s.fence();
}