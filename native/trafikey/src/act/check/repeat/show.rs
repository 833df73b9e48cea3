// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.SHOW`: the text of the refusal, empty when all is well.
pub fn check_show<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 2 {
        return text!(b"ERR EMQ.SHOW takes 2 keys");
    }
    if args.len() > 100 {
        return text!(b"ERR EMQ.SHOW bad argument name");
    }
    let base: Text<'a> = keys.get(1);
    let plane: Text<'a> = if keys.get(0) == s.concat(&[base, text!(b"cron")]) { text!(b"cron") } else { text!(b"repeat") };
    if !s.base(base) || keys.get(0) != s.concat(&[base, plane]) {
        return text!(b"ERR EMQ.SHOW keys do not match the wire-4 layout");
    }
    return s.fence();
}