// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `LANES`: the lanes on the ring, in the order of their turns.
//!
//! A served lane goes from the head to the tail, so the ring is read as a circle: from behind a lane it is the same
//! whoever was served meanwhile.

use crate::runtime::*;
use crate::act::check::lane::lanes::{check_lanes};

/// Keys: ring, base. Arguments: cursor or empty, n. Answers how many there are, then names; nothing if the cursor is
/// gone.
pub fn lanes<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_lanes(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let ring: Text<'a> = keys.get(0);
    let most: i64 = s.num(args.get(1))?;
    let lanes: i64 = s.llen(&[Arg::Text(ring)])?;
    let mut at: i64 = -1;
    if args.get(0) != text!(b"") {
        let found: List<'a, i64> = s.lpos(&[Arg::Text(ring), Arg::Text(args.get(0)), Arg::Word(text!(b"COUNT")), Arg::Int(1)])?;
        if found.len() == 0 {
            return Ok(Value::from(s.list::<Value<'a>>(&[])));
        }
        at = found.get(0);
    }
    let count: i64 = i64::min(most, lanes);
    let out: List<'a, Value<'a>> = s.list(&[Value::from(lanes)]);
    if count == 0 {
        return Ok(Value::from(out));
    }
    for lane in s.lrange(&[Arg::Text(ring), Arg::Int(at + 1), Arg::Int(i64::min(at + count, lanes - 1))])?.iter() {
        out.push(Value::from(lane));
    }
    let rest: i64 = count + 1 - out.len();
    if rest > 0 {
        for lane in s.lrange(&[Arg::Text(ring), Arg::Int(0), Arg::Int(rest - 1)])?.iter() {
            out.push(Value::from(lane));
        }
    }
    return Ok(Value::from(out));
}