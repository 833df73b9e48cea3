// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `REPEAT`: registers a repeat, or gives it another content.
//!
//! What is the same in every value changes nothing, so a program may say at each start what it wants. A content that
//! differs in its jobs only takes effect at the very next occurrence, whose instant stays.

use crate::runtime::*;
use crate::act::check::repeat::repeat::{check_repeat};
use crate::act::step::repeat_lane::{free_lane, may_free_lane};
use crate::act::step::repeat_pairs::{pair_of};
use crate::act::step::repeat_record::{ENDED_AT, number_of};

/// Repeats of one set, at most, so that names that are gone cannot fill a server.
pub const REPEATS_MAX: i64 = 100000;

/// Arguments before the pairs.
pub const FIXED: i64 = 5;

/// The fields that a call decides, in the order of the words of its pairs, and how far the repeat has come.
pub fn content_fields<'a>(s: &Server<'a>) -> List<'a, Text<'a>> {
    return s.list(&[text!(b"every_ms"), text!(b"template"), text!(b"name"), text!(b"priority"), text!(b"group"), text!(b"opts"), text!(b"due_in"), text!(b"dedup"), text!(b"mode"), text!(b"dedup_ms"), text!(b"max_wait_ms"), text!(b"lane_limit"), text!(b"expire_ms"), text!(b"cost"), text!(b"limit"), text!(b"until"), text!(b"overlap"), text!(b"rule"), text!(b"policy"), text!(b"rev"), text!(b"fired")]);
}

/// Words of a content, the first behind it, and the places of those that say when it occurs.
pub const CONTENT: i64 = 19;

pub const GROUP_AT: i64 = 4;

pub const LIMIT_AT: i64 = 14;

pub const UNTIL_AT: i64 = 15;

pub const OVERLAP_AT: i64 = 16;

pub const RULE_AT: i64 = 17;

pub const REV_AT: i64 = 19;

pub const FIRED_AT: i64 = 20;

/// Whether the record holds what the call says, and nothing else that a call says.
pub fn is_same<'a>(fields: List<'a, Text<'a>>, before: List<'a, Option<Text<'a>>>, args: List<'a, Text<'a>>) -> bool {
    if before.pick(0) != Some(args.get(2)) || before.pick(1) != Some(args.get(3)) {
        return false;
    }
    {
        let mut i: i64 = 2;
        while i < CONTENT {
            if before.pick(i) != pair_of(args, fields.get(i)) {
                return false;
            }
            i += 1;
        }
    }
    return true;
}

/// Whether the call leaves it as it was when the repeat occurs.
pub fn is_same_rule<'a>(before: List<'a, Option<Text<'a>>>, args: List<'a, Text<'a>>) -> bool {
    return before.pick(0) == Some(args.get(2)) && before.pick(RULE_AT) == pair_of(args, text!(b"rule"));
}

/// The next occurrence that the call leaves: what it was, `first_at`, or none.
pub fn next_after_change<'a>(s: &Server<'a>, before: List<'a, Option<Text<'a>>>, score: Option<Text<'a>>, args: List<'a, Text<'a>>, fired: i64) -> Act<i64> {
    let first: i64 = s.num(args.get(4))?;
    let limit: Option<Text<'a>> = pair_of(args, text!(b"limit"));
    let until: Option<Text<'a>> = pair_of(args, text!(b"until"));
    let is_kept: bool = is_same_rule(before, args) && before.pick(UNTIL_AT) == until && before.pick(LIMIT_AT) == limit;
    let old: i64 = if score.is_some() && s.int(score.unwrap(), 0, ENDED_AT) { s.num(score.unwrap())? } else { ENDED_AT };
    let next: i64 = if is_kept && old < ENDED_AT { old } else { first };
    if limit.is_some() && fired >= s.num(limit.unwrap())? {
        return Ok(ENDED_AT);
    }
    return Ok(if until.is_some() && next > s.num(until.unwrap())? { ENDED_AT } else { next });
}

/// Whether an instant comes before all others of the set.
pub fn is_first<'a>(s: &Server<'a>, set: Text<'a>, at: i64) -> Act<bool> {
    if at == ENDED_AT {
        return Ok(false);
    }
    let head: List<'a, Text<'a>> = s.zrange(&[Arg::Text(set), Arg::Int(0), Arg::Int(0)])?;
    if head.len() == 0 {
        return Ok(true);
    }
    let score: Option<Text<'a>> = s.zscore(&[Arg::Text(set), Arg::Text(head.get(0))])?;
    return Ok(score.is_none() || !s.int(score.unwrap(), 0, ENDED_AT) || at <= s.num(score.unwrap())?);
}

