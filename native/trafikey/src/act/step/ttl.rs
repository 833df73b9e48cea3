// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Time to live: a job that has not begun in time does not begin any more.
//!
//! The row of such a job holds `expires`, the instant by which it must have been claimed, and the sorted set `ttl` holds
//! its id under the same instant, so that it is found in silence too. The row decides: an entry of `ttl` that the row
//! does not bear out says nothing, and goes when its instant has come. The first claim takes both away, so a job that
//! has begun never expires, whatever becomes of it afterwards. A queue without such jobs pays one question an act.
//!
//! A job whose time is over is dead, with the error `expired`. A claim that meets one knows no terms of retention, so it
//! leaves the entry in `ttl`, and the next sweep keeps the dead job as the terms of its worker say. The same is done for
//! a parent that a child has ended. The time of a parent runs while it waits for its children.

use crate::runtime::*;
use crate::act::step::bound::{NUMBER_MAX, due_in};
use crate::act::step::bulk::{remove_members};
use crate::act::step::bury::{bury, read_deaths};
use crate::act::step::dedup::{Names, aliases_of, let_go, read_names};
use crate::act::step::event::{heard_by, tell_of_job};
use crate::act::step::family::{Notice, note_end, tell_dead};
use crate::act::step::kin::{Told, nothing_told};
use crate::act::step::lane::{read_lanes};
use crate::act::step::result::{tell_waiters, waited_until};
use crate::act::step::retain::{Leavers, Terms, delete_kept, drop_oldest, plain_terms};
use crate::act::step::tally::{read_tally};
use crate::act::step::tokens::{last_token, remember_tokens};
use crate::act::step::waiting::{stop_waiting};

/// The error of a job that did not begin in time.
pub const EXPIRED_ERROR: Text<'static> = text!(b"expired");

/// Gives a job `ms` from when it falls due, -1 for at once, to begin.
pub fn limit_time<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, due: i64, ms: Text<'a>) -> Act<()> {
    let until: i64 = i64::min(i64::max(due, s.now()) + s.num(ms)?, NUMBER_MAX);
    s.hset(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"expires")), Arg::Int(until)])?;
    s.zadd(&[Arg::Text(s.concat(&[base, text!(b"ttl")])), Arg::Int(until), Arg::Text(id)])?;
    Ok(())
}

/// Takes the limit of a job's time away.
pub fn unlimit_time<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>) -> Act<()> {
    s.hdel(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"expires"))])?;
    s.zrem(&[Arg::Text(s.concat(&[base, text!(b"ttl")])), Arg::Text(id)])?;
    Ok(())
}

/// Moves the end of a job's time by as much as its due time moves. A number of the row that is none stays.
#[cold]
pub fn move_time<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, expires: Text<'a>, by_ms: i64) -> Act<()> {
    if !s.int(expires, 0, NUMBER_MAX) {
        return Ok(());
    }
    let until: i64 = i64::max(0, i64::min(s.num(expires)? + by_ms, NUMBER_MAX));
    s.zrem(&[Arg::Text(s.concat(&[base, text!(b"ttl")])), Arg::Text(id)])?;
    s.hset(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"expires")), Arg::Int(until)])?;
    s.zadd(&[Arg::Text(s.concat(&[base, text!(b"ttl")])), Arg::Int(until), Arg::Text(id)])?;
    Ok(())
}

/// Whether the time of a job is over by its field `expires`.
pub fn is_over<'a>(s: &Server<'a>, expires: Option<Text<'a>>) -> Act<bool> {
    return Ok(expires.is_some() && s.int(expires.unwrap(), 0, NUMBER_MAX) && s.num(expires.unwrap())? <= s.now());
}

