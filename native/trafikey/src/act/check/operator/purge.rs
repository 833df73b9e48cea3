// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.PURGE`: the text of the refusal, empty when all is well.
pub fn check_purge<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() < 2 {
        return text!(b"ERR EMQ.PURGE takes 2 keys");
    }
    if args.len() != 0 {
        return text!(b"ERR wrong number of arguments for 'EMQ.PURGE' command");
    }
    let base: Text<'a> = keys.get(1);
    if !s.base(base) || keys.get(0) != s.concat(&[base, text!(b"meta")]) {
        return text!(b"ERR EMQ.PURGE keys do not match the wire-4 layout");
    }
    {
        let mut i: i64 = 2;
        while i < keys.len() {
            if keys.get(i).index_of(base) != 0 || keys.get(i) == base {
                return text!(b"ERR EMQ.PURGE keys do not match the wire-4 layout");
            }
            i += 1;
        }
    }
    return s.fence();
}