// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.GENQUEUE`: the text of the refusal, empty when all is well.
pub fn check_genqueue<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 7 {
        return text!(b"ERR EMQ.GENQUEUE takes 7 keys");
    }
    if args.len() != 3 {
        return text!(b"ERR wrong number of arguments for 'EMQ.GENQUEUE' command");
    }
    if !s.name(args.get(2)) {
        return text!(b"ERR EMQ.GENQUEUE bad argument group");
    }
    let base: Text<'a> = keys.get(2).slice(0, -4);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"job:"), args.get(0)]) || keys.get(1) != s.concat(&[base, text!(b"g:"), args.get(2), text!(b":pending")]) || keys.get(2) != s.concat(&[base, text!(b"ring")]) || keys.get(3) != s.concat(&[base, text!(b"paused")]) || keys.get(4) != s.concat(&[base, text!(b"glimit")]) || keys.get(5) != s.concat(&[base, text!(b"gactive")]) || keys.get(6) != s.concat(&[base, text!(b"wake")]) {
        return text!(b"ERR EMQ.GENQUEUE keys do not match the wire-4 layout");
    }
    return s.fence();
}