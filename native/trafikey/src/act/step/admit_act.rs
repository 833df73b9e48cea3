// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! The admission of rows in the form of `ADMIT`: judged, placed and written by every act that makes jobs of them.
//!
//! Everything is judged, and every type that the writes can meet is read, before the first write. Members go in before
//! rows, for the same reason as in `ENQUEUE`. A run knows where in a row each value lies, so that a row costs its writes
//! and little else: `ADMIT` and `TURN` are the two that bound how fast a queue is.

use crate::runtime::*;
use crate::act::step::admission::{Admission, Run, add_letters, due_of, except, offset_of, place, state_of};
use crate::act::step::admit_event::{tell_admitted};
use crate::act::step::admit_rows::{is_named_shape, is_plain_shape};
use crate::act::step::dedup_rows::{judge_named, place_named, write_named};
use crate::act::step::event::{UNHEARD, want_of};
use crate::act::step::lane::{is_servable, lane_key, read_lanes};
use crate::act::step::row::{NO_JOB_ID, is_job_id};
use crate::act::step::ttl::{limit_time};
use crate::act::step::wake::{is_open, push, push_if_claimable};

/// Keys or members of one call, well below what a call can spread.
pub const SPREAD_MAX: i64 = 400;

/// A run of a plain shape, with no rows yet. The keys of all its rows make room for those of its new ones.
pub fn start_plain<'a>(s: &Server<'a>, shape: Text<'a>, keys: List<'a, Text<'a>>) -> &'a Run<'a> {
    return s.make(Run { shape: shape, name: if shape == text!(b"n") || shape == text!(b"no") { 2 } else { 0 }, priority: 0, lane: 0, opts: if shape == text!(b"no") { 3 } else { if shape == text!(b"o") { 2 } else { 0 } }, due_at: 0, due_in: 0, expire: 0, cost: 0, is_named: false, fresh: s.list::<i64>(&[]), keys: keys, here: Here::new() });
}

/// A run of any shape, with no rows yet.
#[cold]
pub fn start_run<'a>(s: &Server<'a>, shape: Text<'a>, keys: List<'a, Text<'a>>) -> &'a Run<'a> {
    return s.make(Run { shape: shape, name: offset_of(shape, text!(b"n")), priority: offset_of(shape, text!(b"p")), lane: offset_of(shape, text!(b"g")), opts: offset_of(shape, text!(b"o")), due_at: offset_of(shape, text!(b"a")), due_in: offset_of(shape, text!(b"i")), expire: offset_of(shape, text!(b"x")), cost: offset_of(shape, text!(b"c")), is_named: is_named_shape(shape), fresh: s.list::<i64>(&[]), keys: keys, here: Here::new() });
}

/// How many of up to any number of keys exist.
pub fn count_existing<'a>(s: &Server<'a>, rows: List<'a, Text<'a>>) -> Act<i64> {
    let mut part: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let mut count: i64 = 0;
    let stop: i64 = rows.len();
    if stop <= SPREAD_MAX {
        return Ok(s.exists(s.spread(&[], rows))?);
    }
    {
        let mut i: i64 = 0;
        while i < stop {
            part.push(rows.get(i));
            if part.len() >= SPREAD_MAX || i == stop - 1 {
                count += s.exists(s.spread(&[], part))?;
                part = s.list::<Text<'a>>(&[]);
            }
            i += 1;
        }
    }
    return Ok(count);
}

/// Reports a row whose id exists, or stands further up in this act.
#[cold]
pub fn except_twin<'a>(s: &Server<'a>, admission: &'a Admission<'a>, id: Text<'a>, row: Text<'a>, position: i64) -> Act<()> {
    let own: Option<Text<'a>> = admission.admitted.get(id);
    let stored: Option<Text<'a>> = if own.is_none() { s.hget(&[Arg::Text(row), Arg::Word(text!(b"state"))])? } else { Some(own.unwrap()) };
    except(admission, position, Value::from(s.list(&[Value::from(0), Value::from(if stored.is_none() { text!(b"unknown") } else { stored.unwrap() })])));
    Ok(())
}

/// Begins the table of ids with those of the rows judged so far, since they ascend no more.
#[cold]
pub fn tabulate<'a>(admission: &'a Admission<'a>, args: List<'a, Text<'a>>) {
    let admitted: Dict<'a, Text<'a>> = admission.admitted;
    for run in admission.runs.iter() {
        for at in run.fresh.iter() {
            admitted.set(args.get(at), text!(b"pending"));
        }
    }
    admission.ascends.set(false);
}

