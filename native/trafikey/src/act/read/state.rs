// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `STATE`: where a job is, by membership first and by the row's word where there is no set to look into.

use crate::runtime::*;
use crate::act::check::read::state::{check_state};
use crate::act::step::lane::{lane_key};

/// Keys: pending, active, schedule, dead, row, base. Arguments: id. Answers the word.
pub fn state<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_state(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let id: Text<'a> = args.get(0);
    if s.zscore(&[Arg::Text(keys.get(0)), Arg::Text(id)])?.is_some() {
        return Ok(Value::from(text!(b"pending")));
    }
    if s.zscore(&[Arg::Text(keys.get(1)), Arg::Text(id)])?.is_some() {
        return Ok(Value::from(text!(b"active")));
    }
    if s.zscore(&[Arg::Text(keys.get(2)), Arg::Text(id)])?.is_some() {
        return Ok(Value::from(text!(b"scheduled")));
    }
    if s.zscore(&[Arg::Text(keys.get(3)), Arg::Text(id)])?.is_some() {
        return Ok(Value::from(text!(b"dead")));
    }
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(keys.get(4)), Arg::Word(text!(b"state")), Arg::Word(text!(b"group"))])?;
    let state: Option<Text<'a>> = fields.pick(0);
    let group: Option<Text<'a>> = fields.pick(1);
    if state.is_none() {
        return Ok(Value::from(text!(b"absent")));
    }
    if state == Some(text!(b"awaiting_children")) {
        return Ok(Value::from(state.unwrap()));
    }
    if group.is_some() && s.zscore(&[Arg::Text(lane_key(s, keys.get(5), group.unwrap())), Arg::Text(id)])?.is_some() {
        return Ok(Value::from(text!(b"pending")));
    }
    if s.zscore(&[Arg::Text(s.concat(&[keys.get(5), text!(b"completed")])), Arg::Text(id)])?.is_some() {
        return Ok(Value::from(text!(b"completed")));
    }
    return Ok(Value::from(text!(b"unknown")));
}