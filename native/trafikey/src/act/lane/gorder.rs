// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `GORDER`: makes a lane strictly ordered, or ends that.
//!
//! The order is kept by the limit of the lane, which is 1 as long as it lasts: so speakers that know of limits only
//! never run two of its jobs at once.

use crate::runtime::*;
use crate::act::check::lane::gorder::{check_gorder};
use crate::act::step::lane::{LANE_SETTINGS_MAX, SETTINGS_FULL, is_ordered, set_limit};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Keys: gordered, glimit, gactive, ring, paused, wake, base. Arguments: group, on or off. Answers 1.
pub fn gorder<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_gorder(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(6);
    let group: Text<'a> = args.get(0);
    let wanted: bool = args.get(1) == text!(b"on");
    if is_ordered(s, base, Some(group))? == wanted {
        return Ok(Value::from(1));
    }
    if wanted {
        let known: bool = s.hexists(&[Arg::Text(keys.get(1)), Arg::Text(group)])? == 1;
        if s.scard(&[Arg::Text(keys.get(0))])? >= LANE_SETTINGS_MAX {
            return Ok(Value::Error(SETTINGS_FULL));
        }
        if !known && s.hlen(&[Arg::Text(keys.get(1))])? >= LANE_SETTINGS_MAX {
            return Ok(Value::Error(SETTINGS_FULL));
        }
    }
    let open: bool = is_open(s, base)?;
    set_limit(s, base, group, if wanted { 1 } else { 0 })?;
    if wanted {
        s.sadd(&[Arg::Text(keys.get(0)), Arg::Text(group)])?;
    } else {
        s.srem(&[Arg::Text(keys.get(0)), Arg::Text(group)])?;
    }
    push_if_claimable(s, base, open)?;
    return Ok(Value::from(1));
}