/// Judges the rows of a run some of which may exist (`mixed`), or that say more than a name and options. They begin at
/// `first`, and `position` is that of the first. Answers the refusal of the whole act, empty for none.
#[cold]
pub fn judge_rows<'a>(s: &Server<'a>, admission: &'a Admission<'a>, run: &'a Run<'a>, args: List<'a, Text<'a>>, first: i64, position: i64, mixed: bool) -> Act<Text<'a>> {
    let width: i64 = 2 + run.shape.len();
    let past: i64 = first + s.num(args.get(first - 1))? * width;
    if admission.ascends.get() {
        tabulate(admission, args);
    }
    let admitted: Dict<'a, Text<'a>> = admission.admitted;
    let fresh: List<'a, i64> = run.fresh;
    let keys: List<'a, Text<'a>> = run.keys;
    let mut index: i64 = 0;
    {
        let mut row: i64 = first;
        while row < past {
            let id: Text<'a> = args.get(row);
            let key: Text<'a> = keys.get(index);
            if admitted.get(id).is_some() || (mixed && s.exists(&[Arg::Text(key)])? == 1) {
                except_twin(s, admission, id, key, position + index)?;
            } else if run.is_named {
                let refusal: Text<'a> = judge_named(s, admission, run, args, row, position + index)?;
                if refusal != text!(b"") {
                    return Ok(refusal);
                }
            } else {
                admitted.set(id, place(s, admission, run, args, row, id, due_of(s, run, args, row)?)?);
                keys.set(fresh.len(), key);
                fresh.push(row);
            }
            index += 1;
            row += width;
        }
    }
    return Ok(text!(b""));
}

/// Judges the rows of a run none of which exists and that say no more than a name and options, as nearly all do.
pub fn judge_flat<'a>(s: &Server<'a>, admission: &'a Admission<'a>, run: &'a Run<'a>, args: List<'a, Text<'a>>, first: i64, position: i64) -> Act<()> {
    let width: i64 = 2 + run.shape.len();
    let past: i64 = first + s.num(args.get(first - 1))? * width;
    let admitted: Dict<'a, Text<'a>> = admission.admitted;
    let flat: List<'a, Value<'a>> = admission.flat;
    let fresh: List<'a, i64> = run.fresh;
    let keys: List<'a, Text<'a>> = run.keys;
    let mut ascends: bool = admission.ascends.get();
    let mut last: Text<'a> = admission.last.get();
    let mut size: i64 = flat.len();
    let mut index: i64 = 0;
    let mut news: i64 = 0;
    {
        let mut row: i64 = first;
        while row < past {
            let id: Text<'a> = args.get(row);
            if ascends && id <= last {
                tabulate(admission, args);
                ascends = false;
            }
            if !ascends && admitted.get(id).is_some() {
                except_twin(s, admission, id, keys.get(index), position + index)?;
            } else {
                if !ascends {
                    admitted.set(id, text!(b"pending"));
                }
                last = id;
                flat.set(size, Value::from(0));
                flat.set(size + 1, Value::from(id));
                fresh.set(news, row);
                if news < index {
                    keys.set(news, keys.get(index));
                }
                size += 2;
                news += 1;
            }
            index += 1;
            row += width;
        }
    }
    admission.last.set(last);
    Ok(())
}

/// Judges the rows of one run, which begins at `at`; `position` is that of its first row. Answers the refusal of the
/// whole act, empty for none.
pub fn judge_run<'a>(s: &Server<'a>, admission: &'a Admission<'a>, args: List<'a, Text<'a>>, at: i64, position: i64) -> Act<Text<'a>> {
    let shape: Text<'a> = args.get(at);
    let width: i64 = 2 + shape.len();
    let first: i64 = at + 2;
    let past: i64 = first + s.num(args.get(at + 1))? * width;
    let prefix: Text<'a> = s.concat(&[admission.base, text!(b"job:")]);
    let keys: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let mut count: i64 = 0;
    {
        let mut row: i64 = first;
        while row < past {
            let id: Text<'a> = args.get(row);
            if !is_job_id(id) {
                return Ok(NO_JOB_ID);
            }
            keys.set(count, s.concat(&[prefix, id]));
            count += 1;
            row += width;
        }
    }
    // One question for all rows, and for those who listen to events.
    if position == 0 {
        keys.set(count, s.concat(&[admission.base, text!(b"listeners")]));
    }
    let mut existing: i64 = count_existing(s, keys)?;
    if position == 0 && existing > 0 && s.exists(&[Arg::Text(s.concat(&[admission.base, text!(b"listeners")]))])? == 1 {
        admission.heard.set(want_of(s, admission.base)?);
        existing -= 1;
    }
    let run: &'a Run<'a> = if is_plain_shape(shape) { start_plain(s, shape, keys) } else { start_run(s, shape, keys) };
    admission.runs.push(run);
    let is_flat: bool = run.priority + run.lane + run.due_at + run.due_in == 0 && !run.is_named;
    if is_flat && existing == 0 {
        judge_flat(s, admission, run, args, first, position)?;
    } else {
        let refusal: Text<'a> = judge_rows(s, admission, run, args, first, position, existing > 0)?;
        if refusal != text!(b"") {
            return Ok(refusal);
        }
    }
    return Ok(text!(b""));
}

