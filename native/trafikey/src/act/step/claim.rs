// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Claiming: from where a job waits to `active`, with a raised token.
//!
//! An id whose row is gone, or whose row says that it waits elsewhere, is dropped and the next one is tried; no claim
//! ever makes a row. A claim stops at the budget of an act: 1000 looks, or 1 MiB of payload (one job may be larger).
//!
//! A job of a lane that must not run yet, because it keeps its place in an ordered lane although it is delayed, goes
//! into the schedule when its turn comes. It holds its lane from then on, if the lane is ordered still.
//!
//! Rows are read before their ids are taken from the set, and a pass ends with its leases. So a row of a foreign type
//! ends the act while each job is still somewhere: waiting, or leased.

use crate::runtime::*;
use crate::act::step::bound::{NUMBER_MAX};
use crate::act::step::event::{UNHEARD, tell};
use crate::act::step::lane::{enter_lane, is_ordered, occupy_lane, read_lanes};
use crate::act::step::limit::{Gate, Rate, affords, charge, open_gate};
use crate::act::step::row::{score_of};
use crate::act::step::tokens::{book_tokens, recall_tokens};
use crate::act::step::ttl::{Timed, end_timed, note_timed};

/// Ids looked at by one act, at most; also the most claimed.
pub const LOOKS_MAX: i64 = 1000;

/// Payload bytes that one act answers, at most, unless a single job holds more.
pub const PAYLOAD_MAX: i64 = 1048576;

/// Members of one pass, well below what a call can spread.
pub const PASS_MAX: i64 = 400;

/// Flat jobs that one act sends into the lanes of their names, at most: each costs as much as a job that enters.
pub const SORT_MAX: i64 = 200;

/// Jobs whose time to live is over that one act ends, at most: each costs as much as a settlement.
pub const OVERDUE_MAX: i64 = 100;

/// What a claim works with and what it gathers. Only the steps of one act see it.
pub struct Claim<'a> {
    pub base: Text<'a>,
    pub active: Text<'a>,
    /// Written to `owner`; the empty text for a claim without a worker, whose rows then carry no owner.
    pub worker: Text<'a>,
    pub lease_ms: i64,
    /// Jobs flat: id, token, payload, name, opts, lane, stalled, deferred.
    pub jobs: List<'a, Value<'a>>,
    pub taken: Cell<i64>,
    pub looks: Cell<i64>,
    pub payload: Cell<i64>,
    /// Whether the budget ended it while work was left.
    pub full: Cell<bool>,
    /// How many tokens of removed jobs the queue remembers; whoever claims asks.
    pub tokens: Cell<i64>,
    /// Whether the head of an ordered lane went into the schedule and holds the lane. Whoever serves lanes resets it.
    pub held: Cell<bool>,
    /// Ids that went into the schedule.
    pub late: List<'a, Text<'a>>,
    /// What the limits of the queue let through.
    pub gate: Cell<&'a Gate<'a>>,
    /// The rate of the lane that is served; whoever serves lanes sets it.
    pub lane_rate: Cell<Option<&'a Rate<'a>>>,
    /// Whether the next job costs more than a rate has left. Whoever serves lanes resets it for a lane.
    pub short: Cell<bool>,
    /// Flat jobs that went into the lanes of their names.
    pub sorted: Cell<i64>,
    /// How many entries `ttl` has; whoever claims asks.
    pub timed: Cell<i64>,
    /// Jobs that were ended because their time to live is over.
    pub overdue: Cell<i64>,
    /// Whether anybody listens to events; whoever claims asks.
    pub heard: Cell<i64>,
    pub here: Here<'a>,
}

