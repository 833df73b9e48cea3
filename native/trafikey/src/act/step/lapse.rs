// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Lapsed leases: back to where the job waits, or dead when it lapsed too often.
//!
//! A job that waits after a lapse keeps an empty `owner`, so that its late holder may still settle it until it is
//! claimed again. A job whose cancel was asked for does not run again: nobody is left who could hear of it. All rows are
//! read before the first is written, so a foreign type in one of them refuses the act whole.

use crate::runtime::*;
use crate::act::step::bulk::{remove_members};
use crate::act::step::bury::{bury, read_deaths};
use crate::act::step::dedup::{Names, let_go, read_names};
use crate::act::step::event::{heard_by, tell_of_job};
use crate::act::step::family::{Notice, note_end, tell_dead};
use crate::act::step::kin::{Told, nothing_told};
use crate::act::step::lane::{is_ordered, read_lanes, release_lane};
use crate::act::step::result::{tell_waiters, waited_until};
use crate::act::step::retain::{Leavers, Terms, drop_oldest};
use crate::act::step::row::{count_of};
use crate::act::step::waiting::{let_wait, let_wait_first};

/// What a sweep did.
pub struct Lapsed<'a> {
    pub recovered: List<'a, Text<'a>>,
    pub dead: List<'a, Text<'a>>,
    /// Members of `active` whose row is gone or not active.
    pub dropped: Cell<i64>,
    pub here: Here<'a>,
}

/// Ends a job that lapsed too often. `until` is until when its outcome is left for those who wait for it.
pub fn kill_lapsed<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, stalled: i64, error: Text<'a>, terms: &'a Terms<'a>, until: i64) -> Act<()> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
    s.hdel(&[Arg::Text(row), Arg::Word(text!(b"owner")), Arg::Word(text!(b"held"))])?;
    s.hset(&[Arg::Text(row), Arg::Word(text!(b"stalled")), Arg::Int(stalled)])?;
    bury(s, base, id, error, terms, until)?;
    Ok(())
}

/// Whether this lapse of an active job is its last: it was one too many, or the job was to be cancelled.
pub fn is_doomed<'a>(s: &Server<'a>, fields: List<'a, Option<Text<'a>>>, max_stalled: i64) -> Act<bool> {
    if max_stalled < 0 || fields.pick(0) != Some(text!(b"active")) {
        return Ok(false);
    }
    return Ok(count_of(s, fields.pick(3))? + 1 >= max_stalled || fields.pick(4).is_some());
}

/// How many of these lapses are the last of their jobs.
pub fn count_doomed<'a>(s: &Server<'a>, rows: List<'a, List<'a, Option<Text<'a>>>>, max_stalled: i64) -> Act<i64> {
    let mut doomed: i64 = 0;
    for fields in rows.iter() {
        if is_doomed(s, fields, max_stalled)? {
            doomed += 1;
        }
    }
    return Ok(doomed);
}

/// Lets a job whose lease lapsed wait again; in an ordered lane before all others.
pub fn recover<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, fields: List<'a, Option<Text<'a>>>, stalled: i64) -> Act<()> {
    let group: Option<Text<'a>> = fields.pick(1);
    s.hset(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"state")), Arg::Word(text!(b"pending")), Arg::Word(text!(b"stalled")), Arg::Int(stalled), Arg::Word(text!(b"owner")), Arg::Word(text!(b""))])?;
    if fields.pick(8).is_some() && group.is_some() {
        let_wait_first(s, base, id, group.unwrap())?;
    } else {
        let_wait(s, base, id, group, fields.pick(2))?;
    }
    Ok(())
}

/// Reads the rows of ids whose leases lapsed, and all that taking them back may write to.
pub fn read_lapsed<'a>(s: &Server<'a>, base: Text<'a>, ids: List<'a, Text<'a>>) -> Act<List<'a, List<'a, Option<Text<'a>>>>> {
    let rows: List<'a, List<'a, Option<Text<'a>>>> = s.list::<List<'a, Option<Text<'a>>>>(&[]);
    let groups: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    for id in ids.iter() {
        let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"state")), Arg::Word(text!(b"group")), Arg::Word(text!(b"priority")), Arg::Word(text!(b"stalled")), Arg::Word(text!(b"cancel")), Arg::Word(text!(b"dedup")), Arg::Word(text!(b"wait")), Arg::Word(text!(b"parent"))])?;
        let group: Option<Text<'a>> = fields.pick(1);
        if group.is_some() {
            groups.push(group.unwrap());
        }
        fields.set(8, if is_ordered(s, base, group)? { Some(text!(b"1")) } else { None });
        rows.push(fields);
    }
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"pending")]))])?;
    read_lanes(s, base, groups, 1)?;
    return Ok(rows);
}

