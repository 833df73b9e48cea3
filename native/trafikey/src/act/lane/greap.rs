// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `GREAP`: takes back lapsed leases of one lane, and never kills.

use crate::runtime::*;
use crate::act::check::lane::greap::{check_greap};
use crate::act::step::lapse::{take_back_lane};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Keys: active, base. Arguments: group, limit. Answers how many were taken back.
pub fn greap<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_greap(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let open: bool = is_open(s, keys.get(1))?;
    let taken: i64 = take_back_lane(s, keys.get(0), keys.get(1), args.get(0), s.num(args.get(1))?)?;
    // Also when none was taken back: a stray that was dropped may have been what filled the ceiling of the queue.
    push_if_claimable(s, keys.get(1), open)?;
    return Ok(Value::from(taken));
}