/// A claim that has nothing yet.
pub fn start_claim<'a>(s: &Server<'a>, base: Text<'a>, active: Text<'a>, worker: Text<'a>, lease_ms: i64) -> &'a Claim<'a> {
    return s.make(Claim { base: base, active: active, worker: worker, lease_ms: lease_ms, jobs: s.list::<Value<'a>>(&[]), taken: Cell::new(0), looks: Cell::new(0), payload: Cell::new(0), full: Cell::new(false), tokens: Cell::new(0), held: Cell::new(false), late: s.list::<Text<'a>>(&[]), gate: Cell::new(open_gate(s, 0)), lane_rate: Cell::new(None), short: Cell::new(false), sorted: Cell::new(0), timed: Cell::new(0), overdue: Cell::new(0), heard: Cell::new(UNHEARD), here: Here::new() });
}

/// Members of one `ZADD`, well below what a call can spread.
pub const LEASE_MAX: i64 = 200;

/// Writes the leases of everything claimed, with one deadline. From the highest id down: a small `active` is a list that
/// each new member is searched in from its front.
pub fn write_leases<'a>(s: &Server<'a>, active: Text<'a>, ids: List<'a, Text<'a>>, lease_ms: i64) -> Act<()> {
    let deadline: i64 = s.now() + lease_ms;
    let mut members: List<'a, Value<'a>> = s.list::<Value<'a>>(&[]);
    let mut at: i64 = 0;
    {
        let mut i: i64 = ids.len() - 1;
        while i >= 0 {
            members.set(at, Value::from(deadline));
            members.set(at + 1, Value::from(ids.get(i)));
            at += 2;
            if at >= LEASE_MAX * 2 {
                s.zadd(s.spread(&[Arg::Text(active)], members))?;
                members = s.list::<Value<'a>>(&[]);
                at = 0;
            }
            i -= 1;
        }
    }
    if at > 0 {
        s.zadd(s.spread(&[Arg::Text(active)], members))?;
    }
    Ok(())
}

/// What one pass is going to lease, found by the same place in each list. Lists of what is put aside are one empty list
/// until the first of their kind: nearly all passes put nothing aside.
pub struct Pass<'a> {
    pub parent: &'a Timed<'a>,
    pub ids: List<'a, Text<'a>>,
    pub rows: List<'a, Text<'a>>,
    pub tokens: List<'a, i64>,
    /// The owners that the rows name, for a claim without a worker alone, which takes them away.
    pub owners: List<'a, Option<Text<'a>>>,
    /// The lanes of flat jobs whose rows name one.
    pub foreign: Cell<List<'a, Text<'a>>>,
    /// Ids that must not run yet, and until when.
    pub late: Cell<List<'a, Text<'a>>>,
    pub dues: Cell<List<'a, Text<'a>>>,
    /// Ids that go into lanes, which lanes, and their priorities.
    pub sorted: Cell<List<'a, Text<'a>>>,
    pub lanes: Cell<List<'a, Text<'a>>>,
    pub scores: Cell<List<'a, i64>>,
    pub here: Here<'a>,
}

impl<'a> std::ops::Deref for Pass<'a> {
    type Target = Timed<'a>;

    fn deref(&self) -> &Self::Target {
        self.parent
    }
}

/// Whether the row of a lane's job says that it must not run yet; its `due` is the tenth of the fields.
pub fn is_late<'a>(s: &Server<'a>, fields: List<'a, Option<Text<'a>>>) -> Act<bool> {
    let due: Option<Text<'a>> = fields.pick(9);
    return Ok(due.is_some() && s.int(due.unwrap(), 0, NUMBER_MAX) && s.num(due.unwrap())? > s.now());
}

/// Puts jobs that must not run yet into the schedule. They have left their lane; if it is ordered, there is one, and it
/// holds the lane.
#[cold]
pub fn postpone<'a>(s: &Server<'a>, lease: &'a Claim<'a>, pass: &'a Pass<'a>, lane: Text<'a>) -> Act<()> {
    let stop: i64 = pass.late.get().len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let id: Text<'a> = pass.late.get().get(i);
            let row: Text<'a> = s.concat(&[lease.base, text!(b"job:"), id]);
            if lease.held.get() {
                s.hset(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"scheduled")), Arg::Word(text!(b"held")), Arg::Word(text!(b"1"))])?;
                s.hincrby(&[Arg::Text(s.concat(&[lease.base, text!(b"gactive")])), Arg::Text(lane), Arg::Int(1)])?;
            } else {
                s.hset(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"scheduled"))])?;
            }
            s.hdel(&[Arg::Text(row), Arg::Word(text!(b"owner"))])?;
            s.zadd(&[Arg::Text(s.concat(&[lease.base, text!(b"schedule")])), Arg::Text(pass.dues.get().get(i)), Arg::Text(id)])?;
            lease.late.push(id);
            i += 1;
        }
    }
    Ok(())
}

