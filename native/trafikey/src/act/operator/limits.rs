// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `LIMITS`: sets how many jobs of the queue may be leased at once, and how many may be claimed in a time.
//!
//! What a rate has spent is kept as long as its duration and its way of counting stay, so that raising it lets through
//! the difference. Any change of the rate ends a rest of the queue; the next claim finds out whether another one begins.

use crate::runtime::*;
use crate::act::check::operator::limits::{check_limits};
use crate::act::step::limit::{burst_of, changes_counting, forget_spent};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Sets the rate, or ends it.
pub fn set_rate<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<()> {
    let base: Text<'a> = keys.get(3);
    let before: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"duration")), Arg::Word(text!(b"burst"))])?;
    let burst: Text<'a> = burst_of(args, 1);
    let is_anew: bool = args.get(1) == text!(b"0") || changes_counting(before, args.get(2), burst);
    s.zrem(&[Arg::Text(s.concat(&[base, text!(b"rest")])), Arg::Word(text!(b""))])?;
    s.del(&[Arg::Text(keys.get(1))])?;
    if is_anew {
        forget_spent(s, base, text!(b""))?;
    }
    s.hdel(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"max")), Arg::Word(text!(b"duration")), Arg::Word(text!(b"burst"))])?;
    if args.get(1) == text!(b"0") {
        return Ok(());
    }
    s.hset(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"max")), Arg::Text(args.get(1)), Arg::Word(text!(b"duration")), Arg::Text(args.get(2))])?;
    if burst != text!(b"") {
        s.hset(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"burst")), Arg::Text(burst)])?;
    }
    Ok(())
}

/// Keys: meta, limiter, wake, base. Arguments: concurrency, max, duration, way, burst, part. Answers 1.
pub fn limits<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_limits(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(3);
    let open: bool = is_open(s, base)?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"rest")]))])?;
    s.hlen(&[Arg::Text(s.concat(&[base, text!(b"rate")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"active")]))])?;
    if args.get(5) != text!(b"rate") {
        s.hdel(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"concurrency"))])?;
        if args.get(0) != text!(b"0") {
            s.hset(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"concurrency")), Arg::Text(args.get(0))])?;
        }
    }
    if args.get(5) != text!(b"concurrency") {
        set_rate(s, keys, args)?;
    }
    push_if_claimable(s, base, open)?;
    return Ok(Value::from(1));
}