// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;
use crate::act::step::flow_args::{bad_hold};

/// Shape, values and layout of `EMQ.HOLD`: the text of the refusal, empty when all is well.
pub fn check_hold<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Text<'a>> {
    if keys.len() != 3 {
        return Ok(text!(b"ERR EMQ.HOLD takes 3 keys"));
    }
    if args.len() < 4 {
        return Ok(text!(b"ERR wrong number of arguments for 'EMQ.HOLD' command"));
    }
    if !s.int(args.get(0), 1, 1000) {
        return Ok(text!(b"ERR EMQ.HOLD bad argument n"));
    }
    let bad: Text<'a> = bad_hold(s, args, 4)?;
    if bad != text!(b"") {
        return Ok(s.concat(&[text!(b"ERR EMQ.HOLD bad argument "), bad]));
    }
    let base: Text<'a> = keys.get(2);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"job:"), args.get(2)]) || keys.get(1) != s.concat(&[base, text!(b"pending")]) {
        return Ok(text!(b"ERR EMQ.HOLD keys do not match the wire-4 layout"));
    }
    return Ok(s.fence());
}