/// Notes a job that must not run yet, after reading what putting it into the schedule writes to.
#[cold]
pub fn note_late<'a>(s: &Server<'a>, lease: &'a Claim<'a>, pass: &'a Pass<'a>, id: Text<'a>, due: Option<Text<'a>>, lane: Text<'a>) -> Act<()> {
    let at: i64 = pass.late.get().len();
    if at == 0 {
        s.zcard(&[Arg::Text(s.concat(&[lease.base, text!(b"schedule")]))])?;
        pass.late.set(s.list::<Text<'a>>(&[]));
        pass.dues.set(s.list::<Text<'a>>(&[]));
    }
    pass.late.get().set(at, id);
    pass.dues.get().set(at, if due.is_none() { text!(b"0") } else { due.unwrap() });
    if is_ordered(s, lease.base, Some(lane))? {
        lease.held.set(true);
    }
    Ok(())
}

/// The lane of the jobs of a name that has a limit.
pub fn lane_of_name<'a>(s: &Server<'a>, name: Option<Text<'a>>) -> Text<'a> {
    return if name.is_none() { text!(b"@default") } else { s.concat(&[text!(b"@"), name.unwrap()]) };
}

/// Notes a flat job whose name has a limit, after reading what putting it into the lane of its name writes to. Answers
/// whether it has one.
#[cold]
pub fn note_sorted<'a>(s: &Server<'a>, lease: &'a Claim<'a>, pass: &'a Pass<'a>, id: Text<'a>, name: Option<Text<'a>>) -> Act<bool> {
    let base: Text<'a> = lease.base;
    let lane: Text<'a> = lane_of_name(s, name);
    if s.hexists(&[Arg::Text(s.concat(&[base, text!(b"rate")])), Arg::Text(s.concat(&[text!(b"m"), lane]))])? == 0 {
        return Ok(false);
    }
    read_lanes(s, base, s.list(&[lane]), 1)?;
    let at: i64 = pass.sorted.get().len();
    if at == 0 {
        pass.scores.set(s.list::<i64>(&[]));
        pass.sorted.set(s.list::<Text<'a>>(&[]));
        pass.lanes.set(s.list::<Text<'a>>(&[]));
    }
    pass.scores.get().set(at, score_of(s, s.hget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"priority"))])?)?);
    pass.sorted.get().set(at, id);
    pass.lanes.get().set(at, lane);
    return Ok(true);
}

/// Lets flat jobs wait in the lanes of their names. They have left the flat queue. The lanes that come onto the ring by
/// it are not in the round of this act, so whoever sorts leaves work behind.
#[cold]
pub fn sort_into_lanes<'a>(s: &Server<'a>, lease: &'a Claim<'a>, pass: &'a Pass<'a>) -> Act<()> {
    let stop: i64 = pass.sorted.get().len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let id: Text<'a> = pass.sorted.get().get(i);
            s.hset(&[Arg::Text(s.concat(&[lease.base, text!(b"job:"), id])), Arg::Word(text!(b"group")), Arg::Text(pass.lanes.get().get(i))])?;
            enter_lane(s, lease.base, pass.lanes.get().get(i), id, pass.scores.get().get(i))?;
            i += 1;
        }
    }
    lease.sorted.set(lease.sorted.get() + stop);
    if lease.sorted.get() >= SORT_MAX {
        lease.full.set(true);
    }
    Ok(())
}

