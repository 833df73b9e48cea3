// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `COUNTS`: sizes of sets and values of counters, from one instant.

use crate::runtime::*;
use crate::act::check::read::counts::{check_counts};
use crate::act::step::lane::{lane_key};
use crate::act::step::row::{count_of};

/// Names of lanes that one act looks at, at most.
pub const LANES_MAX: i64 = 1000;

/// How many jobs wait in lanes. A lane with work stands on the ring, or a pause, a limit or a rest keeps it off. Answers
/// -1 when these are too many names for one act.
pub fn count_lanes<'a>(s: &Server<'a>, base: Text<'a>) -> Act<i64> {
    let ring: Text<'a> = s.concat(&[base, text!(b"ring")]);
    let paused: Text<'a> = s.concat(&[base, text!(b"paused")]);
    let limits: Text<'a> = s.concat(&[base, text!(b"glimit")]);
    let rest: Text<'a> = s.concat(&[base, text!(b"rest")]);
    let names: i64 = s.llen(&[Arg::Text(ring)])? + s.scard(&[Arg::Text(paused)])? + s.hlen(&[Arg::Text(limits)])? + s.zcard(&[Arg::Text(rest)])?;
    if names > LANES_MAX {
        return Ok(-1);
    }
    let seen: Dict<'a, bool> = s.dict();
    let mut waiting: i64 = 0;
    for some in s.list(&[s.lrange(&[Arg::Text(ring), Arg::Int(0), Arg::Int(-1)])?, s.smembers(&[Arg::Text(paused)])?, s.hkeys(&[Arg::Text(limits)])?, s.zrange(&[Arg::Text(rest), Arg::Int(0), Arg::Int(-1)])?]).iter() {
        for group in some.iter() {
            let lane: Text<'a> = lane_key(s, base, group);
            if seen.get(lane) != Some(true) {
                seen.set(lane, true);
                waiting += s.zcard(&[Arg::Text(lane)])?;
            }
        }
    }
    return Ok(waiting);
}

/// Keys: base, pending, further sets. Arguments: counters. Answers one number each, in this order.
pub fn counts<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_counts(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let out: List<'a, i64> = s.list::<i64>(&[]);
    let sets: i64 = keys.len();
    {
        let mut i: i64 = 1;
        while i < sets {
            out.push(s.zcard(&[Arg::Text(keys.get(i))])?);
            i += 1;
        }
    }
    for counter in args.iter() {
        if counter == text!(b"lanes") {
            out.push(count_lanes(s, keys.get(0))?);
        } else {
            out.push(count_of(s, s.hget(&[Arg::Text(s.concat(&[keys.get(0), text!(b"metrics:"), counter])), Arg::Word(text!(b"count"))])?)?);
        }
    }
    return Ok(Value::from(out));
}