/// Writes one row that carries more than a name: the three fields of birth, then those that apply.
pub fn write_row<'a>(s: &Server<'a>, admission: &'a Admission<'a>, run: &'a Run<'a>, key: Text<'a>, args: List<'a, Text<'a>>, at: i64) -> Act<()> {
    let id: Text<'a> = args.get(at);
    let fields: List<'a, Text<'a>> = s.list(&[text!(b"state"), state_of(admission, id), text!(b"attempts"), text!(b"0"), text!(b"payload"), args.get(at + 1)]);
    add_letters(fields, run, args, at);
    s.hset(s.spread(&[Arg::Text(key)], fields))?;
    let due: Option<i64> = admission.dues.get(id);
    if due.is_some() {
        s.hset(&[Arg::Text(key), Arg::Word(text!(b"due")), Arg::Int(due.unwrap())])?;
    }
    if run.expire > 0 {
        limit_time(s, admission.base, id, due_of(s, run, args, at)?, args.get(at + run.expire))?;
    }
    Ok(())
}

/// Writes the rows of a run that carry more than a name.
#[cold]
pub fn write_rows<'a>(s: &Server<'a>, admission: &'a Admission<'a>, run: &'a Run<'a>, args: List<'a, Text<'a>>) -> Act<()> {
    let stop: i64 = run.fresh.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            write_row(s, admission, run, run.keys.get(i), args, run.fresh.get(i))?;
            i += 1;
        }
    }
    Ok(())
}

/// Writes the rows of one run. The two usual shapes, none and a name alone, are written without gathering fields.
pub fn write_run<'a>(s: &Server<'a>, admission: &'a Admission<'a>, run: &'a Run<'a>, args: List<'a, Text<'a>>) -> Act<()> {
    if run.priority + run.lane + run.opts + run.due_at + run.due_in + run.expire + run.cost > 0 {
        write_rows(s, admission, run, args)?;
        return Ok(());
    }
    let fresh: List<'a, i64> = run.fresh;
    let keys: List<'a, Text<'a>> = run.keys;
    let name_at: i64 = run.name;
    let stop: i64 = fresh.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let at: i64 = fresh.get(i);
            let name: Text<'a> = if name_at > 0 { args.get(at + name_at) } else { text!(b"") };
            if name == text!(b"") || name == text!(b"default") {
                s.hset(&[Arg::Text(keys.get(i)), Arg::Word(text!(b"state")), Arg::Word(text!(b"pending")), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"0")), Arg::Word(text!(b"payload")), Arg::Text(args.get(at + 1))])?;
            } else {
                s.hset(&[Arg::Text(keys.get(i)), Arg::Word(text!(b"state")), Arg::Word(text!(b"pending")), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"0")), Arg::Word(text!(b"payload")), Arg::Text(args.get(at + 1)), Arg::Word(text!(b"name")), Arg::Text(name)])?;
            }
            i += 1;
        }
    }
    Ok(())
}

/// Adds scores and members to a set, in calls that can be spread.
pub fn add_members<'a>(s: &Server<'a>, set: Text<'a>, members: List<'a, Value<'a>>) -> Act<()> {
    let mut part: List<'a, Value<'a>> = s.list::<Value<'a>>(&[]);
    let stop: i64 = members.len();
    if stop > 0 && stop <= SPREAD_MAX {
        s.zadd(s.spread(&[Arg::Text(set)], members))?;
        return Ok(());
    }
    {
        let mut i: i64 = 0;
        while i < stop {
            part.push(members.get(i));
            if part.len() >= SPREAD_MAX || i == stop - 1 {
                s.zadd(s.spread(&[Arg::Text(set)], part))?;
                part = s.list::<Value<'a>>(&[]);
            }
            i += 1;
        }
    }
    Ok(())
}

