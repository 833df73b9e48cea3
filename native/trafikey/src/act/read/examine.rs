// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `EXAMINE`: everything that invariants say about a lane, a deduplication key and some jobs, read at one instant.
//!
//! It judges nothing: what is wrong, is for `src/doctor/` to say, on any engine alike.

use crate::runtime::*;
use crate::act::check::read::examine::{check_examine};
use crate::act::step::evidence::{ChildBudget, examine_dedup, examine_job, examine_lane};

/// Arguments before the ids.
pub const FIXED: i64 = 3;

/// Ids of one act, at most.
pub const EXAMINED_MAX: i64 = 1000;

/// Children that one act looks at, at most, to count those that are open.
pub const CHILDREN_MAX: i64 = 1000;

/// Keys: pending, base. Arguments: lane or empty, deduplication id or empty, count, ids. Answers what it saw.
pub fn examine<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_examine(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let stop: i64 = args.len();
    if stop > EXAMINED_MAX + FIXED {
        return Ok(Value::Error(text!(b"ERR EMQ.EXAMINE bad argument id")));
    }
    let base: Text<'a> = keys.get(1);
    let jobs: List<'a, Value<'a>> = s.list::<Value<'a>>(&[]);
    let budget: &'a ChildBudget<'a> = s.make(ChildBudget { left: Cell::new(CHILDREN_MAX), here: Here::new() });
    {
        let mut i: i64 = FIXED;
        while i < stop {
            jobs.push(Value::from(examine_job(s, base, args.get(i), args.get(0), budget)?));
            i += 1;
        }
    }
    let lane: List<'a, Value<'a>> = if args.get(0) == text!(b"") { s.list::<Value<'a>>(&[]) } else { examine_lane(s, base, args.get(0), args.get(2))? };
    let dedup: List<'a, Value<'a>> = if args.get(1) == text!(b"") { s.list::<Value<'a>>(&[]) } else { examine_dedup(s, base, args.get(1))? };
    return Ok(Value::from(s.list(&[Value::from(s.now()), Value::from(lane), Value::from(dedup), Value::from(jobs)])));
}