/// Writes what a pass has put aside, which has left its set.
#[cold]
pub fn place_aside<'a>(s: &Server<'a>, lease: &'a Claim<'a>, pass: &'a Pass<'a>, lane: Text<'a>) -> Act<()> {
    if pass.late.get().len() > 0 {
        postpone(s, lease, pass, lane)?;
    }
    if pass.sorted.get().len() > 0 {
        sort_into_lanes(s, lease, pass)?;
    }
    if pass.begun.get().len() + pass.overdue.get().len() > 0 {
        end_timed(s, lease.base, pass.parent)?;
    }
    lease.overdue.set(lease.overdue.get() + pass.overdue.get().len());
    if lease.overdue.get() >= OVERDUE_MAX {
        lease.full.set(true);
    }
    Ok(())
}

/// Whether a claim takes from a rate.
pub fn is_paying<'a>(lease: &'a Claim<'a>) -> bool {
    return lease.gate.get().rate.get().is_some() || lease.lane_rate.get().is_some();
}

/// Whether what is left of the rates suffices for a job of this cost. The lane is asked first: it alone rests then.
pub fn suffices<'a>(s: &Server<'a>, lease: &'a Claim<'a>, cost: Option<Text<'a>>) -> Act<bool> {
    let of_lane: Option<&'a Rate<'a>> = lease.lane_rate.get();
    let of_queue: Option<&'a Rate<'a>> = lease.gate.get().rate.get();
    if of_lane.is_some() && !(affords(s, of_lane.unwrap(), cost)?) {
        return Ok(false);
    }
    return Ok(of_queue.is_none() || affords(s, of_queue.unwrap(), cost)?);
}

/// Takes what a job costs from the rates.
pub fn pay<'a>(s: &Server<'a>, lease: &'a Claim<'a>, cost: Option<Text<'a>>) -> Act<()> {
    let of_lane: Option<&'a Rate<'a>> = lease.lane_rate.get();
    let of_queue: Option<&'a Rate<'a>> = lease.gate.get().rate.get();
    if of_lane.is_some() {
        charge(s, of_lane.unwrap(), cost)?;
    }
    if of_queue.is_some() {
        charge(s, of_queue.unwrap(), cost)?;
    }
    Ok(())
}

/// Finds out what keeps a waiting job from being leased now, and notes it after reading what it writes to; answers
/// whether there is anything. A job that is too dear for what is left makes the claim `short` and stays where it is;
/// all others leave their set. `fields` are those of its row.
#[cold]
pub fn set_aside<'a>(s: &Server<'a>, lease: &'a Claim<'a>, pass: &'a Pass<'a>, id: Text<'a>, fields: List<'a, Option<Text<'a>>>, lane: Text<'a>) -> Act<bool> {
    let pays: bool = is_paying(lease);
    let cost: Option<Text<'a>> = if pays { s.hget(&[Arg::Text(s.concat(&[lease.base, text!(b"job:"), id])), Arg::Word(text!(b"cost"))])? } else { None };
    let goes: bool = !pays || suffices(s, lease, cost)?;
    // Its time to live is over: it is dead after this pass.
    if lease.timed.get() > 0 && note_timed(s, lease.base, pass.parent, id, goes)? {
        return Ok(true);
    }
    // It goes into the lane of its name.
    let is_named: bool = lane == text!(b"") && fields.pick(5).is_none() && lease.gate.get().named.get();
    if is_named && note_sorted(s, lease, pass, id, fields.pick(3))? {
        return Ok(true);
    }
    if lane != text!(b"") && is_late(s, fields)? {
        note_late(s, lease, pass, id, fields.pick(9), lane)?;
        return Ok(true);
    }
    if pays && goes {
        pay(s, lease, cost)?;
    }
    lease.short.set(!goes);
    return Ok(lease.short.get());
}