/// Adds jobs to their lanes; a lane whose first member it is comes onto the ring.
#[cold]
pub fn add_to_lanes<'a>(s: &Server<'a>, admission: &'a Admission<'a>) -> Act<()> {
    let base: Text<'a> = admission.base;
    let lanes: List<'a, Text<'a>> = admission.lanes;
    let stop: i64 = lanes.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let lane: Text<'a> = lane_key(s, base, lanes.get(i));
            let added: i64 = s.zadd(&[Arg::Text(lane), Arg::Int(admission.lane_scores.get(i / 2)), Arg::Text(lanes.get(i + 1))])?;
            if added == 1 && s.zcard(&[Arg::Text(lane)])? == 1 && is_servable(s, base, lanes.get(i))? {
                s.rpush(&[Arg::Text(s.concat(&[base, text!(b"ring")])), Arg::Text(lanes.get(i))])?;
            }
            i += 2;
        }
    }
    Ok(())
}

/// Reads every key that a later write of jobs beyond the flat queue may meet, so that a foreign type refuses the act
/// while nothing is written. Flat jobs need no such question: theirs is the first write.
#[cold]
pub fn read_targets<'a>(s: &Server<'a>, admission: &'a Admission<'a>, pending: Text<'a>) -> Act<()> {
    s.zcard(&[Arg::Text(pending)])?;
    s.zcard(&[Arg::Text(s.concat(&[admission.base, text!(b"schedule")]))])?;
    read_lanes(s, admission.base, admission.lanes, 2)?;
    Ok(())
}

/// An admission into the queue of `base` that has gathered nothing yet.
pub fn start_admission<'a>(s: &Server<'a>, base: Text<'a>) -> &'a Admission<'a> {
    return s.make(Admission { base: base, runs: s.list::<&'a Run<'a>>(&[]), exceptions: s.list::<Value<'a>>(&[]), admitted: s.dict(), ascends: Cell::new(true), last: Cell::new(text!(b"")), flat: s.list::<Value<'a>>(&[]), later: s.list::<Value<'a>>(&[]), dues: s.dict(), lanes: s.list::<Text<'a>>(&[]), lane_scores: s.list::<i64>(&[]), named: Cell::new(None), heard: Cell::new(UNHEARD), here: Here::new() });
}

/// Judges and writes all runs of `args` from its beginning: values have been checked. Answers the refusal of the whole,
/// empty for none, in which case the exceptions of the admission say what did not go as asked.
pub fn admit_runs<'a>(s: &Server<'a>, admission: &'a Admission<'a>, pending: Text<'a>, args: List<'a, Text<'a>>) -> Act<Text<'a>> {
    let base: Text<'a> = admission.base;
    let stop: i64 = args.len();
    let mut at: i64 = 0;
    let mut position: i64 = 0;
    while at < stop {
        let verdict: Text<'a> = judge_run(s, admission, args, at, position)?;
        if verdict != text!(b"") {
            return Ok(verdict);
        }
        let count: i64 = s.num(args.get(at + 1))?;
        position += count;
        at += 2 + count * (2 + args.get(at).len());
    }
    let named: bool = admission.named.get().is_some();
    if !named && admission.exceptions.len() == position * 2 {
        return Ok(text!(b""));
    }
    if named {
        place_named(s, admission, args)?;
    }
    let open: bool = is_open(s, base)?;
    for run in admission.runs.iter() {
        if run.expire > 0 {
            s.zcard(&[Arg::Text(s.concat(&[base, text!(b"ttl")]))])?;
        }
    }
    if admission.later.len() + admission.lanes.len() > 0 {
        read_targets(s, admission, pending)?;
    }
    if admission.heard.get() > 0 {
        tell_admitted(s, admission, args)?;
    }
    add_members(s, pending, admission.flat)?;
    add_members(s, s.concat(&[base, text!(b"schedule")]), admission.later)?;
    for run in admission.runs.iter() {
        write_run(s, admission, run, args)?;
    }
    if admission.lanes.len() > 0 {
        add_to_lanes(s, admission)?;
    }
    if named {
        write_named(s, admission, args)?;
    }
    push_if_claimable(s, base, open)?;
    if admission.later.len() > 0 {
        let head: List<'a, Text<'a>> = s.zrange(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Int(0), Arg::Int(0)])?;
        if head.len() > 0 && admission.admitted.get(head.get(0)) == Some(text!(b"scheduled")) {
            push(s, s.concat(&[base, text!(b"wake")]))?;
        }
    }
    return Ok(text!(b""));
}