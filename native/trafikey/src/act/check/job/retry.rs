// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.RETRY`: the text of the refusal, empty when all is well.
pub fn check_retry<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 5 {
        return text!(b"ERR EMQ.RETRY takes 5 keys");
    }
    if args.len() < 5 || args.len() > 8 {
        return text!(b"ERR wrong number of arguments for 'EMQ.RETRY' command");
    }
    if !s.int(args.get(1), 0, 9007199254740991) {
        return text!(b"ERR EMQ.RETRY bad argument token");
    }
    if !s.int(args.get(2), 0, 9007199254740991) {
        return text!(b"ERR EMQ.RETRY bad argument delay_ms");
    }
    if !s.int(args.get(3), 0, 2147483648) {
        return text!(b"ERR EMQ.RETRY bad argument max_attempts");
    }
    if args.len() > 5 && !s.int(args.get(5), 0, 9007199254740991) {
        return text!(b"ERR EMQ.RETRY bad argument dead_n");
    }
    if args.len() > 6 && !s.int(args.get(6), 0, 9007199254740991) {
        return text!(b"ERR EMQ.RETRY bad argument dead_ms");
    }
    if args.len() > 7 && !s.int(args.get(7), 0, 9007199254740991) {
        return text!(b"ERR EMQ.RETRY bad argument result_ms");
    }
    let base: Text<'a> = keys.get(4);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"active")]) || keys.get(1) != s.concat(&[base, text!(b"schedule")]) || keys.get(2) != s.concat(&[base, text!(b"dead")]) || keys.get(3) != s.concat(&[base, text!(b"job:"), args.get(0)]) {
        return text!(b"ERR EMQ.RETRY keys do not match the wire-4 layout");
    }
    return s.fence();
}