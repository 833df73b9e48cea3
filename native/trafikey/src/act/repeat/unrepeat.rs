// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `UNREPEAT`: takes a repeat away. Jobs that it has made stay.

use crate::runtime::*;
use crate::act::check::repeat::unrepeat::{check_unrepeat};
use crate::act::step::repeat_lane::{free_lane, may_free_lane};
use crate::act::step::repeat_record::{GROUP_FIELD, OVERLAP_FIELD, read_record};

/// Keys: set, record, base. Argument: name. Answers 1, or 0 when it had no place in the set.
pub fn unrepeat<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_unrepeat(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(2);
    let fields: List<'a, Option<Text<'a>>> = read_record(s, keys.get(1))?;
    s.zcard(&[Arg::Text(keys.get(0))])?;
    let group: Option<Text<'a>> = fields.pick(GROUP_FIELD);
    if may_free_lane(s, base, fields.pick(OVERLAP_FIELD), group)? && group.is_some() {
        free_lane(s, base, group.unwrap())?;
    }
    let removed: i64 = s.zrem(&[Arg::Text(keys.get(0)), Arg::Text(args.get(0))])?;
    s.del(&[Arg::Text(keys.get(1))])?;
    return Ok(Value::from(removed));
}