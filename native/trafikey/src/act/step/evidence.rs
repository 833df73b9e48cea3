// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! What invariants speak of, read at one instant: a job with all its places, a lane with its counts.
//!
//! A queue that moves is never seen whole, but each rule is about one job or one lane, and one act sees that whole. So
//! whoever judges what these steps tell never takes a job that is on its way for one that is lost.

use crate::runtime::*;
use crate::act::step::lane::{lane_key};
use crate::act::step::limit::{is_resting};
use crate::act::step::open_children::{count_open};

/// Leases that one act looks at to count those of a lane: the budget of an act.
pub const LEASED_MAX: i64 = 1000;

/// The side keys of a row that never expire.
pub fn side_types<'a>(s: &Server<'a>) -> List<'a, Text<'a>> {
    s.list(&[text!(b"logs"), text!(b"lock"), text!(b"dependencies"), text!(b"processed"), text!(b"failed"), text!(b"unsuccessful"), text!(b"children"), text!(b"parents")])
}

/// The side keys that exist under a row's key. A result that expires outlives its row rightly and is not among them.
pub fn side_keys_of<'a>(s: &Server<'a>, row: Text<'a>) -> Act<List<'a, Text<'a>>> {
    let present: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    for type_ in side_types(s).iter() {
        if s.exists(&[Arg::Text(s.concat(&[row, text!(b":"), type_]))])? == 1 {
            present.push(type_);
        }
    }
    if s.pttl(&[Arg::Text(s.concat(&[row, text!(b":result")]))])? == -1 {
        present.push(text!(b"result"));
    }
    return Ok(present);
}

/// The job after whose end a row's job is to run: its state, and the job that it names as its next. Empty for a job that
/// runs after none.
pub fn leader_of<'a>(s: &Server<'a>, base: Text<'a>, row: Text<'a>) -> Act<List<'a, Option<Text<'a>>>> {
    let leader: Option<Text<'a>> = s.hget(&[Arg::Text(row), Arg::Word(text!(b"follows"))])?;
    if leader.is_none() {
        return Ok(s.list::<Option<Text<'a>>>(&[]));
    }
    return Ok(if s.branded(leader.unwrap()) { s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), leader.unwrap()])), Arg::Word(text!(b"state")), Arg::Word(text!(b"next"))])? } else { s.list(&[None, None]) });
}

/// Children that one act may still look at.
pub struct ChildBudget<'a> {
    pub left: Cell<i64>,
    pub here: Here<'a>,
}

/// What a parent counts: its count, how many of its children are open, and of how many it was told. The second is -1
/// where the budget does not suffice to see. Empty for a job that was never a parent.
pub fn family_of<'a>(s: &Server<'a>, row: Text<'a>, budget: &'a ChildBudget<'a>) -> Act<List<'a, Value<'a>>> {
    let count: Option<Text<'a>> = s.get(&[Arg::Text(s.concat(&[row, text!(b":dependencies")]))])?;
    if count.is_none() {
        return Ok(s.list::<Value<'a>>(&[]));
    }
    let children: i64 = s.hlen(&[Arg::Text(s.concat(&[row, text!(b":children")]))])?;
    if children > budget.left.get() {
        return Ok(s.list(&[Value::from(count.unwrap()), Value::from(-1), Value::from(children)]));
    }
    budget.left.set(budget.left.get() - children);
    return Ok(s.list(&[Value::from(count.unwrap()), Value::from(count_open(s, row)?), Value::from(children)]));
}

/// One job: fields, names of all fields, scores where it may lie, side keys without a row, the job before it, and what
/// it counts of its children.
pub fn examine_job<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, lane: Text<'a>, budget: &'a ChildBudget<'a>) -> Act<List<'a, Value<'a>>> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
    let mut fields: List<'a, Option<Text<'a>>> = s.list::<Option<Text<'a>>>(&[]);
    let mut names: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let mut side: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let mut leader: List<'a, Option<Text<'a>>> = s.list::<Option<Text<'a>>>(&[]);
    let mut family: List<'a, Value<'a>> = s.list::<Value<'a>>(&[]);
    let mut group: Option<Text<'a>> = None;
    if s.branded(id) {
        names = s.hkeys(&[Arg::Text(row)])?;
        if names.len() > 0 {
            fields = s.hmget(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"group")), Arg::Word(text!(b"priority")), Arg::Word(text!(b"owner")), Arg::Word(text!(b"stalled")), Arg::Word(text!(b"deferred")), Arg::Word(text!(b"finished_at")), Arg::Word(text!(b"wait")), Arg::Word(text!(b"held")), Arg::Word(text!(b"due")), Arg::Word(text!(b"expires")), Arg::Word(text!(b"cost"))])?;
            group = fields.pick(2);
            leader = leader_of(s, base, row)?;
            family = family_of(s, row, budget)?;
        } else {
            side = side_keys_of(s, row)?;
        }
    }
    let scores: List<'a, Option<Text<'a>>> = s.list(&[s.zscore(&[Arg::Text(s.concat(&[base, text!(b"pending")])), Arg::Text(id)])?, s.zscore(&[Arg::Text(s.concat(&[base, text!(b"active")])), Arg::Text(id)])?, s.zscore(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Text(id)])?, s.zscore(&[Arg::Text(s.concat(&[base, text!(b"dead")])), Arg::Text(id)])?, s.zscore(&[Arg::Text(s.concat(&[base, text!(b"completed")])), Arg::Text(id)])?, None, None, s.zscore(&[Arg::Text(s.concat(&[base, text!(b"expiry")])), Arg::Text(id)])?, s.zscore(&[Arg::Text(s.concat(&[base, text!(b"awaiting")])), Arg::Text(id)])?, s.zscore(&[Arg::Text(s.concat(&[base, text!(b"ttl")])), Arg::Text(id)])?]);
    if group.is_some() && s.name(group.unwrap()) {
        scores.set(5, s.zscore(&[Arg::Text(lane_key(s, base, group.unwrap())), Arg::Text(id)])?);
    }
    if lane != text!(b"") && Some(lane) != group {
        scores.set(6, s.zscore(&[Arg::Text(lane_key(s, base, lane)), Arg::Text(id)])?);
    }
    return Ok(s.list(&[Value::from(fields), Value::from(names), Value::from(scores), Value::from(side), Value::from(leader), Value::from(family)]));
}

