// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `REPAIR`: puts one thing right that no act of the wire leaves wrong, if it still is wrong.
//!
//! Each subject is judged anew in this act from what lies there now, so a repair that comes late does nothing.

use crate::runtime::*;
use crate::act::check::operator::repair::{check_repair};
use crate::act::step::mend_job::{LEFT, MENDED, RIGHT, mend_job};
use crate::act::step::mend_key::{mend_counter, mend_cursor, mend_dedup, mend_limiter, mend_repeat, mend_setting, mend_tokens, mend_wake, mend_workers};
use crate::act::step::mend_lane::{mend_lane};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Arguments before the ids or fields.
pub const FIXED: i64 = 4;

/// Ids or fields of one act, at most.
pub const MORE_MAX: i64 = 1000;

/// Unlinks a key that has no place in the queue, or not with this type.
pub fn drop_key<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, type_: Text<'a>, may_destroy: bool) -> Act<i64> {
    if keys.len() != 3 || s.holds(keys.get(2))? != type_ {
        return Ok(RIGHT);
    }
    if !may_destroy {
        return Ok(LEFT);
    }
    return Ok(if s.del(&[Arg::Text(keys.get(2))])? == 1 { MENDED } else { RIGHT });
}

/// Puts the subject right; answers 0, 1 or 2.
pub fn mend<'a>(s: &Server<'a>, base: Text<'a>, args: List<'a, Text<'a>>, more: List<'a, Text<'a>>, open: bool) -> Act<i64> {
    let subject: Text<'a> = args.get(0);
    let name: Text<'a> = args.get(1);
    let may_destroy: bool = args.get(3) == text!(b"destroy");
    if subject == text!(b"job") {
        return Ok(mend_job(s, base, name, args.get(2), may_destroy, more)?);
    }
    if subject == text!(b"lane") {
        return Ok(mend_lane(s, base, name, more)?);
    }
    if subject == text!(b"wake") {
        return Ok(mend_wake(s, base, open)?);
    }
    if subject == text!(b"dedup") {
        return Ok(mend_dedup(s, base, name)?);
    }
    if subject == text!(b"cursor") {
        return Ok(mend_cursor(s, base)?);
    }
    if subject == text!(b"counter") {
        return Ok(mend_counter(s, base, name, may_destroy)?);
    }
    if subject == text!(b"limiter") {
        return Ok(mend_limiter(s, base)?);
    }
    if subject == text!(b"tokens") {
        return Ok(mend_tokens(s, base)?);
    }
    if subject == text!(b"workers") {
        return Ok(mend_workers(s, base)?);
    }
    if subject == text!(b"repeat") {
        return Ok(mend_repeat(s, base, args.get(2), name)?);
    }
    return Ok(mend_setting(s, base, name, may_destroy)?);
}

/// Keys: pending, base, perhaps one to unlink. Arguments: subject, name, lane or empty, mode, ids or fields. Answers 0,
/// 1 or 2.
pub fn repair<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_repair(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let stop: i64 = args.len();
    if stop > MORE_MAX + FIXED {
        return Ok(Value::Error(text!(b"ERR EMQ.REPAIR bad argument more")));
    }
    let more: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    {
        let mut i: i64 = FIXED;
        while i < stop {
            more.push(args.get(i));
            i += 1;
        }
    }
    let base: Text<'a> = keys.get(1);
    // A foreign key is dropped first of all, and it may be the very one in which a pause would stand.
    if args.get(0) == text!(b"key") {
        return Ok(Value::from(drop_key(s, keys, args.get(1), args.get(3) == text!(b"destroy"))?));
    }
    let open: bool = is_open(s, base)?;
    let outcome: i64 = mend(s, base, args, more, open)?;
    if outcome == MENDED {
        push_if_claimable(s, base, open)?;
    }
    return Ok(Value::from(outcome));
}