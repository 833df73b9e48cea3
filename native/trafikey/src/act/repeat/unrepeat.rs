// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `UNREPEAT`: takes a repeat away. Jobs that it has made stay.

use crate::runtime::*;
use crate::act::check::repeat::unrepeat::{check_unrepeat};
use crate::act::step::lane::{lane_key, read_lanes, set_limit};
use crate::act::step::repeat_record::{GROUP_FIELD, OVERLAP_FIELD, read_record};

/// Takes the limit and the order of the lane of a repeat away if nothing is in it.
pub fn free_lane<'a>(s: &Server<'a>, base: Text<'a>, fields: List<'a, Option<Text<'a>>>) -> Act<()> {
    let group: Option<Text<'a>> = fields.pick(GROUP_FIELD);
    if fields.pick(OVERLAP_FIELD) != Some(text!(b"queue")) || group.is_none() {
        return Ok(());
    }
    if s.zcard(&[Arg::Text(lane_key(s, base, group.unwrap()))])? > 0 || s.hexists(&[Arg::Text(s.concat(&[base, text!(b"gactive")])), Arg::Text(group.unwrap())])? == 1 {
        return Ok(());
    }
    set_limit(s, base, group.unwrap(), 0)?;
    s.srem(&[Arg::Text(s.concat(&[base, text!(b"gordered")])), Arg::Text(group.unwrap())])?;
    Ok(())
}

/// Keys: set, record, base. Argument: name. Answers 1, or 0 when it had no place in the set.
pub fn unrepeat<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_unrepeat(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(2);
    let fields: List<'a, Option<Text<'a>>> = read_record(s, keys.get(1))?;
    s.zcard(&[Arg::Text(keys.get(0))])?;
    if fields.pick(OVERLAP_FIELD) == Some(text!(b"queue")) && fields.pick(GROUP_FIELD).is_some() {
        read_lanes(s, base, s.list(&[fields.pick(GROUP_FIELD).unwrap()]), 1)?;
        s.scard(&[Arg::Text(s.concat(&[base, text!(b"gordered")]))])?;
    }
    free_lane(s, base, fields)?;
    let removed: i64 = s.zrem(&[Arg::Text(keys.get(0)), Arg::Text(args.get(0))])?;
    s.del(&[Arg::Text(keys.get(1))])?;
    return Ok(Value::from(removed));
}