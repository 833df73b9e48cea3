// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.GORDER`: the text of the refusal, empty when all is well.
pub fn check_gorder<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 7 {
        return text!(b"ERR EMQ.GORDER takes 7 keys");
    }
    if args.len() != 2 {
        return text!(b"ERR wrong number of arguments for 'EMQ.GORDER' command");
    }
    if !s.name(args.get(0)) {
        return text!(b"ERR EMQ.GORDER bad argument group");
    }
    if args.get(1) != text!(b"on") && args.get(1) != text!(b"off") {
        return text!(b"ERR EMQ.GORDER bad argument mode");
    }
    let base: Text<'a> = keys.get(6);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"gordered")]) || keys.get(1) != s.concat(&[base, text!(b"glimit")]) || keys.get(2) != s.concat(&[base, text!(b"gactive")]) || keys.get(3) != s.concat(&[base, text!(b"ring")]) || keys.get(4) != s.concat(&[base, text!(b"paused")]) || keys.get(5) != s.concat(&[base, text!(b"wake")]) {
        return text!(b"ERR EMQ.GORDER keys do not match the wire-4 layout");
    }
    return s.fence();
}