/// Notes the lane that the row of a flat job names, after reading it.
#[cold]
pub fn note_foreign<'a>(s: &Server<'a>, base: Text<'a>, pass: &'a Pass<'a>, group: Text<'a>) -> Act<()> {
    read_lanes(s, base, s.list(&[group]), 1)?;
    if pass.foreign.get().len() == 0 {
        pass.foreign.set(s.list::<Text<'a>>(&[]));
    }
    pass.foreign.get().push(group);
    Ok(())
}

/// Counts flat jobs in the lanes that their rows name.
#[cold]
pub fn occupy_foreign<'a>(s: &Server<'a>, base: Text<'a>, groups: List<'a, Text<'a>>) -> Act<()> {
    for group in groups.iter() {
        occupy_lane(s, base, group)?;
    }
    Ok(())
}

/// Leases ids that have left their set, and completes what the act answers of them, which begins at `from`, with their
/// tokens.
pub fn lease_all<'a>(s: &Server<'a>, claim: &'a Claim<'a>, pass: &'a Pass<'a>, lane: Text<'a>, from: i64) -> Act<()> {
    let jobs: List<'a, Value<'a>> = claim.jobs;
    let ids: List<'a, Text<'a>> = pass.ids;
    let rows: List<'a, Text<'a>> = pass.rows;
    let tokens: List<'a, i64> = pass.tokens;
    let worker: Text<'a> = claim.worker;
    let stop: i64 = ids.len();
    let formers: List<'a, i64> = if claim.tokens.get() > 0 { recall_tokens(s, claim.base, ids, tokens)? } else { s.list::<i64>(&[]) };
    let mut at: i64 = from + 1;
    {
        let mut i: i64 = 0;
        while i < stop {
            let token: i64 = tokens.get(i);
            if worker != text!(b"") {
                s.hset(&[Arg::Text(rows.get(i)), Arg::Word(text!(b"state")), Arg::Word(text!(b"active")), Arg::Word(text!(b"attempts")), Arg::Int(token), Arg::Word(text!(b"owner")), Arg::Text(worker)])?;
            } else {
                if pass.owners.pick(i).is_some() {
                    s.hdel(&[Arg::Text(rows.get(i)), Arg::Word(text!(b"owner"))])?;
                }
                s.hset(&[Arg::Text(rows.get(i)), Arg::Word(text!(b"state")), Arg::Word(text!(b"active")), Arg::Word(text!(b"attempts")), Arg::Int(token)])?;
            }
            jobs.set(at, Value::from(token));
            at += 8;
            i += 1;
        }
    }
    if pass.foreign.get().len() > 0 {
        occupy_foreign(s, claim.base, pass.foreign.get())?;
    }
    if formers.len() > 0 {
        book_tokens(s, claim.base, ids, formers, jobs, from)?;
    }
    write_leases(s, claim.active, ids, claim.lease_ms)?;
    if lane != text!(b"") && stop > 0 {
        s.hincrby(&[Arg::Text(s.concat(&[claim.base, text!(b"gactive")])), Arg::Text(lane), Arg::Int(stop)])?;
    }
    Ok(())
}

/// Reads the row of a waiting id. Its `attempts` come back as `false` when it cannot be leased: the row is gone or waits
/// elsewhere, or the payload would pass the budget, which also sets `full`.
pub fn read_waiting<'a>(s: &Server<'a>, claim: &'a Claim<'a>, row: Text<'a>, lane: Text<'a>) -> Act<List<'a, Option<Text<'a>>>> {
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"payload")), Arg::Word(text!(b"name")), Arg::Word(text!(b"opts")), Arg::Word(text!(b"group")), Arg::Word(text!(b"stalled")), Arg::Word(text!(b"deferred")), Arg::Word(text!(b"owner")), Arg::Word(text!(b"due"))])?;
    if fields.pick(0) != Some(text!(b"pending")) || (lane != text!(b"") && fields.pick(5) != Some(lane)) {
        fields.set(1, None);
    } else if fields.pick(1).is_some() {
        let bytes: i64 = if fields.pick(2).is_none() { 0 } else { fields.pick(2).unwrap().len() };
        if claim.payload.get() > 0 && claim.payload.get() + bytes > PAYLOAD_MAX {
            claim.full.set(true);
            fields.set(1, None);
        } else {
            claim.payload.set(claim.payload.get() + bytes);
        }
    }
    return Ok(fields);
}

