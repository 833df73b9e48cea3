// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.DRAIN`: the text of the refusal, empty when all is well.
pub fn check_drain<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() < 2 {
        return text!(b"ERR EMQ.DRAIN takes 2 keys");
    }
    if args.len() != 2 {
        return text!(b"ERR wrong number of arguments for 'EMQ.DRAIN' command");
    }
    if !s.int(args.get(0), 0, 1000) {
        return text!(b"ERR EMQ.DRAIN bad argument budget");
    }
    if !s.int(args.get(1), 0, 1) {
        return text!(b"ERR EMQ.DRAIN bad argument lanes");
    }
    let base: Text<'a> = keys.get(1);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"pending")]) {
        return text!(b"ERR EMQ.DRAIN keys do not match the wire-4 layout");
    }
    {
        let mut i: i64 = 2;
        while i < keys.len() {
            if keys.get(i) != s.concat(&[base, text!(b"schedule")]) {
                return text!(b"ERR EMQ.DRAIN keys do not match the wire-4 layout");
            }
            i += 1;
        }
    }
    return s.fence();
}