// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `TURN`: settles, promotes and claims in one act, the only one that a worker sends on its way.
//!
//! Settlements come first, so that what they free can be claimed; then due jobs; then up to `want` jobs are claimed,
//! flat work and lanes in turn, as far as the limits of the queue let it. A worker that tells of itself hears whether it
//! is paused, and claims nothing then. A turn that may leave claimable work behind pushes a token, whatever it claimed.

use crate::runtime::*;
use crate::act::check::job::turn::{check_turn};
use crate::act::step::bound::{NUMBER_MAX};
use crate::act::step::claim::{Claim, claim_from, start_claim};
use crate::act::step::event::{UNHEARD, tell_if_drained, want_of};
use crate::act::step::limit::{Gate, open_gate, read_gate, spend};
use crate::act::step::presence::{PRESENCE_WIDTH, note_presence};
use crate::act::step::promote_due::{Promoted, promote_due};
use crate::act::step::rest::{end_rests, rest_after};
use crate::act::step::round::{claim_round};
use crate::act::step::settlements::{Settled, settle_all};
use crate::act::step::wake::{is_open, push, push_if_claimable};

/// Due jobs promoted by one act, at most.
pub const PROMOTE_MAX: i64 = 100;

/// What the question of `lookAround` answers more when somebody listens; the keys of settings are three.
pub const HEARD: i64 = 4;

/// Settlements, members looked at and claims of one act together, at most.
pub const UNITS_MAX: i64 = 1000;

/// Whether an id is one of these.
pub fn is_among<'a>(ids: List<'a, Text<'a>>, id: Text<'a>) -> bool {
    for one in ids.iter() {
        if one == id {
            return true;
        }
    }
    return false;
}

/// Milliseconds until the head of the schedule falls due, -1 when it is empty; pushes if this act put the head there.
pub fn due_after<'a>(s: &Server<'a>, schedule: Text<'a>, wake: Text<'a>, scheduled: List<'a, Text<'a>>, late: List<'a, Text<'a>>) -> Act<i64> {
    let head: List<'a, Text<'a>> = s.zrange(&[Arg::Text(schedule), Arg::Int(0), Arg::Int(0), Arg::Word(text!(b"WITHSCORES"))])?;
    if head.len() == 0 {
        return Ok(-1);
    }
    if is_among(scheduled, head.get(0)) || is_among(late, head.get(0)) {
        push(s, wake)?;
    }
    return Ok(i64::max(0, i64::min(s.num(head.get(1))?, NUMBER_MAX) - s.now()));
}

/// The milliseconds until something falls due, given those of the schedule, or may be claimed again; -1 for no such
/// time.
#[cold]
pub fn end_limited<'a>(s: &Server<'a>, taken: &'a Claim<'a>, due: i64) -> Act<i64> {
    let gate: &'a Gate<'a> = taken.gate.get();
    let rests: i64 = rest_after(s, taken.base, gate.rested)?;
    if rests < 0 {
        return Ok(due);
    }
    return Ok(if due < 0 { rests } else { i64::min(due, rests) });
}

/// What follows the settlements where more than flat work may wait: promotion, claims by turns, and when to ask again.
#[cold]
pub fn go_round<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, settled: &'a Settled<'a>, taken: &'a Claim<'a>, want: i64, open: bool, was_set: bool) -> Act<List<'a, Value<'a>>> {
    let base: Text<'a> = keys.get(4);
    let is_set: bool = was_set || settled.rested.get();
    let promoted: &'a Promoted<'a> = promote_due(s, keys.get(2), base, PROMOTE_MAX, UNITS_MAX - settled.count.get())?;
    let back: i64 = if is_set { end_rests(s, base)? } else { 0 };
    taken.looks.set(taken.looks.get() + promoted.looks.get() + back);
    let gate: &'a Gate<'a> = if is_set { read_gate(s, base, want)? } else { open_gate(s, want) };
    taken.gate.set(gate);
    if gate.room.get() > 0 {
        claim_round(s, taken, gate.room.get())?;
    }
    if gate.rate.get().is_some() && gate.rate.get().unwrap().spent.get() + gate.rate.get().unwrap().lacks.get() > 0 {
        spend(s, base, gate, gate.rate.get().unwrap())?;
    }
    if settled.rested.get() {
        gate.rested.push(text!(b""));
    }
    let due: i64 = due_after(s, keys.get(2), keys.get(3), settled.scheduled, taken.late)?;
    push_if_claimable(s, base, open && (taken.full.get() || taken.sorted.get() > 0 || taken.taken.get() >= gate.room.get()))?;
    let next: i64 = if gate.limited.get() { end_limited(s, taken, due)? } else { due };
    return Ok(s.list(&[Value::from(settled.exceptions), Value::from(next), Value::from(promoted.moved.get() + back), Value::from(taken.jobs)]));
}

