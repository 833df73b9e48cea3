// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `FLOW`: admits a parent and its children of one queue in one act. The parent waits until all of them have ended.

use crate::runtime::*;
use crate::act::check::flow::flow::{check_flow};
use crate::act::step::bulk::{write_pairs};
use crate::act::step::event::{heard_by};
use crate::act::step::flow_args::{children_at};
use crate::act::step::flow_job::{lane_of, state_of, tell_added, width_of_job, write_job, write_parent};
use crate::act::step::lane::{read_lanes};
use crate::act::step::link::{link_fields};
use crate::act::step::row::{NO_JOB_ID, is_job_id};
use crate::act::step::wake::{is_open, push, push_if_claimable};

/// The key behind which the rows of children stand.
pub const ROWS_AT: i64 = 3;

/// Keys of one question, well below what a call can spread.
pub const SPREAD_MAX: i64 = 400;

/// Where the jobs of the children stand; the policy of each stands before it.
pub fn jobs_of<'a>(s: &Server<'a>, args: List<'a, Text<'a>>) -> List<'a, i64> {
    let jobs: List<'a, i64> = s.list::<i64>(&[]);
    let mut at: i64 = children_at(args);
    while at < args.len() {
        jobs.push(at + 1);
        at += 1 + width_of_job(args.get(at + 1));
    }
    return jobs;
}

/// Whether the keys behind the third are the rows of the children, in order.
pub fn is_laid_out<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>, jobs: List<'a, i64>) -> bool {
    let stop: i64 = jobs.len();
    if keys.len() != ROWS_AT + stop {
        return false;
    }
    {
        let mut i: i64 = 0;
        while i < stop {
            if keys.get(ROWS_AT + i) != s.concat(&[keys.get(2), text!(b"job:"), args.get(jobs.get(i) + 1)]) {
                return false;
            }
            i += 1;
        }
    }
    return true;
}

/// Whether none of the children exists, by a question for many at once.
pub fn are_fresh<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>) -> Act<bool> {
    let mut part: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let stop: i64 = keys.len();
    {
        let mut i: i64 = ROWS_AT;
        while i < stop {
            part.push(keys.get(i));
            if part.len() >= SPREAD_MAX || i == stop - 1 {
                if s.exists(s.spread(&[], part))? > 0 {
                    return Ok(false);
                }
                part = s.list::<Text<'a>>(&[]);
            }
            i += 1;
        }
    }
    return Ok(true);
}

/// The refusal of a flow by its children, empty for none.
pub fn judge_children<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>, jobs: List<'a, i64>) -> Act<Text<'a>> {
    if are_fresh(s, keys)? {
        return Ok(text!(b""));
    }
    let stop: i64 = jobs.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            if s.exists(&[Arg::Text(keys.get(ROWS_AT + i))])? == 1 {
                return Ok(s.concat(&[text!(b"EMQSTATE child exists "), args.get(jobs.get(i) + 1)]));
            }
            i += 1;
        }
    }
    return Ok(text!(b""));
}

/// Reads the places that the jobs may go to.
pub fn read_places<'a>(s: &Server<'a>, base: Text<'a>, args: List<'a, Text<'a>>, jobs: List<'a, i64>) -> Act<()> {
    let lanes: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    for at in jobs.iter() {
        let lane: Option<Text<'a>> = lane_of(args, at);
        if lane.is_some() {
            lanes.push(lane.unwrap());
        }
    }
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"pending")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"schedule")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"awaiting")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"ttl")]))])?;
    read_lanes(s, base, lanes, 1)?;
    Ok(())
}

/// Tells of all jobs of the flow.
pub fn tell_all<'a>(s: &Server<'a>, base: Text<'a>, args: List<'a, Text<'a>>, jobs: List<'a, i64>) -> Act<()> {
    tell_added(s, base, args, 0, text!(b"awaiting_children"))?;
    for at in jobs.iter() {
        tell_added(s, base, args, at, state_of(s, base, args, at)?)?;
    }
    Ok(())
}

/// Keys: row, pending, base, rows of the children. Arguments: parent, n, children. Answers n, or 0 for a duplicate.
pub fn flow<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_flow(s, keys, args)?;
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(2);
    let jobs: List<'a, i64> = jobs_of(s, args);
    if !is_laid_out(s, keys, args, jobs) {
        return Ok(Value::Error(text!(b"ERR EMQ.FLOW keys do not match the wire-4 layout")));
    }
    if !is_job_id(args.get(1)) {
        return Ok(Value::Error(NO_JOB_ID));
    }
    for at in jobs.iter() {
        if !(is_job_id(args.get(at + 1))) {
            return Ok(Value::Error(NO_JOB_ID));
        }
    }
    if s.exists(&[Arg::Text(keys.get(0))])? == 1 {
        return Ok(Value::from(0));
    }
    let taken: Text<'a> = judge_children(s, keys, args, jobs)?;
    if taken != text!(b"") {
        return Ok(Value::Error(taken));
    }
    let open: bool = is_open(s, base)?;
    read_places(s, base, args, jobs)?;
    if heard_by(s, base)? > 0 {
        tell_all(s, base, args, jobs)?;
    }
    write_parent(s, base, args, 0, s.list::<Text<'a>>(&[]), jobs.len())?;
    let known: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let later: Dict<'a, bool> = s.dict();
    for at in jobs.iter() {
        let id: Text<'a> = args.get(at + 1);
        known.push(id);
        known.push(s.concat(&[args.get(at - 1), text!(b"\x00")]));
        let state: Text<'a> = write_job(s, base, args, at, link_fields(s, base, s.list(&[args.get(1), text!(b""), args.get(at - 1)]), 0, text!(b"")))?;
        if state == text!(b"scheduled") {
            later.set(s.concat(&[text!(b"s:"), id]), true);
        }
    }
    write_pairs(s, s.concat(&[keys.get(0), text!(b":children")]), known)?;
    push_if_claimable(s, base, open)?;
    let head: List<'a, Text<'a>> = s.zrange(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Int(0), Arg::Int(0)])?;
    if head.len() > 0 && later.get(s.concat(&[text!(b"s:"), head.get(0)])) == Some(true) {
        push(s, s.concat(&[base, text!(b"wake")]))?;
    }
    return Ok(Value::from(jobs.len()));
}