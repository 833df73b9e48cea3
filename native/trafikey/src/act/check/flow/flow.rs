// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;
use crate::act::step::flow_args::{bad_flow};

/// Shape, values and layout of `EMQ.FLOW`: the text of the refusal, empty when all is well.
pub fn check_flow<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Text<'a>> {
    if keys.len() < 3 {
        return Ok(text!(b"ERR EMQ.FLOW takes 3 keys"));
    }
    if args.len() < 3 {
        return Ok(text!(b"ERR wrong number of arguments for 'EMQ.FLOW' command"));
    }
    let bad: Text<'a> = bad_flow(s, args, 3)?;
    if bad != text!(b"") {
        return Ok(s.concat(&[text!(b"ERR EMQ.FLOW bad argument "), bad]));
    }
    let base: Text<'a> = keys.get(2);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"job:"), args.get(1)]) || keys.get(1) != s.concat(&[base, text!(b"pending")]) {
        return Ok(text!(b"ERR EMQ.FLOW keys do not match the wire-4 layout"));
    }
    {
        let mut i: i64 = 3;
        while i < keys.len() {
            if keys.get(i) != s.concat(&[base, text!(b"job:"), keys.get(i).from(-14)]) || !(s.branded(keys.get(i).from(-14))) {
                return Ok(text!(b"ERR EMQ.FLOW keys do not match the wire-4 layout"));
            }
            i += 1;
        }
    }
    return Ok(s.fence());
}