/// Whether the jobs of the repeat leave a lane in which they ran one after another, and nothing else is in it.
pub fn leaves_lane<'a>(s: &Server<'a>, base: Text<'a>, before: List<'a, Option<Text<'a>>>, args: List<'a, Text<'a>>) -> Act<bool> {
    let group: Option<Text<'a>> = before.pick(GROUP_AT);
    if pair_of(args, text!(b"overlap")) == Some(text!(b"queue")) && pair_of(args, text!(b"group")) == group {
        return Ok(false);
    }
    return Ok(may_free_lane(s, base, before.pick(OVERLAP_AT), group)?);
}

/// Takes out of the record what the call does not say any more, and puts in what it says.
pub fn write_content<'a>(s: &Server<'a>, record: Text<'a>, fields: List<'a, Text<'a>>, before: List<'a, Option<Text<'a>>>, args: List<'a, Text<'a>>, rev: i64) -> Act<()> {
    let gone: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    {
        let mut i: i64 = 2;
        while i < CONTENT {
            if before.pick(i).is_some() && pair_of(args, fields.get(i)).is_none() {
                gone.push(fields.get(i));
            }
            i += 1;
        }
    }
    let said: List<'a, Text<'a>> = s.list(&[text!(b"every_ms"), args.get(2), text!(b"template"), args.get(3)]);
    let stop: i64 = args.len();
    {
        let mut i: i64 = FIXED;
        while i < stop {
            said.push(args.get(i));
            i += 1;
        }
    }
    if rev > 0 {
        said.push(text!(b"rev"));
        said.push(s.text(rev));
    }
    s.hset(s.spread(&[Arg::Text(record)], said))?;
    if gone.len() > 0 {
        s.hdel(s.spread(&[Arg::Text(record)], gone))?;
    }
    Ok(())
}

/// Keys: set, record, base. Arguments: name, mode, every_ms, template, first_at, pairs. Answers 1, 0 or 2.
pub fn repeat_act<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_repeat(s, keys, args)?;
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let name: Text<'a> = args.get(0);
    let fields: List<'a, Text<'a>> = content_fields(s);
    let before: List<'a, Option<Text<'a>>> = s.hmget(s.spread(&[Arg::Text(keys.get(1))], fields))?;
    let exists: bool = before.pick(1).is_some();
    let score: Option<Text<'a>> = s.zscore(&[Arg::Text(keys.get(0)), Arg::Text(name)])?;
    let may_replace: bool = args.get(1) == text!(b"replace");
    if exists && (!may_replace || (score.is_some() && is_same(fields, before, args))) {
        return Ok(Value::from(0));
    }
    if score.is_none() && s.zcard(&[Arg::Text(keys.get(0))])? >= REPEATS_MAX {
        return Ok(Value::Error(text!(b"EMQFULL repeats")));
    }
    let fired: i64 = if exists && is_same_rule(before, args) { number_of(s, before.pick(FIRED_AT))? } else { 0 };
    let next: i64 = next_after_change(s, before, score, args, fired)?;
    let lane: Option<Text<'a>> = if leaves_lane(s, keys.get(2), before, args)? { before.pick(GROUP_AT) } else { None };
    if is_first(s, keys.get(0), next)? {
        s.publish(&[Arg::Text(s.concat(&[keys.get(2), text!(b"control")])), Arg::Word(text!(b"r"))])?;
    }
    s.zadd(&[Arg::Text(keys.get(0)), Arg::Int(next), Arg::Text(name)])?;
    let rev: i64 = if may_replace { i64::max(s.now(), number_of(s, before.pick(REV_AT))? + 1) } else { 0 };
    write_content(s, keys.get(1), fields, before, args, rev)?;
    if exists && fired == 0 {
        s.hdel(&[Arg::Text(keys.get(1)), Arg::Word(text!(b"fired"))])?;
    }
    if lane.is_some() {
        free_lane(s, keys.get(2), lane.unwrap())?;
    }
    return Ok(Value::from(if exists { 2 } else { 1 }));
}