/// Finds who listens and reads what a queue that is not bare may write to in this act; answers whether it may have
/// settings or limits. One question stands for both, so an act without listeners asks no more than it must.
#[cold]
pub fn look_around<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, taken: &'a Claim<'a>, found: i64) -> Act<bool> {
    let base: Text<'a> = keys.get(4);
    let ears: Text<'a> = s.concat(&[base, text!(b"listeners")]);
    let answer: i64 = s.exists(&[Arg::Text(s.concat(&[base, text!(b"meta")])), Arg::Text(s.concat(&[base, text!(b"rest")])), Arg::Text(s.concat(&[base, text!(b"rate")])), Arg::Text(ears), Arg::Text(ears), Arg::Text(ears), Arg::Text(ears)])?;
    let is_set: bool = answer != 0 && answer != HEARD;
    if answer >= HEARD {
        taken.heard.set(want_of(s, base)?);
    }
    if found == 1 && taken.heard.get() != UNHEARD {
        return Ok(false);
    }
    taken.tokens.set(s.zcard(&[Arg::Text(s.concat(&[base, text!(b"tokens")]))])?);
    taken.timed.set(s.zcard(&[Arg::Text(s.concat(&[base, text!(b"ttl")]))])?);
    s.zcard(&[Arg::Text(keys.get(2))])?;
    if is_set {
        s.zcard(&[Arg::Text(s.concat(&[base, text!(b"rest")]))])?;
        s.hlen(&[Arg::Text(s.concat(&[base, text!(b"rate")]))])?;
    }
    return Ok(is_set);
}

/// Keys: pending, active, schedule, wake, base. Arguments: worker, lease_ms, want, presence, settlements.
pub fn turn<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_turn(s, keys, args)?;
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(4);
    let mut want: i64 = s.num(args.get(2))?;
    let taken: &'a Claim<'a> = start_claim(s, base, keys.get(1), args.get(0), s.num(args.get(1))?);
    // Asked before the first write, as each may be of a foreign type; one question stands for all when all say no.
    let waiting: i64 = s.zcard(&[Arg::Text(keys.get(0))])?;
    s.zcard(&[Arg::Text(keys.get(1))])?;
    let found: i64 = s.exists(&[Arg::Text(s.concat(&[base, text!(b"meta")])), Arg::Text(s.concat(&[base, text!(b"ring")])), Arg::Text(keys.get(2)), Arg::Text(s.concat(&[base, text!(b"tokens")])), Arg::Text(s.concat(&[base, text!(b"rest")])), Arg::Text(s.concat(&[base, text!(b"rate")])), Arg::Text(s.concat(&[base, text!(b"ttl")])), Arg::Text(s.concat(&[base, text!(b"listeners")]))])?;
    taken.heard.set(UNHEARD);
    taken.tokens.set(0);
    taken.timed.set(0);
    let is_set: bool = found > 0 && look_around(s, keys, taken, found)?;
    let heard: i64 = taken.heard.get();
    let bare: bool = found == 0 || (found == 1 && heard != UNHEARD);
    let open: bool = !is_set || is_open(s, base)?;
    let mut from: i64 = 3;
    let mut leaves: bool = false;
    let mut presence: i64 = -1;
    if args.len() > 3 && args.get(3) == text!(b"w") {
        presence = note_presence(s, base, args.get(0), args, 3)?;
        if presence == 1 {
            want = 0;
        }
        from += PRESENCE_WIDTH;
        leaves = args.get(6) == text!(b"0");
    }
    let settled: &'a Settled<'a> = settle_all(s, base, args, from, bare, heard)?;
    taken.looks.set(settled.count.get());
    if bare && settled.flat.get() {
        if want > 0 && waiting > 0 {
            claim_from(s, taken, keys.get(0), text!(b""), want)?;
        }
        if waiting > taken.looks.get() - settled.count.get() {
            push(s, keys.get(3))?;
        }
        let done: List<'a, Value<'a>> = s.list(&[Value::from(settled.exceptions), Value::from(-1), Value::from(0), Value::from(taken.jobs)]);
        if presence >= 0 {
            done.set(4, Value::from(presence));
        }
        if heard != UNHEARD {
            tell_if_drained(s, base, taken.taken.get())?;
        }
        return Ok(Value::from(done));
    }
    let reply: List<'a, Value<'a>> = go_round(s, keys, settled, taken, want, open, is_set)?;
    if heard != UNHEARD {
        tell_if_drained(s, base, taken.taken.get())?;
    }
    // It may have kept time for the schedule; whoever takes the token does so from now on.
    if leaves && s.exists(&[Arg::Text(keys.get(2))])? == 1 {
        push(s, keys.get(3))?;
    }
    if presence >= 0 {
        reply.set(4, Value::from(presence));
    }
    return Ok(Value::from(reply));
}