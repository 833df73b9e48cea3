// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! The round: who is served next when there are lanes.
//!
//! The flat queue counts as one lane more. A turn is weight x share jobs. The share is max(1, floor(want / lanes)) of
//! the act that begins a round, so one act visits each lane about once, and where all acts want 1 it is strict rotation;
//! it holds until every lane has had its turn, whatever later acts want, or lanes would get their turns by shares that
//! differ. An empty or full lane passes on. The place of the round is kept in the hash `cursor`: `passed` counts the
//! lanes served in this round, `credit` is what is left of the turn that is on (negative when it is the flat queue's),
//! `share` the share. `cursor` is touched only while lanes are on the ring; a mark in the ring itself would be thrown
//! out by a foreign consumer.

use crate::runtime::*;
use crate::act::step::claim::{Claim, claim_from};
use crate::act::step::lane::{lane_key};
use crate::act::step::limit::{Rate, read_lane_rate, spend};
use crate::act::step::row::{count_of};

/// A cursor is a few numbers of one act.
pub struct Round<'a> {
    pub lanes: Cell<i64>,
    pub passed: Cell<i64>,
    pub credit: Cell<i64>,
    /// Jobs in one turn of a lane of weight 1; 0 before a round has begun.
    pub share: Cell<i64>,
    pub here: Here<'a>,
}

/// The share of a round that an act begins: so much that it visits each lane, and the flat queue, about once.
pub fn share_of<'a>(want: i64, lanes: i64, flat: i64) -> i64 {
    return i64::max(1, floor_div(want, i64::max(1, lanes + (if flat > 0 { 1 } else { 0 }))));
}

/// Every lane has had its turn. Whoever serves next begins a round by what it wants.
pub fn end_round<'a>(round: &'a Round<'a>) {
    round.passed.set(0);
    round.credit.set(0);
    round.share.set(0);
}

/// Serves the lane at the head of the ring; answers how many jobs it gave.
pub fn serve_head<'a>(s: &Server<'a>, claim: &'a Claim<'a>, round: &'a Round<'a>, room: i64) -> Act<i64> {
    let base: Text<'a> = claim.base;
    let ring: Text<'a> = s.concat(&[base, text!(b"ring")]);
    let group: Option<Text<'a>> = s.lindex(&[Arg::Text(ring), Arg::Int(0)])?;
    if group.is_none() {
        round.lanes.set(0);
        return Ok(0);
    }
    let key: Text<'a> = lane_key(s, base, group.unwrap());
    let weight: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"gweight")])), Arg::Text(group.unwrap())])?;
    let limit: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"glimit")])), Arg::Text(group.unwrap())])?;
    let active: i64 = count_of(s, s.hget(&[Arg::Text(s.concat(&[base, text!(b"gactive")])), Arg::Text(group.unwrap())])?)?;
    let turn: i64 = round.share.get() * (if weight.is_none() { 1 } else { i64::max(1, s.num(weight.unwrap())?) });
    let rest: i64 = if round.credit.get() > 0 { i64::min(round.credit.get(), turn) } else { turn };
    let headroom: i64 = if limit.is_none() { room } else { i64::max(0, s.num(limit.unwrap())? - active) };
    let rate: Option<&'a Rate<'a>> = if claim.gate.get().rated.get() { read_lane_rate(s, base, group.unwrap())? } else { None };
    let left: i64 = if rate.is_none() { room } else { rate.unwrap().left.get() };
    claim.lane_rate.set(rate);
    let got: i64 = claim_from(s, claim, key, group.unwrap(), i64::min(i64::min(i64::min(rest, room), headroom), left))?;
    claim.looks.set(claim.looks.get() + 1);
    // A head that went into the schedule and holds its lane counts as active.
    let kept: i64 = if claim.held.get() { 1 } else { 0 };
    claim.held.set(false);
    claim.lane_rate.set(None);
    let tired: bool = rate.is_some() && spend(s, base, claim.gate.get(), rate.unwrap())?;
    // Where the lane alone is short, others may be served.
    if rate.is_some() && rate.unwrap().lacks.get() > 0 {
        claim.short.set(false);
    }
    if tired || s.zcard(&[Arg::Text(key)])? == 0 || (limit.is_some() && got + kept >= headroom) {
        s.lpop(&[Arg::Text(ring)])?;
        round.lanes.set(round.lanes.get() - 1);
        round.credit.set(0);
    } else if got >= rest || kept > 0 {
        s.lmove(&[Arg::Text(ring), Arg::Text(ring), Arg::Word(text!(b"LEFT")), Arg::Word(text!(b"RIGHT"))])?;
        round.passed.set(round.passed.get() + 1);
        round.credit.set(0);
    } else {
        round.credit.set(rest - got);
    }
    return Ok(got);
}

