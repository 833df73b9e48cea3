// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Claims from the flat queue or from lanes alone, by the verbs that do one of the two. Of lanes, one lane is served by
//! an act, the one at the head of the ring.
//!
//! A lane that gives nothing is passed over: an empty one and a full one leave the ring, and the act looks on until it
//! has found work, has seen the whole ring, or is at its budget. So no lane stalls the others.

use crate::runtime::*;
use crate::act::step::claim::{Claim, claim_from};
use crate::act::step::event::{UNHEARD, heard_by, tell_if_drained};
use crate::act::step::lane::{lane_key};
use crate::act::step::limit::{Gate, Rate, open_gate, read_gate, read_lane_rate, spend};
use crate::act::step::rest::{end_rests, rest_after};
use crate::act::step::row::{count_of};
use crate::act::step::wake::{push_if_head};

/// Jobs of one claim, at most.
pub const LANE_JOBS_MAX: i64 = 1000;

/// How much a claim takes of its lane: one job.
pub const ONE_JOB: i64 = 1;

/// How much a claim takes of its lane: as its weight says.
pub const BY_WEIGHT: i64 = 0;

/// Serves the lane at the head of the ring; answers whether there was one. `most` is a number of jobs, or `BY_WEIGHT`.
pub fn serve_one<'a>(s: &Server<'a>, claim: &'a Claim<'a>, most: i64) -> Act<bool> {
    let base: Text<'a> = claim.base;
    let ring: Text<'a> = s.concat(&[base, text!(b"ring")]);
    let group: Option<Text<'a>> = s.lindex(&[Arg::Text(ring), Arg::Int(0)])?;
    if group.is_none() {
        return Ok(false);
    }
    let key: Text<'a> = lane_key(s, base, group.unwrap());
    let limit: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"glimit")])), Arg::Text(group.unwrap())])?;
    let active: i64 = count_of(s, s.hget(&[Arg::Text(s.concat(&[base, text!(b"gactive")])), Arg::Text(group.unwrap())])?)?;
    let weight: i64 = if most == BY_WEIGHT { i64::max(1, count_of(s, s.hget(&[Arg::Text(s.concat(&[base, text!(b"gweight")])), Arg::Text(group.unwrap())])?)?) } else { most };
    let wanted: i64 = i64::min(weight, LANE_JOBS_MAX);
    let headroom: i64 = if limit.is_none() { LANE_JOBS_MAX + 1 } else { i64::max(0, s.num(limit.unwrap())? - active) };
    let rate: Option<&'a Rate<'a>> = if claim.gate.get().rated.get() { read_lane_rate(s, base, group.unwrap())? } else { None };
    let left: i64 = if rate.is_none() { LANE_JOBS_MAX } else { rate.unwrap().left.get() };
    claim.lane_rate.set(rate);
    let got: i64 = claim_from(s, claim, key, group.unwrap(), i64::min(i64::min(i64::min(wanted, headroom), left), claim.gate.get().room.get()))?;
    let kept: i64 = if claim.held.get() { 1 } else { 0 };
    claim.held.set(false);
    claim.looks.set(claim.looks.get() + 1);
    claim.lane_rate.set(None);
    let tired: bool = rate.is_some() && spend(s, base, claim.gate.get(), rate.unwrap())?;
    if rate.is_some() && rate.unwrap().lacks.get() > 0 {
        claim.short.set(false);
    }
    if tired || s.zcard(&[Arg::Text(key)])? == 0 || (limit.is_some() && got + kept >= headroom) {
        s.lpop(&[Arg::Text(ring)])?;
    } else if got > 0 || !claim.short.get() {
        s.lmove(&[Arg::Text(ring), Arg::Text(ring), Arg::Word(text!(b"LEFT")), Arg::Word(text!(b"RIGHT"))])?;
    }
    return Ok(true);
}

/// Pushes if one of the jobs that went into the schedule stands at its head.
#[cold]
pub fn push_if_late<'a>(s: &Server<'a>, lease: &'a Claim<'a>) -> Act<()> {
    for id in lease.late.iter() {
        push_if_head(s, lease.base, id)?;
    }
    Ok(())
}

/// Takes what was claimed off the rate of the queue, and wakes whoever is to keep the time of a rest that began.
#[cold]
pub fn end_limited<'a>(s: &Server<'a>, lease: &'a Claim<'a>) -> Act<()> {
    let gate: &'a Gate<'a> = lease.gate.get();
    if gate.rate.get().is_some() {
        spend(s, lease.base, gate, gate.rate.get().unwrap())?;
    }
    rest_after(s, lease.base, gate.rested)?;
    Ok(())
}

