// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `REAP`: takes back lapsed leases and never kills. For operators and foreign speakers; workers run `SWEEP`.

use crate::runtime::*;
use crate::act::check::job::reap::{check_reap};
use crate::act::step::lapse::{Lapsed, take_back};
use crate::act::step::retain::{plain_terms};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Keys: active, pending, base. Arguments: limit. Answers how many jobs wait again.
pub fn reap<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_reap(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let open: bool = is_open(s, keys.get(2))?;
    let lapsed: &'a Lapsed<'a> = take_back(s, keys.get(0), keys.get(2), -1, s.num(args.get(0))?, plain_terms(s))?;
    // A dropped member may have been what filled the ceiling of the queue.
    if lapsed.recovered.len() + lapsed.dropped.get() > 0 {
        push_if_claimable(s, keys.get(2), open)?;
    }
    return Ok(Value::from(lapsed.recovered.len()));
}