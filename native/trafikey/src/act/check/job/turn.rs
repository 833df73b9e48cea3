// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;
use crate::act::step::settlements::{bad_settlement};

/// Shape, values and layout of `EMQ.TURN`: the text of the refusal, empty when all is well.
pub fn check_turn<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Text<'a>> {
    if keys.len() != 5 {
        return Ok(text!(b"ERR EMQ.TURN takes 5 keys"));
    }
    if args.len() < 3 {
        return Ok(text!(b"ERR wrong number of arguments for 'EMQ.TURN' command"));
    }
    if !s.int(args.get(1), 1, 2147483648) {
        return Ok(text!(b"ERR EMQ.TURN bad argument lease_ms"));
    }
    if !s.int(args.get(2), 0, 1000) {
        return Ok(text!(b"ERR EMQ.TURN bad argument want"));
    }
    let bad: Text<'a> = bad_settlement(s, args, 3)?;
    if bad != text!(b"") {
        return Ok(s.concat(&[text!(b"ERR EMQ.TURN bad argument "), bad]));
    }
    let base: Text<'a> = keys.get(4);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"pending")]) || keys.get(1) != s.concat(&[base, text!(b"active")]) || keys.get(2) != s.concat(&[base, text!(b"schedule")]) || keys.get(3) != s.concat(&[base, text!(b"wake")]) {
        return Ok(text!(b"ERR EMQ.TURN keys do not match the wire-4 layout"));
    }
    return Ok(s.fence());
}