/// Finds out what a plain claim of a queue that is not bare has to heed; answers what its limits let through.
#[cold]
pub fn look_around<'a>(s: &Server<'a>, lease: &'a Claim<'a>, want: i64) -> Act<&'a Gate<'a>> {
    let base: Text<'a> = lease.base;
    lease.heard.set(heard_by(s, base)?);
    lease.tokens.set(s.zcard(&[Arg::Text(s.concat(&[base, text!(b"tokens")]))])?);
    lease.timed.set(s.zcard(&[Arg::Text(s.concat(&[base, text!(b"ttl")]))])?);
    if s.exists(&[Arg::Text(s.concat(&[base, text!(b"meta")])), Arg::Text(s.concat(&[base, text!(b"rest")])), Arg::Text(s.concat(&[base, text!(b"rate")]))])? == 0 {
        return Ok(open_gate(s, want));
    }
    return Ok(read_gate(s, base, want)?);
}

/// How much a plain claim may take: one question tells that there is nothing to heed.
pub fn gate_of<'a>(s: &Server<'a>, claim: &'a Claim<'a>, want: i64) -> Act<&'a Gate<'a>> {
    let base: Text<'a> = claim.base;
    claim.heard.set(UNHEARD);
    let found: i64 = s.exists(&[Arg::Text(s.concat(&[base, text!(b"meta")])), Arg::Text(s.concat(&[base, text!(b"rest")])), Arg::Text(s.concat(&[base, text!(b"rate")])), Arg::Text(s.concat(&[base, text!(b"tokens")])), Arg::Text(s.concat(&[base, text!(b"ttl")])), Arg::Text(s.concat(&[base, text!(b"listeners")]))])?;
    return Ok(if found == 0 { open_gate(s, want) } else { look_around(s, claim, want)? });
}

/// Claims flat jobs, as far as the limits of the queue let it.
pub fn claim_flat<'a>(s: &Server<'a>, claim: &'a Claim<'a>, gate: &'a Gate<'a>, pending: Text<'a>) -> Act<()> {
    s.zcard(&[Arg::Text(claim.active)])?;
    claim.gate.set(gate);
    if gate.room.get() > 0 {
        claim_from(s, claim, pending, text!(b""), gate.room.get())?;
    }
    if gate.limited.get() {
        end_limited(s, claim)?;
    }
    if claim.heard.get() != UNHEARD {
        tell_if_drained(s, claim.base, claim.taken.get())?;
    }
    Ok(())
}

/// Claims from the first lane of the ring that gives anything, as far as the limits of the queue let it.
pub fn claim_lane<'a>(s: &Server<'a>, claim: &'a Claim<'a>, gate: &'a Gate<'a>, most: i64) -> Act<()> {
    claim.gate.set(gate);
    s.zcard(&[Arg::Text(claim.active)])?;
    s.hget(&[Arg::Text(s.concat(&[claim.base, text!(b"gactive")])), Arg::Word(text!(b""))])?;
    if gate.limited.get() {
        end_rests(s, claim.base)?;
    }
    let mut turns: i64 = if gate.room.get() > 0 { s.llen(&[Arg::Text(s.concat(&[claim.base, text!(b"ring")]))])? } else { 0 };
    while turns > 0 && claim.taken.get() == 0 && !claim.full.get() && !claim.short.get() && claim.looks.get() < LANE_JOBS_MAX {
        turns = if serve_one(s, claim, most)? { turns - 1 } else { 0 };
    }
    if gate.limited.get() {
        end_limited(s, claim)?;
    }
    if claim.late.len() > 0 {
        push_if_late(s, claim)?;
    }
    if claim.heard.get() != UNHEARD {
        tell_if_drained(s, claim.base, claim.taken.get())?;
    }
    Ok(())
}

/// The claimed jobs as (id, payload, token, lane).
pub fn lane_jobs<'a>(s: &Server<'a>, claim: &'a Claim<'a>) -> List<'a, List<'a, Value<'a>>> {
    let out: List<'a, List<'a, Value<'a>>> = s.list::<List<'a, Value<'a>>>(&[]);
    let jobs: List<'a, Value<'a>> = claim.jobs;
    let stop: i64 = jobs.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            out.push(s.list(&[jobs.get(i), jobs.get(i + 2), jobs.get(i + 1), jobs.get(i + 5)]));
            i += 8;
        }
    }
    return out;
}