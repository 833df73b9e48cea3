// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;
use crate::act::step::flow_args::{bad_child};

/// Shape, values and layout of `EMQ.CHILD`: the text of the refusal, empty when all is well.
pub fn check_child<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 3 {
        return text!(b"ERR EMQ.CHILD takes 3 keys");
    }
    if args.len() < 6 {
        return text!(b"ERR wrong number of arguments for 'EMQ.CHILD' command");
    }
    if args.get(1) != text!(b"") && !s.name(args.get(1)) {
        return text!(b"ERR EMQ.CHILD bad argument parent_queue");
    }
    if args.get(2) != text!(b"fp") && args.get(2) != text!(b"id") && args.get(2) != text!(b"co") && args.get(2) != text!(b"rm") {
        return text!(b"ERR EMQ.CHILD bad argument policy");
    }
    let bad: Text<'a> = bad_child(s, args, 6);
    if bad != text!(b"") {
        return s.concat(&[text!(b"ERR EMQ.CHILD bad argument "), bad]);
    }
    let base: Text<'a> = keys.get(2);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"job:"), args.get(4)]) || keys.get(1) != s.concat(&[base, text!(b"pending")]) {
        return text!(b"ERR EMQ.CHILD keys do not match the wire-4 layout");
    }
    return s.fence();
}