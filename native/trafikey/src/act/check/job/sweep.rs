// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.SWEEP`: the text of the refusal, empty when all is well.
pub fn check_sweep<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 4 {
        return text!(b"ERR EMQ.SWEEP takes 4 keys");
    }
    if args.len() < 2 || args.len() > 5 {
        return text!(b"ERR wrong number of arguments for 'EMQ.SWEEP' command");
    }
    if !s.int(args.get(0), 0, 2147483648) {
        return text!(b"ERR EMQ.SWEEP bad argument max_stalled");
    }
    if !s.int(args.get(1), 0, 1000) {
        return text!(b"ERR EMQ.SWEEP bad argument limit");
    }
    if args.len() > 2 && !s.int(args.get(2), 0, 9007199254740991) {
        return text!(b"ERR EMQ.SWEEP bad argument dead_n");
    }
    if args.len() > 3 && !s.int(args.get(3), 0, 9007199254740991) {
        return text!(b"ERR EMQ.SWEEP bad argument dead_ms");
    }
    if args.len() > 4 && !s.int(args.get(4), 0, 9007199254740991) {
        return text!(b"ERR EMQ.SWEEP bad argument result_ms");
    }
    let base: Text<'a> = keys.get(3);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"active")]) || keys.get(1) != s.concat(&[base, text!(b"pending")]) || keys.get(2) != s.concat(&[base, text!(b"dead")]) {
        return text!(b"ERR EMQ.SWEEP keys do not match the wire-4 layout");
    }
    return s.fence();
}