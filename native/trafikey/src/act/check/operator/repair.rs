// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.REPAIR`: the text of the refusal, empty when all is well.
pub fn check_repair<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() < 2 {
        return text!(b"ERR EMQ.REPAIR takes 2 keys");
    }
    if args.len() < 4 {
        return text!(b"ERR wrong number of arguments for 'EMQ.REPAIR' command");
    }
    if args.get(0) != text!(b"job") && args.get(0) != text!(b"lane") && args.get(0) != text!(b"wake") && args.get(0) != text!(b"dedup") && args.get(0) != text!(b"cursor") && args.get(0) != text!(b"counter") && args.get(0) != text!(b"limiter") && args.get(0) != text!(b"setting") && args.get(0) != text!(b"tokens") && args.get(0) != text!(b"workers") && args.get(0) != text!(b"repeat") && args.get(0) != text!(b"key") {
        return text!(b"ERR EMQ.REPAIR bad argument subject");
    }
    if args.get(2) != text!(b"") && !s.name(args.get(2)) {
        return text!(b"ERR EMQ.REPAIR bad argument lane");
    }
    if args.get(3) != text!(b"keep") && args.get(3) != text!(b"destroy") {
        return text!(b"ERR EMQ.REPAIR bad argument mode");
    }
    let base: Text<'a> = keys.get(1);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"pending")]) {
        return text!(b"ERR EMQ.REPAIR keys do not match the wire-4 layout");
    }
    {
        let mut i: i64 = 2;
        while i < keys.len() {
            if keys.get(i).index_of(base) != 0 || keys.get(i) == base {
                return text!(b"ERR EMQ.REPAIR keys do not match the wire-4 layout");
            }
            i += 1;
        }
    }
    return s.fence();
}