/// A job that is going to end because its time is over, with what its end needs.
pub struct Overdue<'a> {
    pub id: Text<'a>,
    /// Where it waits: the words of the row.
    pub state: Option<Text<'a>>,
    pub group: Option<Text<'a>>,
    pub dedup: Option<Text<'a>>,
    pub names: Option<&'a Names<'a>>,
    /// The parents that hear of it, and what the act has told of such.
    pub notice: Option<&'a Notice<'a>>,
    pub told: &'a Told<'a>,
    /// Until when its outcome is left, 0 for nobody who asked.
    pub until: i64,
    pub here: Here<'a>,
}

/// Reads what the end of an overdue job needs, and tells those who wait for it. Its `parent` is the sixth field.
pub fn read_overdue<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, fields: List<'a, Option<Text<'a>>>, terms: &'a Terms<'a>, told: &'a Told<'a>) -> Act<&'a Overdue<'a>> {
    let names: Option<&'a Names<'a>> = read_names(s, base, id, fields.pick(2), terms.dead_count.get() == 0)?;
    let until: i64 = waited_until(s, fields.pick(3), terms.result_ms.get())?;
    let notice: Option<&'a Notice<'a>> = note_end(s, base, id, fields.pick(5), text!(b"failed"), EXPIRED_ERROR, true, Some(told))?;
    if until > 0 {
        tell_waiters(s, base, id)?;
    }
    if heard_by(s, base)? > 0 {
        tell_of_job(s, base, text!(b"expired"), id, fields.pick(2), s.list::<Text<'a>>(&[]))?;
        tell_of_job(s, base, text!(b"dead"), id, fields.pick(2), s.list(&[text!(b"error"), EXPIRED_ERROR]))?;
    }
    return Ok(s.make(Overdue { id: id, state: fields.pick(0), group: fields.pick(1), dedup: fields.pick(2), names: names, notice: notice, told: told, until: until, here: Here::new() }));
}

/// Ends an overdue job that has left the place where it waited, and lets its names go.
pub fn end_overdue<'a>(s: &Server<'a>, base: Text<'a>, job: &'a Overdue<'a>, names: Option<&'a Names<'a>>, terms: &'a Terms<'a>) -> Act<()> {
    s.hdel(&[Arg::Text(s.concat(&[base, text!(b"job:"), job.id])), Arg::Word(text!(b"expires")), Arg::Word(text!(b"owner"))])?;
    if job.state == Some(text!(b"awaiting_children")) {
        s.hset(&[Arg::Text(s.concat(&[base, text!(b"job:"), job.id])), Arg::Word(text!(b"failed_child")), Arg::Word(text!(b""))])?;
    }
    bury(s, base, job.id, EXPIRED_ERROR, terms, job.until)?;
    tell_dead(s, base, job.notice, EXPIRED_ERROR)?;
    let_go(s, base, names)?;
    Ok(())
}

/// What a claim finds among jobs that have a time to live.
pub struct Timed<'a> {
    /// Those that begin now, in time.
    pub begun: Cell<List<'a, Text<'a>>>,
    pub overdue: Cell<List<'a, &'a Overdue<'a>>>,
    pub here: Here<'a>,
}

/// Looks whether a job that a claim has come to has a time to live. Answers whether it is over, and notes that after
/// reading what its end writes to; `begins` says whether one that is in time is leased and so noted as well.
#[cold]
pub fn note_timed<'a>(s: &Server<'a>, base: Text<'a>, timed: &'a Timed<'a>, id: Text<'a>, begins: bool) -> Act<bool> {
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"state")), Arg::Word(text!(b"group")), Arg::Word(text!(b"dedup")), Arg::Word(text!(b"wait")), Arg::Word(text!(b"expires")), Arg::Word(text!(b"parent"))])?;
    if fields.pick(4).is_none() {
        return Ok(false);
    }
    if !(is_over(s, Some(fields.pick(4).unwrap()))?) {
        if !begins {
            return Ok(false);
        }
        if timed.begun.get().len() == 0 {
            timed.begun.set(s.list::<Text<'a>>(&[]));
        }
        timed.begun.get().push(id);
        return Ok(false);
    }
    if timed.overdue.get().len() == 0 {
        read_tally(s, base, text!(b"failed"))?;
        s.zcard(&[Arg::Text(s.concat(&[base, text!(b"dead")]))])?;
        timed.overdue.set(s.list::<&'a Overdue<'a>>(&[]));
    }
    let told: &'a Told<'a> = if timed.overdue.get().len() > 0 { timed.overdue.get().get(0).told } else { nothing_told(s) };
    timed.overdue.get().push(read_overdue(s, base, id, fields, plain_terms(s), told)?);
    return Ok(true);
}

