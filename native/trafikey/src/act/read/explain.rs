// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `EXPLAIN`: all that decides whether a job runs, read from one instant, so that the parts of an answer agree.

use crate::runtime::*;
use crate::act::check::read::explain::{check_explain};
use crate::act::step::lane::{lane_key};

/// Where a job is.
pub struct Place<'a> {
    pub state: Cell<Text<'a>>,
    pub score: Cell<Option<Text<'a>>>,
    pub rank: Cell<i64>,
    pub here: Here<'a>,
}

/// Looks for a job in one set, unless it was found already.
pub fn look<'a>(s: &Server<'a>, place: &'a Place<'a>, key: Text<'a>, id: Text<'a>, state: Text<'a>) -> Act<()> {
    if place.score.get().is_some() {
        return Ok(());
    }
    place.score.set(s.zscore(&[Arg::Text(key), Arg::Text(id)])?);
    if place.score.get().is_none() {
        return Ok(());
    }
    place.state.set(state);
    let rank: Option<i64> = s.zrank(&[Arg::Text(key), Arg::Text(id)])?;
    if rank.is_some() && (state == text!(b"pending") || state == text!(b"scheduled")) {
        place.rank.set(rank.unwrap());
    }
    Ok(())
}

/// Keys: pending, active, schedule, dead, row, base. Arguments: id. Answers instant, place, queue, row.
pub fn explain<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_explain(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let id: Text<'a> = args.get(0);
    let base: Text<'a> = keys.get(5);
    let told: List<'a, Text<'a>> = s.list(&[text!(b"attempts"), text!(b"name"), text!(b"group"), text!(b"owner"), text!(b"last_error"), text!(b"stalled"), text!(b"deferred"), text!(b"cancel"), text!(b"state")]);
    let fields: List<'a, Option<Text<'a>>> = s.hmget(s.spread(&[Arg::Text(keys.get(4))], told))?;
    let group: Option<Text<'a>> = fields.pick(2);
    let place: &'a Place<'a> = s.make(Place { state: Cell::new(if fields.pick(8).is_none() { text!(b"absent") } else { text!(b"unknown") }), score: Cell::new(None), rank: Cell::new(-1), here: Here::new() });
    look(s, place, keys.get(0), id, text!(b"pending"))?;
    look(s, place, keys.get(1), id, text!(b"active"))?;
    look(s, place, keys.get(2), id, text!(b"scheduled"))?;
    look(s, place, keys.get(3), id, text!(b"dead"))?;
    if fields.pick(8) == Some(text!(b"awaiting_children")) && place.score.get().is_none() {
        place.state.set(fields.pick(8).unwrap());
    } else if fields.pick(8).is_some() {
        if group.is_some() {
            look(s, place, lane_key(s, base, group.unwrap()), id, text!(b"pending"))?;
        }
        look(s, place, s.concat(&[base, text!(b"completed")]), id, text!(b"completed"))?;
    }
    let paused: i64 = s.hexists(&[Arg::Text(s.concat(&[base, text!(b"meta")])), Arg::Word(text!(b"paused"))])?;
    let score: Text<'a> = if place.score.get().is_none() { text!(b"") } else { place.score.get().unwrap() };
    let out: List<'a, Value<'a>> = s.list(&[Value::from(s.now()), Value::from(place.state.get()), Value::from(score), Value::from(place.rank.get()), Value::from(paused), Value::from(s.zcard(&[Arg::Text(keys.get(1))])?)]);
    {
        let mut i: i64 = 0;
        while i < 8 {
            let field: Option<Text<'a>> = fields.pick(i);
            out.push(Value::from(if field.is_none() { text!(b"") } else { field.unwrap() }));
            i += 1;
        }
    }
    return Ok(Value::from(out));
}