/// Reads the names of each job that is to be killed, `false` for one that lives on or has none.
pub fn read_names_of_dead<'a>(s: &Server<'a>, base: Text<'a>, ids: List<'a, Text<'a>>, rows: List<'a, List<'a, Option<Text<'a>>>>, max_stalled: i64, terms: &'a Terms<'a>) -> Act<List<'a, Option<&'a Names<'a>>>> {
    let names: List<'a, Option<&'a Names<'a>>> = s.list::<Option<&'a Names<'a>>>(&[]);
    let stop: i64 = ids.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let fields: List<'a, Option<Text<'a>>> = rows.get(i);
            let dedup: Option<Text<'a>> = if is_doomed(s, fields, max_stalled)? { fields.pick(5) } else { None };
            names.set(i, read_names(s, base, ids.get(i), dedup, terms.dead_count.get() == 0)?);
            i += 1;
        }
    }
    return Ok(names);
}

/// Finds out for each row until when its outcome is left, 0 for a job that lives on or that nobody waits for, and tells
/// those who wait.
pub fn tell_of_deaths<'a>(s: &Server<'a>, base: Text<'a>, ids: List<'a, Text<'a>>, rows: List<'a, List<'a, Option<Text<'a>>>>, max_stalled: i64, terms: &'a Terms<'a>) -> Act<List<'a, i64>> {
    let untils: List<'a, i64> = s.list::<i64>(&[]);
    let stop: i64 = ids.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let fields: List<'a, Option<Text<'a>>> = rows.get(i);
            let until: i64 = if is_doomed(s, fields, max_stalled)? { waited_until(s, fields.pick(6), terms.result_ms.get())? } else { 0 };
            if until > 0 {
                tell_waiters(s, base, ids.get(i))?;
            }
            untils.set(i, until);
            i += 1;
        }
    }
    return Ok(untils);
}

/// The error of a job whose lapse was its last.
pub fn last_error<'a>(fields: List<'a, Option<Text<'a>>>) -> Text<'a> {
    return if fields.pick(4).is_none() { text!(b"stalled") } else { fields.pick(4).unwrap() };
}

/// Notes for each job that is to be killed who hears of it, `false` for all others.
pub fn note_deaths<'a>(s: &Server<'a>, base: Text<'a>, ids: List<'a, Text<'a>>, rows: List<'a, List<'a, Option<Text<'a>>>>, max_stalled: i64) -> Act<List<'a, Option<&'a Notice<'a>>>> {
    let notices: List<'a, Option<&'a Notice<'a>>> = s.list::<Option<&'a Notice<'a>>>(&[]);
    let told: &'a Told<'a> = nothing_told(s);
    let stop: i64 = ids.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let fields: List<'a, Option<Text<'a>>> = rows.get(i);
            let parent: Option<Text<'a>> = if is_doomed(s, fields, max_stalled)? { fields.pick(7) } else { None };
            notices.set(i, note_end(s, base, ids.get(i), parent, text!(b"failed"), last_error(fields), true, Some(told))?);
            i += 1;
        }
    }
    return Ok(notices);
}

/// Tells of lapsed leases, before the first write. `maxStalled` is -1 where none of them ends its job.
#[cold]
pub fn tell_lapsed<'a>(s: &Server<'a>, base: Text<'a>, ids: List<'a, Text<'a>>, rows: List<'a, List<'a, Option<Text<'a>>>>, max_stalled: i64) -> Act<()> {
    let stop: i64 = ids.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let fields: List<'a, Option<Text<'a>>> = rows.get(i);
            if fields.pick(0) == Some(text!(b"active")) {
                tell_of_job(s, base, text!(b"stalled"), ids.get(i), fields.pick(5), s.list(&[text!(b"stalled"), s.text(count_of(s, fields.pick(3))? + 1)]))?;
                if is_doomed(s, fields, max_stalled)? {
                    tell_of_job(s, base, text!(b"dead"), ids.get(i), fields.pick(5), s.list(&[text!(b"error"), last_error(fields)]))?;
                }
            }
            i += 1;
        }
    }
    Ok(())
}

