// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.LANECOUNTS`: the text of the refusal, empty when all is well.
pub fn check_lanecounts<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 2 {
        return text!(b"ERR EMQ.LANECOUNTS takes 2 keys");
    }
    if args.len() > 1000 {
        return text!(b"ERR EMQ.LANECOUNTS bad argument group");
    }
    {
        let mut i: i64 = 0;
        while i < args.len() {
            if !s.name(args.get(i)) {
                return text!(b"ERR EMQ.LANECOUNTS bad argument group");
            }
            i += 1;
        }
    }
    let base: Text<'a> = keys.get(1);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"ring")]) {
        return text!(b"ERR EMQ.LANECOUNTS keys do not match the wire-4 layout");
    }
    return s.fence();
}