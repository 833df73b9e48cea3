// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `DELAY`: puts an active job back until an instant. It is an interruption, not a failure.

use crate::runtime::*;
use crate::act::check::job::delay::{check_delay};
use crate::act::step::bound::{due_in};
use crate::act::step::event::{heard_by};
use crate::act::step::limit::{has_ceiling};
use crate::act::step::put_back::{defer};
use crate::act::step::row::{NO_JOB_ID, is_job_id};
use crate::act::step::settle::{judge, read_holder};
use crate::act::step::wake::{is_open, push_if_claimable, push_if_head};

/// Keys: row, active, schedule, base. Arguments: id, token, in or at, ms. Answers 1.
pub fn delay<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_delay(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let id: Text<'a> = args.get(0);
    let base: Text<'a> = keys.get(3);
    if !is_job_id(id) {
        return Ok(Value::Error(NO_JOB_ID));
    }
    let holder: List<'a, Option<Text<'a>>> = read_holder(s, keys.get(0))?;
    let verdict: Text<'a> = judge(holder, args.get(1), text!(b"EMQSTALE job gone"), text!(b"EMQSTALE delay token mismatch"));
    if verdict != text!(b"") {
        return Ok(Value::Error(verdict));
    }
    let open: bool = is_open(s, base)?;
    let frees: bool = holder.pick(3).is_some() || has_ceiling(s, base)?;
    let ms: i64 = s.num(args.get(3))?;
    defer(s, base, id, holder, if args.get(2) == text!(b"in") { due_in(s, ms) } else { ms }, heard_by(s, base)?)?;
    if frees {
        push_if_claimable(s, base, open)?;
    }
    push_if_head(s, base, id)?;
    return Ok(Value::from(1));
}