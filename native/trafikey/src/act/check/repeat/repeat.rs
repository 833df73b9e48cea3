// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;
use crate::act::step::repeat_pairs::{bad_repeat};

/// Shape, values and layout of `EMQ.REPEAT`: the text of the refusal, empty when all is well.
pub fn check_repeat<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Text<'a>> {
    if keys.len() != 3 {
        return Ok(text!(b"ERR EMQ.REPEAT takes 3 keys"));
    }
    if args.len() < 5 {
        return Ok(text!(b"ERR wrong number of arguments for 'EMQ.REPEAT' command"));
    }
    if !s.name(args.get(0)) {
        return Ok(text!(b"ERR EMQ.REPEAT bad argument name"));
    }
    if args.get(1) != text!(b"create") && args.get(1) != text!(b"replace") {
        return Ok(text!(b"ERR EMQ.REPEAT bad argument mode"));
    }
    if !s.int(args.get(2), 0, 9007199254740991) {
        return Ok(text!(b"ERR EMQ.REPEAT bad argument every_ms"));
    }
    if !s.int(args.get(4), 0, 9007199254740991) {
        return Ok(text!(b"ERR EMQ.REPEAT bad argument first_at"));
    }
    let bad: Text<'a> = bad_repeat(s, args, 5)?;
    if bad != text!(b"") {
        return Ok(s.concat(&[text!(b"ERR EMQ.REPEAT bad argument "), bad]));
    }
    let base: Text<'a> = keys.get(2);
    let plane: Text<'a> = if keys.get(0) == s.concat(&[base, text!(b"cron")]) { text!(b"cron") } else { text!(b"repeat") };
    if !s.base(base) || keys.get(0) != s.concat(&[base, plane]) || keys.get(1) != s.concat(&[base, plane, text!(b":"), args.get(0)]) {
        return Ok(text!(b"ERR EMQ.REPEAT keys do not match the wire-4 layout"));
    }
    return Ok(s.fence());
}