/// Writes from a place on what the act answers of a job that was never claimed; its token follows when it is leased.
/// `fields` are those of its row.
pub fn answer<'a>(jobs: List<'a, Value<'a>>, at: i64, id: Text<'a>, fields: List<'a, Option<Text<'a>>>) {
    jobs.set(at, Value::from(id));
    jobs.set(at + 1, Value::from(0));
    jobs.set(at + 2, Value::from(if fields.pick(2).is_none() { text!(b"") } else { fields.pick(2).unwrap() }));
    jobs.set(at + 3, Value::from(if fields.pick(3).is_none() { text!(b"") } else { fields.pick(3).unwrap() }));
    jobs.set(at + 4, Value::from(if fields.pick(4).is_none() { text!(b"") } else { fields.pick(4).unwrap() }));
    jobs.set(at + 5, Value::from(if fields.pick(5).is_none() { text!(b"") } else { fields.pick(5).unwrap() }));
    jobs.set(at + 6, Value::from(text!(b"")));
    jobs.set(at + 7, Value::from(text!(b"")));
}

/// Adds the counters of a job that was claimed before to what the act answers of it.
pub fn answer_counters<'a>(jobs: List<'a, Value<'a>>, at: i64, stalled: Option<Text<'a>>, deferred: Option<Text<'a>>) {
    if stalled.is_some() {
        jobs.set(at + 6, Value::from(stalled.unwrap()));
    }
    if deferred.is_some() {
        jobs.set(at + 7, Value::from(deferred.unwrap()));
    }
}

/// Reads the rows of waiting ids of the flat queue where nothing can be put aside, which is so in nearly all passes,
/// until the claim is full; answers how many ids are to leave the set. A job that was never claimed has neither lapsed
/// nor been put off, so its row is not asked for that; a claim with a worker does not ask for the owner, since it
/// overwrites it.
pub fn read_flat<'a>(s: &Server<'a>, claim: &'a Claim<'a>, pass: &'a Pass<'a>, waiting: List<'a, Text<'a>>) -> Act<i64> {
    let prefix: Text<'a> = s.concat(&[claim.base, text!(b"job:")]);
    let ids: List<'a, Text<'a>> = pass.ids;
    let rows: List<'a, Text<'a>> = pass.rows;
    let tokens: List<'a, i64> = pass.tokens;
    let jobs: List<'a, Value<'a>> = claim.jobs;
    let is_owned: bool = claim.worker != text!(b"");
    let stop: i64 = waiting.len();
    let mut bytes: i64 = claim.payload.get();
    let mut at: i64 = jobs.len();
    let mut next: i64 = 0;
    // Most jobs of one pass were claimed as often as those before them.
    let mut known: Text<'a> = text!(b"0");
    let mut token: i64 = 1;
    {
        let mut i: i64 = 0;
        while i < stop {
            let id: Text<'a> = waiting.get(i);
            let row: Text<'a> = s.concat(&[prefix, id]);
            let fields: List<'a, Option<Text<'a>>> = if is_owned { s.hmget(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"payload")), Arg::Word(text!(b"name")), Arg::Word(text!(b"opts")), Arg::Word(text!(b"group"))])? } else { s.hmget(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"payload")), Arg::Word(text!(b"name")), Arg::Word(text!(b"opts")), Arg::Word(text!(b"group")), Arg::Word(text!(b"owner"))])? };
            let attempts: Option<Text<'a>> = fields.pick(1);
            if fields.pick(0) == Some(text!(b"pending")) && attempts.is_some() {
                let size: i64 = if fields.pick(2).is_none() { 0 } else { fields.pick(2).unwrap().len() };
                if bytes > 0 && bytes + size > PAYLOAD_MAX {
                    claim.full.set(true);
                    claim.payload.set(bytes);
                    return Ok(i);
                }
                bytes += size;
                if attempts != Some(known) {
                    // Reckoned here and not later: an `attempts` that is no number must end the act before its ids leave the set.
                    token = s.num(attempts.unwrap())? + 1;
                    known = attempts.unwrap();
                }
                ids.set(next, id);
                rows.set(next, row);
                tokens.set(next, token);
                answer(jobs, at, id, fields);
                if attempts != Some(text!(b"0")) {
                    let counters: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(row), Arg::Word(text!(b"stalled")), Arg::Word(text!(b"deferred"))])?;
                    answer_counters(jobs, at, counters.pick(0), counters.pick(1));
                }
                let group: Option<Text<'a>> = fields.pick(5);
                if group.is_some() {
                    note_foreign(s, claim.base, pass, group.unwrap())?;
                }
                if !is_owned {
                    pass.owners.set(next, fields.pick(6));
                }
                at += 8;
                next += 1;
            }
            i += 1;
        }
    }
    claim.payload.set(bytes);
    return Ok(stop);
}