/// The leased jobs whose rows name a lane, -1 when more are leased than one act may look at.
pub fn count_leased<'a>(s: &Server<'a>, base: Text<'a>, lane: Text<'a>) -> Act<i64> {
    let active: Text<'a> = s.concat(&[base, text!(b"active")]);
    if s.zcard(&[Arg::Text(active)])? > LEASED_MAX {
        return Ok(-1);
    }
    let mut count: i64 = 0;
    for id in s.zrange(&[Arg::Text(active), Arg::Int(0), Arg::Int(-1)])?.iter() {
        if s.branded(id) {
            let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"group")), Arg::Word(text!(b"state"))])?;
            if fields.pick(0) == Some(lane) && fields.pick(1) == Some(text!(b"active")) {
                count += 1;
            }
        }
    }
    return Ok(count);
}

/// How often a lane stands on the ring, 2 for more: a lane belongs there once at most.
pub fn ring_places<'a>(s: &Server<'a>, base: Text<'a>, lane: Text<'a>) -> Act<i64> {
    return Ok(s.lpos(&[Arg::Text(s.concat(&[base, text!(b"ring")])), Arg::Text(lane), Arg::Word(text!(b"COUNT")), Arg::Int(2)])?.len());
}

/// Whether a lane rests: 1 by its rate, 2 although it has none, else 0.
pub fn rest_of<'a>(s: &Server<'a>, base: Text<'a>, lane: Text<'a>) -> Act<i64> {
    if !(is_resting(s, base, lane)?) {
        return Ok(0);
    }
    return Ok(if s.hexists(&[Arg::Text(s.concat(&[base, text!(b"rate")])), Arg::Text(s.concat(&[text!(b"m"), lane]))])? == 1 { 1 } else { 2 });
}

/// One lane: depth, paused, limit, counter, weight, ordered, places on the ring, leased jobs, whether it rests.
pub fn examine_lane<'a>(s: &Server<'a>, base: Text<'a>, lane: Text<'a>, count: Text<'a>) -> Act<List<'a, Value<'a>>> {
    let mut leased: i64 = -1;
    if count == text!(b"1") {
        leased = count_leased(s, base, lane)?;
    }
    return Ok(s.list(&[Value::from(s.zcard(&[Arg::Text(lane_key(s, base, lane))])?), Value::from(s.sismember(&[Arg::Text(s.concat(&[base, text!(b"paused")])), Arg::Text(lane)])?), Value::from(s.hget(&[Arg::Text(s.concat(&[base, text!(b"glimit")])), Arg::Text(lane)])?), Value::from(s.hget(&[Arg::Text(s.concat(&[base, text!(b"gactive")])), Arg::Text(lane)])?), Value::from(s.hget(&[Arg::Text(s.concat(&[base, text!(b"gweight")])), Arg::Text(lane)])?), Value::from(s.sismember(&[Arg::Text(s.concat(&[base, text!(b"gordered")])), Arg::Text(lane)])?), Value::from(ring_places(s, base, lane)?), Value::from(leased), Value::from(rest_of(s, base, lane)?)]));
}

/// One deduplication key: holder, whether its job is there, whether the key expires.
pub fn examine_dedup<'a>(s: &Server<'a>, base: Text<'a>, dedup: Text<'a>) -> Act<List<'a, Value<'a>>> {
    let key: Text<'a> = s.concat(&[base, text!(b"de:"), dedup]);
    let holder: Option<Text<'a>> = s.get(&[Arg::Text(key)])?;
    if holder.is_none() {
        return Ok(s.list::<Value<'a>>(&[]));
    }
    let is_alive: i64 = if s.branded(holder.unwrap()) { s.exists(&[Arg::Text(s.concat(&[base, text!(b"job:"), holder.unwrap()]))])? } else { 0 };
    // When it ends is the server's own clock's concern, which no two engines tell alike.
    let ends: i64 = if s.pttl(&[Arg::Text(key)])? >= 0 { 1 } else { 0 };
    return Ok(s.list(&[Value::from(holder.unwrap()), Value::from(is_alive), Value::from(ends)]));
}