/// Takes back at most `limit` lapsed leases. `maxStalled` is the number of lapses that kills; -1 never kills. A member
/// of `active` whose row is gone or is not active is dropped. Those who wait for a job that is to be killed are told
/// before the first write.
pub fn take_back<'a>(s: &Server<'a>, active: Text<'a>, base: Text<'a>, max_stalled: i64, limit: i64, terms: &'a Terms<'a>) -> Act<&'a Lapsed<'a>> {
    let lapsed: &'a Lapsed<'a> = s.make(Lapsed { recovered: s.list::<Text<'a>>(&[]), dead: s.list::<Text<'a>>(&[]), dropped: Cell::new(0), here: Here::new() });
    if limit == 0 {
        return Ok(lapsed);
    }
    let ids: List<'a, Text<'a>> = s.zrangebyscore(&[Arg::Text(active), Arg::Word(text!(b"-inf")), Arg::Int(s.now()), Arg::Word(text!(b"LIMIT")), Arg::Int(0), Arg::Int(limit)])?;
    let stop: i64 = ids.len();
    if stop == 0 {
        return Ok(lapsed);
    }
    let rows: List<'a, List<'a, Option<Text<'a>>>> = read_lapsed(s, base, ids)?;
    let names: List<'a, Option<&'a Names<'a>>> = read_names_of_dead(s, base, ids, rows, max_stalled, terms)?;
    let untils: List<'a, i64> = tell_of_deaths(s, base, ids, rows, max_stalled, terms)?;
    let notices: List<'a, Option<&'a Notice<'a>>> = note_deaths(s, base, ids, rows, max_stalled)?;
    let heard: i64 = heard_by(s, base)?;
    let oldest: Option<&'a Leavers<'a>> = if max_stalled >= 0 { Some(read_deaths(s, base, terms, count_doomed(s, rows, max_stalled)?)?) } else { None };
    if heard > 0 {
        tell_lapsed(s, base, ids, rows, max_stalled)?;
    }
    remove_members(s, active, ids)?;
    {
        let mut i: i64 = 0;
        while i < stop {
            let id: Text<'a> = ids.get(i);
            let fields: List<'a, Option<Text<'a>>> = rows.get(i);
            if fields.pick(0) == Some(text!(b"active")) {
                let group: Option<Text<'a>> = fields.pick(1);
                let stalled: i64 = count_of(s, fields.pick(3))? + 1;
                if group.is_some() {
                    release_lane(s, base, group.unwrap())?;
                }
                if is_doomed(s, fields, max_stalled)? {
                    kill_lapsed(s, base, id, stalled, last_error(fields), terms, untils.get(i))?;
                    tell_dead(s, base, notices.pick(i), last_error(fields))?;
                    let_go(s, base, names.pick(i))?;
                    lapsed.dead.push(id);
                } else {
                    recover(s, base, id, fields, stalled)?;
                    lapsed.recovered.push(id);
                }
            } else {
                lapsed.dropped.set(lapsed.dropped.get() + 1);
            }
            i += 1;
        }
    }
    if oldest.is_some() {
        drop_oldest(s, base, text!(b"dead"), oldest.unwrap())?;
    }
    return Ok(lapsed);
}

/// Lapsed leases of all lanes that the recovery of one lane looks at.
pub const LANE_LOOKS_MAX: i64 = 1000;

/// Takes back at most `limit` lapsed leases of one lane, out of those that lapsed first; answers how many.
pub fn take_back_lane<'a>(s: &Server<'a>, active: Text<'a>, base: Text<'a>, lane: Text<'a>, limit: i64) -> Act<i64> {
    if limit == 0 {
        return Ok(0);
    }
    let lapsed: List<'a, Text<'a>> = s.zrangebyscore(&[Arg::Text(active), Arg::Word(text!(b"-inf")), Arg::Int(s.now()), Arg::Word(text!(b"LIMIT")), Arg::Int(0), Arg::Int(LANE_LOOKS_MAX)])?;
    let ids: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    for id in lapsed.iter() {
        if ids.len() < limit && s.hget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"group"))])? == Some(lane) {
            ids.push(id);
        }
    }
    if ids.len() == 0 {
        return Ok(0);
    }
    let rows: List<'a, List<'a, Option<Text<'a>>>> = read_lapsed(s, base, ids)?;
    if heard_by(s, base)? > 0 {
        tell_lapsed(s, base, ids, rows, -1)?;
    }
    remove_members(s, active, ids)?;
    let stop: i64 = ids.len();
    let mut taken: i64 = 0;
    {
        let mut i: i64 = 0;
        while i < stop {
            if rows.get(i).pick(0) == Some(text!(b"active")) {
                release_lane(s, base, lane)?;
                recover(s, base, ids.get(i), rows.get(i), count_of(s, rows.get(i).pick(3))? + 1)?;
                taken += 1;
            }
            i += 1;
        }
    }
    return Ok(taken);
}