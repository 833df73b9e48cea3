// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `PROMOTE`: moves due jobs from the schedule to where they wait.

use crate::runtime::*;
use crate::act::check::job::promote::{check_promote};
use crate::act::step::promote_due::{promote_due};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Members looked at by one act, at most.
pub const LOOKS_MAX: i64 = 1000;

/// Keys: schedule, pending, base. Arguments: batch. Answers how many jobs were moved.
pub fn promote<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_promote(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let open: bool = is_open(s, keys.get(2))?;
    let moved: i64 = promote_due(s, keys.get(0), keys.get(2), s.num(args.get(0))?, LOOKS_MAX)?.moved.get();
    if moved > 0 {
        push_if_claimable(s, keys.get(2), open)?;
    }
    return Ok(Value::from(moved));
}