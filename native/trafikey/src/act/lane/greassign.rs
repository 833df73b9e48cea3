// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `GREASSIGN`: moves a waiting job to another lane. It keeps its priority, and its place by age.

use crate::runtime::*;
use crate::act::check::lane::greassign::{check_greassign};
use crate::act::step::lane::{enter_lane, lane_key, leave_lane, read_lanes};
use crate::act::step::row::{score_of};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Keys: row, lane, ring, paused, glimit, gactive, wake, base. Arguments: id, dst. Answers 1, 0, -1 or -2.
pub fn greassign<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_greassign(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(7);
    let id: Text<'a> = args.get(0);
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"group")), Arg::Word(text!(b"priority"))])?;
    let source: Option<Text<'a>> = fields.pick(0);
    if source.is_none() {
        return Ok(Value::from(-1));
    }
    if source == Some(args.get(1)) {
        return Ok(Value::from(0));
    }
    if s.zscore(&[Arg::Text(lane_key(s, base, source.unwrap())), Arg::Text(id)])?.is_none() {
        return Ok(Value::from(-2));
    }
    let open: bool = is_open(s, base)?;
    read_lanes(s, base, s.list(&[source.unwrap(), args.get(1)]), 1)?;
    leave_lane(s, base, source.unwrap(), id)?;
    s.hdel(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"held"))])?;
    s.hset(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"group")), Arg::Text(args.get(1))])?;
    enter_lane(s, base, args.get(1), id, score_of(s, fields.pick(1))?)?;
    push_if_claimable(s, base, open)?;
    return Ok(Value::from(1));
}