/// Reads the rows of waiting ids where some may be put aside, until the claim is full or a head holds its lane; answers
/// how many ids are to leave the set. `mayStand`: each has to be asked, and not those alone that must not run yet.
#[cold]
pub fn read_choosing<'a>(s: &Server<'a>, lease: &'a Claim<'a>, pass: &'a Pass<'a>, waiting: List<'a, Text<'a>>, lane: Text<'a>, may_stand: bool) -> Act<i64> {
    let prefix: Text<'a> = s.concat(&[lease.base, text!(b"job:")]);
    let ids: List<'a, Text<'a>> = pass.ids;
    let stop: i64 = waiting.len();
    let mut looked: i64 = 0;
    while looked < stop && !lease.full.get() && !lease.held.get() && !lease.short.get() && lease.sorted.get() + pass.sorted.get().len() < SORT_MAX && lease.overdue.get() + pass.overdue.get().len() < OVERDUE_MAX {
        let row: Text<'a> = s.concat(&[prefix, waiting.get(looked)]);
        let fields: List<'a, Option<Text<'a>>> = read_waiting(s, lease, row, lane)?;
        let attempts: Option<Text<'a>> = fields.pick(1);
        let looks: bool = may_stand || (lane != text!(b"") && fields.pick(9).is_some());
        if attempts.is_some() && looks && set_aside(s, lease, pass, waiting.get(looked), fields, lane)? {
            // It is not leased by this pass.
        } else if attempts.is_some() {
            // Reckoned before its id leaves the set, as in the flat queue.
            let at: i64 = ids.len();
            pass.tokens.set(at, s.num(attempts.unwrap())? + 1);
            ids.set(at, waiting.get(looked));
            pass.rows.set(at, row);
            pass.owners.set(at, fields.pick(8));
            if lane == text!(b"") && fields.pick(5).is_some() {
                note_foreign(s, lease.base, pass, fields.pick(5).unwrap())?;
            }
            let place: i64 = lease.jobs.len();
            answer(lease.jobs, place, waiting.get(looked), fields);
            answer_counters(lease.jobs, place, fields.pick(6), fields.pick(7));
        }
        if !lease.full.get() && !lease.short.get() {
            looked += 1;
        }
    }
    return Ok(looked);
}

/// Reads the rows of a pass; answers how many ids are to leave the set.
pub fn read_pass<'a>(s: &Server<'a>, claim: &'a Claim<'a>, pass: &'a Pass<'a>, waiting: List<'a, Text<'a>>, lane: Text<'a>) -> Act<i64> {
    let may_stand: bool = claim.timed.get() > 0 || is_paying(claim) || (lane == text!(b"") && claim.gate.get().named.get());
    if lane == text!(b"") && !may_stand {
        return Ok(read_flat(s, claim, pass, waiting)?);
    }
    return Ok(read_choosing(s, claim, pass, waiting, lane, may_stand)?);
}

