// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;
use crate::act::step::flow_args::{bad_expect};

/// Shape, values and layout of `EMQ.EXPECT`: the text of the refusal, empty when all is well.
pub fn check_expect<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 2 {
        return text!(b"ERR EMQ.EXPECT takes 2 keys");
    }
    if args.len() < 2 {
        return text!(b"ERR wrong number of arguments for 'EMQ.EXPECT' command");
    }
    let bad: Text<'a> = bad_expect(s, args, 2);
    if bad != text!(b"") {
        return s.concat(&[text!(b"ERR EMQ.EXPECT bad argument "), bad]);
    }
    let base: Text<'a> = keys.get(1);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"job:"), args.get(0)]) {
        return text!(b"ERR EMQ.EXPECT keys do not match the wire-4 layout");
    }
    return s.fence();
}