// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.COMPLETE`: the text of the refusal, empty when all is well.
pub fn check_complete<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 3 {
        return text!(b"ERR EMQ.COMPLETE takes 3 keys");
    }
    if args.len() < 2 || args.len() > 6 {
        return text!(b"ERR wrong number of arguments for 'EMQ.COMPLETE' command");
    }
    if !s.int(args.get(1), 0, 9007199254740991) {
        return text!(b"ERR EMQ.COMPLETE bad argument token");
    }
    if args.len() > 3 && !s.int(args.get(3), 0, 9007199254740991) {
        return text!(b"ERR EMQ.COMPLETE bad argument keep_n");
    }
    if args.len() > 4 && !s.int(args.get(4), 0, 9007199254740991) {
        return text!(b"ERR EMQ.COMPLETE bad argument keep_ms");
    }
    if args.len() > 5 && !s.int(args.get(5), 0, 9007199254740991) {
        return text!(b"ERR EMQ.COMPLETE bad argument result_ms");
    }
    let base: Text<'a> = keys.get(2);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"active")]) || keys.get(1) != s.concat(&[base, text!(b"job:"), args.get(0)]) {
        return text!(b"ERR EMQ.COMPLETE keys do not match the wire-4 layout");
    }
    return s.fence();
}