// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.LIMITS`: the text of the refusal, empty when all is well.
pub fn check_limits<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 4 {
        return text!(b"ERR EMQ.LIMITS takes 4 keys");
    }
    if args.len() != 6 {
        return text!(b"ERR wrong number of arguments for 'EMQ.LIMITS' command");
    }
    if !s.int(args.get(0), 0, 2147483648) {
        return text!(b"ERR EMQ.LIMITS bad argument concurrency");
    }
    if !s.int(args.get(1), 0, 1048576) {
        return text!(b"ERR EMQ.LIMITS bad argument max");
    }
    if !s.int(args.get(2), 1, 2147483648) {
        return text!(b"ERR EMQ.LIMITS bad argument duration");
    }
    if args.get(3) != text!(b"window") && args.get(3) != text!(b"sliding") && args.get(3) != text!(b"bucket") {
        return text!(b"ERR EMQ.LIMITS bad argument way");
    }
    if !s.int(args.get(4), 0, 1048576) {
        return text!(b"ERR EMQ.LIMITS bad argument burst");
    }
    if args.get(5) != text!(b"both") && args.get(5) != text!(b"concurrency") && args.get(5) != text!(b"rate") {
        return text!(b"ERR EMQ.LIMITS bad argument part");
    }
    let base: Text<'a> = keys.get(3);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"meta")]) || keys.get(1) != s.concat(&[base, text!(b"limiter")]) || keys.get(2) != s.concat(&[base, text!(b"wake")]) {
        return text!(b"ERR EMQ.LIMITS keys do not match the wire-4 layout");
    }
    return s.fence();
}