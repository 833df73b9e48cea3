// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `GLIMIT`: sets how many jobs of a lane may be leased at once, or removes that limit.

use crate::runtime::*;
use crate::act::check::lane::glimit::{check_glimit};
use crate::act::step::lane::{LANE_SETTINGS_MAX, SETTINGS_FULL, is_ordered, set_limit};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Keys: glimit, gactive, ring, paused, wake, base. Arguments: group, limit or 0. Answers 1.
pub fn glimit<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_glimit(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(5);
    let group: Text<'a> = args.get(0);
    if is_ordered(s, base, Some(group))? && args.get(1) != text!(b"1") {
        return Ok(Value::Error(text!(b"EMQSTATE lane is ordered")));
    }
    let known: bool = s.hexists(&[Arg::Text(keys.get(0)), Arg::Text(group)])? == 1;
    if args.get(1) != text!(b"0") && !known && s.hlen(&[Arg::Text(keys.get(0))])? >= LANE_SETTINGS_MAX {
        return Ok(Value::Error(SETTINGS_FULL));
    }
    let open: bool = is_open(s, base)?;
    set_limit(s, base, group, s.num(args.get(1))?)?;
    push_if_claimable(s, base, open)?;
    return Ok(Value::from(1));
}