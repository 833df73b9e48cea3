// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;
use crate::act::step::admit_rows::{bad_admit_row};

/// Shape, values and layout of `EMQ.ADMIT`: the text of the refusal, empty when all is well.
pub fn check_admit<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Text<'a>> {
    if keys.len() != 2 {
        return Ok(text!(b"ERR EMQ.ADMIT takes 2 keys"));
    }
    let bad: Text<'a> = bad_admit_row(s, args, 0)?;
    if bad != text!(b"") {
        return Ok(s.concat(&[text!(b"ERR EMQ.ADMIT bad argument "), bad]));
    }
    let base: Text<'a> = keys.get(0);
    if !s.base(base) || keys.get(1) != s.concat(&[base, text!(b"pending")]) {
        return Ok(text!(b"ERR EMQ.ADMIT keys do not match the wire-4 layout"));
    }
    return Ok(s.fence());
}