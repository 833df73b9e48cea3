// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `FDELIVER`: delivers a completion to a parent of this queue. Delivered again it says nothing new.

use crate::runtime::*;
use crate::act::check::flow::fdeliver::{check_fdeliver};
use crate::act::step::kin::{nothing_told};
use crate::act::step::parent::{child_done, read_parent};
use crate::act::step::wake::{is_open};

/// Keys: dependencies, processed, row, base. Arguments: child_id, result, parent_id. Answers 1, or 0 for nothing new.
pub fn fdeliver<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_fdeliver(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(3);
    let open: bool = is_open(s, base)?;
    read_parent(s, base, args.get(2), args.get(0), text!(b"done"), text!(b"fp"), text!(b""), nothing_told(s))?;
    return Ok(Value::from(child_done(s, base, args.get(2), args.get(0), args.get(1), open)?));
}