/// Tells which jobs are claimed, before they leave their set.
#[cold]
pub fn tell_active<'a>(s: &Server<'a>, lease: &'a Claim<'a>, pass: &'a Pass<'a>) -> Act<()> {
    let stop: i64 = pass.ids.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(pass.rows.get(i)), Arg::Word(text!(b"alias")), Arg::Word(text!(b"name")), Arg::Word(text!(b"group"))])?;
            let alias: Text<'a> = if fields.pick(0).is_none() { text!(b"") } else { fields.pick(0).unwrap() };
            let name: Text<'a> = if fields.pick(1).is_none() { text!(b"") } else { fields.pick(1).unwrap() };
            let group: Text<'a> = if fields.pick(2).is_none() { text!(b"") } else { fields.pick(2).unwrap() };
            let more: List<'a, Text<'a>> = s.list(&[text!(b"name"), name, text!(b"lane"), group, text!(b"worker"), lease.worker, text!(b"alias"), alias]);
            tell(s, lease.base, text!(b"active"), pass.ids.get(i), more)?;
            i += 1;
        }
    }
    Ok(())
}

/// Claims up to `want` jobs from one sorted set: the flat queue (`lane` empty) or a lane. Answers how many; fewer than
/// `want` means that the set is empty or that the claim is `full`.
pub fn claim_from<'a>(s: &Server<'a>, claim: &'a Claim<'a>, key: Text<'a>, lane: Text<'a>, want: i64) -> Act<i64> {
    let mut taken: i64 = 0;
    while taken < want && !claim.full.get() && !claim.held.get() && !claim.short.get() {
        let room: i64 = i64::min(i64::min(want - taken, PASS_MAX), LOOKS_MAX - claim.looks.get());
        if room <= 0 {
            claim.full.set(true);
            return Ok(taken);
        }
        let waiting: List<'a, Text<'a>> = s.zrange(&[Arg::Text(key), Arg::Int(0), Arg::Int(room - 1)])?;
        let stop: i64 = waiting.len();
        if stop == 0 {
            return Ok(taken);
        }
        let pass: &'a Pass<'a> = s.make(Pass { parent: s.make(Timed { begun: Cell::new(s.list(&[])), overdue: Cell::new(s.list(&[])), here: Here::new() }), ids: s.list::<Text<'a>>(&[]), rows: s.list::<Text<'a>>(&[]), tokens: s.list::<i64>(&[]), owners: s.list::<Option<Text<'a>>>(&[]), foreign: Cell::new(s.list(&[])), late: Cell::new(s.list(&[])), dues: Cell::new(s.list(&[])), sorted: Cell::new(s.list(&[])), lanes: Cell::new(s.list(&[])), scores: Cell::new(s.list(&[])), here: Here::new() });
        let from: i64 = claim.jobs.len();
        let looked: i64 = read_pass(s, claim, pass, waiting, lane)?;
        if looked > 0 {
            if claim.heard.get() > 0 {
                tell_active(s, claim, pass)?;
            }
            s.zremrangebyrank(&[Arg::Text(key), Arg::Int(0), Arg::Int(looked - 1)])?;
            lease_all(s, claim, pass, lane, from)?;
            if pass.ids.len() < looked || pass.begun.get().len() > 0 {
                place_aside(s, claim, pass, lane)?;
            }
        }
        taken += pass.ids.len();
        claim.taken.set(claim.taken.get() + pass.ids.len());
        claim.looks.set(claim.looks.get() + looked);
        if stop < room {
            return Ok(taken);
        }
    }
    return Ok(taken);
}

/// The claimed jobs as (id, payload, token), which is what the plain claims answer.
pub fn plain_jobs<'a>(s: &Server<'a>, claim: &'a Claim<'a>) -> List<'a, List<'a, Value<'a>>> {
    let out: List<'a, List<'a, Value<'a>>> = s.list::<List<'a, Value<'a>>>(&[]);
    let jobs: List<'a, Value<'a>> = claim.jobs;
    let stop: i64 = jobs.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            out.push(s.list(&[jobs.get(i), jobs.get(i + 2), jobs.get(i + 1)]));
            i += 8;
        }
    }
    return out;
}