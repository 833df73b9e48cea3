// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `PARK`: lets an active parent wait for its open children. It holds no slot meanwhile, and spends no attempt.

use crate::runtime::*;
use crate::act::check::flow::park::{check_park};
use crate::act::step::bound::{due_in};
use crate::act::step::event::{heard_by};
use crate::act::step::limit::{has_ceiling};
use crate::act::step::parent::{open_in};
use crate::act::step::put_back::{kill};
use crate::act::step::retain::{Terms, dead_terms};
use crate::act::step::row::{count_of};
use crate::act::step::settle::{end_lease, judge, read_holder};
use crate::act::step::waiting::{read_place};
use crate::act::step::wake::{is_open, push_if_claimable, push_if_head};

/// The error of a child that ends its parent, empty when none has.
pub fn failure_of<'a>(s: &Server<'a>, row: Text<'a>) -> Act<List<'a, Text<'a>>> {
    return Ok(if s.hlen(&[Arg::Text(s.concat(&[row, text!(b":failed")]))])? == 0 { s.list::<Text<'a>>(&[]) } else { s.hgetall(&[Arg::Text(s.concat(&[row, text!(b":failed")]))])? });
}

/// Lets the parent wait, for `timeout` ms at most, 0 for as long as it takes.
pub fn wait_for_children<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, holder: List<'a, Option<Text<'a>>>, timeout: i64) -> Act<()> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"awaiting")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"schedule")]))])?;
    read_place(s, base, holder.pick(3))?;
    end_lease(s, base, id, holder)?;
    s.hset(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"awaiting_children")), Arg::Word(text!(b"deferred")), Arg::Int(count_of(s, holder.pick(6))? + 1)])?;
    s.zadd(&[Arg::Text(s.concat(&[base, text!(b"awaiting")])), Arg::Int(s.now()), Arg::Text(id)])?;
    if timeout == 0 {
        s.hdel(&[Arg::Text(row), Arg::Word(text!(b"wait_until"))])?;
    } else {
        s.hset(&[Arg::Text(row), Arg::Word(text!(b"wait_until")), Arg::Int(due_in(s, timeout))])?;
        s.zadd(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Int(due_in(s, timeout)), Arg::Text(id)])?;
    }
    Ok(())
}

/// Keys: active, row, base. Arguments: id, token, timeout_ms, perhaps dead_n, dead_ms and result_ms. Answers 1 parked, 0
/// nothing to wait for, or `dead`.
pub fn park<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_park(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let id: Text<'a> = args.get(0);
    let row: Text<'a> = keys.get(1);
    let base: Text<'a> = keys.get(2);
    let holder: List<'a, Option<Text<'a>>> = read_holder(s, row)?;
    let verdict: Text<'a> = judge(holder, args.get(1), text!(b"EMQSTALE job gone"), text!(b"EMQSTALE park token mismatch"));
    if verdict != text!(b"") {
        return Ok(Value::Error(verdict));
    }
    let open: bool = is_open(s, base)?;
    let frees: bool = holder.pick(3).is_some() || has_ceiling(s, base)?;
    let failure: List<'a, Text<'a>> = failure_of(s, row)?;
    if failure.len() > 0 {
        let terms: &'a Terms<'a> = dead_terms(s, args, 3)?;
        terms.heard.set(heard_by(s, base)?);
        kill(s, base, id, holder, failure.get(1), terms)?;
        if terms.dead_count.get() > 0 {
            s.hset(&[Arg::Text(row), Arg::Word(text!(b"failed_child")), Arg::Text(failure.get(0))])?;
        }
        if frees {
            push_if_claimable(s, base, open)?;
        }
        return Ok(Value::from(text!(b"dead")));
    }
    let left: i64 = open_in(s, s.get(&[Arg::Text(s.concat(&[row, text!(b":dependencies")]))])?)?;
    // It says so for one wait, also where nothing is open.
    if s.hdel(&[Arg::Text(row), Arg::Word(text!(b"eager"))])? == 1 || left == 0 {
        // The time of an earlier rest is for that rest: the next wait has its own, or none.
        s.hdel(&[Arg::Text(row), Arg::Word(text!(b"wait_until"))])?;
        return Ok(Value::from(0));
    }
    wait_for_children(s, base, id, holder, s.num(args.get(2))?)?;
    if frees {
        push_if_claimable(s, base, open)?;
    }
    push_if_head(s, base, id)?;
    return Ok(Value::from(1));
}