/// Writes what a claim has noted: the overdue jobs have left the place where they waited.
#[cold]
pub fn end_timed<'a>(s: &Server<'a>, base: Text<'a>, timed: &'a Timed<'a>) -> Act<()> {
    for id in timed.begun.get().iter() {
        s.hdel(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"expires"))])?;
    }
    remove_members(s, s.concat(&[base, text!(b"ttl")]), timed.begun.get())?;
    let terms: &'a Terms<'a> = plain_terms(s);
    for job in timed.overdue.get().iter() {
        end_overdue(s, base, job, job.names, terms)?;
    }
    Ok(())
}

/// What a sweep finds among the entries of `ttl` whose instant has come.
pub struct Untimely<'a> {
    /// All of them, in order.
    pub ids: List<'a, Text<'a>>,
    pub overdue: List<'a, &'a Overdue<'a>>,
    /// Those that a claim has ended, whose retention is still to be settled, and their aliases.
    pub ended: List<'a, Text<'a>>,
    pub aliases: List<'a, Text<'a>>,
    /// Ids whose row gives them longer, and until when.
    pub later: List<'a, Text<'a>>,
    pub untils: List<'a, Text<'a>>,
    /// Dead jobs that go to make room.
    pub oldest: &'a Leavers<'a>,
    pub here: Here<'a>,
}

/// Finds at most `limit` entries whose instant has come, and tells those who wait for jobs that end by it.
pub fn find_untimely<'a>(s: &Server<'a>, base: Text<'a>, limit: i64, terms: &'a Terms<'a>) -> Act<&'a Untimely<'a>> {
    let key: Text<'a> = s.concat(&[base, text!(b"ttl")]);
    let none: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let ids: List<'a, Text<'a>> = if limit > 0 { s.zrangebyscore(&[Arg::Text(key), Arg::Word(text!(b"-inf")), Arg::Int(s.now()), Arg::Word(text!(b"LIMIT")), Arg::Int(0), Arg::Int(limit)])? } else { none };
    let overdue: List<'a, &'a Overdue<'a>> = s.list::<&'a Overdue<'a>>(&[]);
    let ended: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let later: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let untils: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let waiting: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let rows: List<'a, List<'a, Option<Text<'a>>>> = s.list::<List<'a, Option<Text<'a>>>>(&[]);
    for id in ids.iter() {
        let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"state")), Arg::Word(text!(b"group")), Arg::Word(text!(b"dedup")), Arg::Word(text!(b"wait")), Arg::Word(text!(b"expires")), Arg::Word(text!(b"parent")), Arg::Word(text!(b"last_error")), Arg::Word(text!(b"failed_child"))])?;
        let state: Option<Text<'a>> = fields.pick(0);
        if state == Some(text!(b"pending")) || state == Some(text!(b"scheduled")) || state == Some(text!(b"awaiting_children")) {
            if is_over(s, fields.pick(4))? {
                waiting.push(id);
                rows.push(fields);
                if fields.pick(1).is_some() {
                    read_lanes(s, base, s.list(&[fields.pick(1).unwrap()]), 1)?;
                }
            } else if fields.pick(4).is_some() && s.int(fields.pick(4).unwrap(), 0, NUMBER_MAX) {
                later.push(id);
                untils.push(fields.pick(4).unwrap());
            }
        } else if state == Some(text!(b"dead")) && (fields.pick(6) == Some(EXPIRED_ERROR) || fields.pick(7).is_some()) {
            ended.push(id);
        }
    }
    if waiting.len() + ended.len() == 0 {
        return Ok(s.make(Untimely { ids: ids, overdue: overdue, ended: ended, aliases: s.list::<Text<'a>>(&[]), later: later, untils: untils, oldest: s.make(Leavers { ids: s.list::<Text<'a>>(&[]), aliases: s.list::<Text<'a>>(&[]), here: Here::new() }), here: Here::new() }));
    }
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"pending")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"schedule")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"awaiting")]))])?;
    let told: &'a Told<'a> = nothing_told(s);
    let oldest: &'a Leavers<'a> = read_deaths(s, base, terms, waiting.len())?;
    let aliases: List<'a, Text<'a>> = if terms.dead_count.get() == 0 { aliases_of(s, base, ended)? } else { s.list::<Text<'a>>(&[]) };
    let stop: i64 = waiting.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            overdue.set(i, read_overdue(s, base, waiting.get(i), rows.get(i), terms, told)?);
            i += 1;
        }
    }
    return Ok(s.make(Untimely { ids: ids, overdue: overdue, ended: ended, aliases: aliases, later: later, untils: untils, oldest: oldest, here: Here::new() }));
}

