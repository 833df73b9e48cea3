// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `GRATE`: sets how many jobs of a lane may be claimed in a time, or ends that.
//!
//! A lane whose name begins with `@` is that of a job name: while it has a rate, flat jobs of that name go into it when
//! a claim meets them. Any change ends a rest of the lane; the next claim finds out whether another one begins.

use crate::runtime::*;
use crate::act::check::lane::grate::{check_grate};
use crate::act::step::lane::{LANE_SETTINGS_MAX, SETTINGS_FULL, is_servable, lane_key, read_lanes};
use crate::act::step::limit::{burst_of, changes_counting, forget_spent};
use crate::act::step::rest::{offer_lane};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Fields of `rate`, at most: three for a lane that has spent nothing, and six for one in a sliding window.
pub const FIELDS_MAX: i64 = 3 * LANE_SETTINGS_MAX;

/// Writes the rate of a lane, or takes it away.
pub fn set_rate<'a>(s: &Server<'a>, rate: Text<'a>, args: List<'a, Text<'a>>, burst: Text<'a>) -> Act<()> {
    let lane: Text<'a> = args.get(0);
    s.hdel(&[Arg::Text(rate), Arg::Text(s.concat(&[text!(b"m"), lane])), Arg::Text(s.concat(&[text!(b"d"), lane])), Arg::Text(s.concat(&[text!(b"b"), lane]))])?;
    if args.get(1) == text!(b"0") {
        return Ok(());
    }
    s.hset(&[Arg::Text(rate), Arg::Text(s.concat(&[text!(b"m"), lane])), Arg::Text(args.get(1)), Arg::Text(s.concat(&[text!(b"d"), lane])), Arg::Text(args.get(2))])?;
    if burst != text!(b"") {
        s.hset(&[Arg::Text(rate), Arg::Text(s.concat(&[text!(b"b"), lane])), Arg::Text(burst)])?;
    }
    Ok(())
}

/// Keys: rate, rest, ring, wake, base. Arguments: group, max or 0, duration, way, burst. Answers 1.
pub fn grate<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_grate(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let rate: Text<'a> = keys.get(0);
    let base: Text<'a> = keys.get(4);
    let lane: Text<'a> = args.get(0);
    let before: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(rate), Arg::Text(s.concat(&[text!(b"d"), lane])), Arg::Text(s.concat(&[text!(b"b"), lane]))])?;
    let burst: Text<'a> = burst_of(args, 1);
    let is_wanted: bool = args.get(1) != text!(b"0");
    if is_wanted && before.pick(0).is_none() && s.hlen(&[Arg::Text(rate)])? >= FIELDS_MAX {
        return Ok(Value::Error(SETTINGS_FULL));
    }
    let open: bool = is_open(s, base)?;
    read_lanes(s, base, s.list(&[lane]), 1)?;
    let rested: bool = s.zrem(&[Arg::Text(keys.get(1)), Arg::Text(lane)])? == 1;
    if !is_wanted || changes_counting(before, args.get(2), burst) {
        forget_spent(s, base, lane)?;
    }
    set_rate(s, rate, args, burst)?;
    if s.char(lane, 0) == text!(b"@") && is_wanted != (before.pick(0).is_some()) {
        if s.hincrby(&[Arg::Text(rate), Arg::Word(text!(b"n")), Arg::Int(if is_wanted { 1 } else { -1 })])? <= 0 {
            s.hdel(&[Arg::Text(rate), Arg::Word(text!(b"n"))])?;
        }
    }
    if rested && s.zcard(&[Arg::Text(lane_key(s, base, lane))])? > 0 && is_servable(s, base, lane)? {
        offer_lane(s, base, lane)?;
    }
    push_if_claimable(s, base, open)?;
    return Ok(Value::from(1));
}