/// Serves the flat queue's turn, the last of a round; answers how many jobs it gave.
pub fn serve_flat<'a>(s: &Server<'a>, claim: &'a Claim<'a>, round: &'a Round<'a>, room: i64) -> Act<i64> {
    let rest: i64 = if round.credit.get() < 0 { i64::min(-round.credit.get(), round.share.get()) } else { round.share.get() };
    let got: i64 = claim_from(s, claim, s.concat(&[claim.base, text!(b"pending")]), text!(b""), i64::min(rest, room))?;
    if got >= rest || got < room {
        end_round(round);
    } else {
        round.credit.set(got - rest);
    }
    claim.looks.set(claim.looks.get() + 1);
    return Ok(got);
}

/// Writes the place of the round, if it moved.
pub fn keep_place<'a>(s: &Server<'a>, base: Text<'a>, round: &'a Round<'a>) -> Act<()> {
    let cursor: Text<'a> = s.concat(&[base, text!(b"cursor")]);
    if round.lanes.get() > 0 {
        s.hset(&[Arg::Text(cursor), Arg::Word(text!(b"passed")), Arg::Int(round.passed.get()), Arg::Word(text!(b"credit")), Arg::Int(round.credit.get()), Arg::Word(text!(b"share")), Arg::Int(round.share.get())])?;
    } else {
        s.del(&[Arg::Text(cursor)])?;
    }
    Ok(())
}

/// Claims up to `want` jobs from the flat queue and the lanes in turn. It looks on past lanes that give nothing until it
/// has enough, has seen everything, or is at the budget.
pub fn claim_round<'a>(s: &Server<'a>, claim: &'a Claim<'a>, want: i64) -> Act<()> {
    let base: Text<'a> = claim.base;
    let pending: Text<'a> = s.concat(&[base, text!(b"pending")]);
    let lanes: i64 = s.llen(&[Arg::Text(s.concat(&[base, text!(b"ring")]))])?;
    if lanes == 0 {
        claim_from(s, claim, pending, text!(b""), want)?;
        return Ok(());
    }
    let mut flat: i64 = s.zcard(&[Arg::Text(pending)])?;
    let place: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"cursor")])), Arg::Word(text!(b"passed")), Arg::Word(text!(b"credit")), Arg::Word(text!(b"share"))])?;
    let round: &'a Round<'a> = s.make(Round { lanes: Cell::new(lanes), passed: Cell::new(count_of(s, place.pick(0))?), credit: Cell::new(count_of(s, place.pick(1))?), share: Cell::new(count_of(s, place.pick(2))?), here: Here::new() });
    let mut taken: i64 = 0;
    while taken < want && !claim.full.get() && !claim.short.get() && (flat > 0 || round.lanes.get() > 0) {
        let room: i64 = want - taken;
        let is_past: bool = round.credit.get() < 0 || round.passed.get() >= round.lanes.get();
        if is_past && flat == 0 {
            end_round(round);
        }
        if round.share.get() == 0 {
            round.share.set(share_of(want, round.lanes.get(), flat));
        }
        if is_past && flat > 0 {
            taken += serve_flat(s, claim, round, room)?;
            flat = s.zcard(&[Arg::Text(pending)])?;
        } else {
            taken += serve_head(s, claim, round, room)?;
        }
        if claim.looks.get() >= 1000 {
            claim.full.set(true);
        }
    }
    keep_place(s, base, round)?;
    Ok(())
}