/// Keeps a job that a claim has ended as the terms say.
pub fn settle_ended<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, terms: &'a Terms<'a>) -> Act<()> {
    if terms.dead_count.get() == 0 {
        let token: i64 = last_token(s, base, s.hget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"attempts"))])?)?;
        s.zrem(&[Arg::Text(s.concat(&[base, text!(b"dead")])), Arg::Text(id)])?;
        delete_kept(s, s.concat(&[base, text!(b"job:"), id]))?;
        remember_tokens(s, base, s.list(&[id]), s.list(&[token]))?;
    } else if terms.dead_ms.get() > 0 && s.zscore(&[Arg::Text(s.concat(&[base, text!(b"dead")])), Arg::Text(id)])?.is_some() {
        s.zadd(&[Arg::Text(s.concat(&[base, text!(b"expiry")])), Arg::Int(due_in(s, terms.dead_ms.get())), Arg::Text(id)])?;
    }
    Ok(())
}

/// Ends what `findUntimely` has found; answers the ids of the jobs that are dead by it.
pub fn end_untimely<'a>(s: &Server<'a>, base: Text<'a>, found: &'a Untimely<'a>, terms: &'a Terms<'a>) -> Act<List<'a, Text<'a>>> {
    let dead: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    remove_members(s, s.concat(&[base, text!(b"ttl")]), found.ids)?;
    let stop: i64 = found.later.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            s.zadd(&[Arg::Text(s.concat(&[base, text!(b"ttl")])), Arg::Text(found.untils.get(i)), Arg::Text(found.later.get(i))])?;
            i += 1;
        }
    }
    for job in found.overdue.iter() {
        if job.state == Some(text!(b"awaiting_children")) {
            s.zrem(&[Arg::Text(s.concat(&[base, text!(b"awaiting")])), Arg::Text(job.id)])?;
        }
        if job.state == Some(text!(b"scheduled")) || job.state == Some(text!(b"awaiting_children")) {
            s.zrem(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Text(job.id)])?;
        } else {
            stop_waiting(s, base, job.id, job.group)?;
        }
        // Read anew: the end of the job that it was to follow may have handed it a name since.
        let names: Option<&'a Names<'a>> = read_names(s, base, job.id, job.dedup, terms.dead_count.get() == 0)?;
        end_overdue(s, base, job, names, terms)?;
        dead.push(job.id);
    }
    for id in found.ended.iter() {
        settle_ended(s, base, id, terms)?;
    }
    if found.aliases.len() > 0 {
        s.del(s.spread(&[], found.aliases))?;
    }
    drop_oldest(s, base, text!(b"dead"), found.oldest)?;
    return Ok(dead);
}