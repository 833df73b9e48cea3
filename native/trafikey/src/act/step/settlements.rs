// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! The settlements of `TURN`: runs of (op, count, row…) of equal kind.
//!
//! `c` id, token: completed · `r` id, token, result: completed with a result · `f` id, token, delay ms, max, error:
//! failed · `k` id, token, error: dead at once · `d` id, token, ms: delayed by · `a` id, token, ms: delayed until · `b`
//! id, token: given back · `l` id, token, ms: given back, and nothing of the queue is claimed for that long. Each is
//! judged alone; a refused one stops nothing and is reported with the verdict that its own verb would give.
//!
//! `t` keep_n, keep_ms, dead_n, dead_ms, result_ms is no settlement and has no position: it says the terms on which the
//! jobs that end after it in this act are kept (step/retain.ts). Most turns have none and complete what they complete
//! without a look at retention.

use crate::runtime::*;
use crate::act::step::bound::{NUMBER_MAX, due_in};
use crate::act::step::bulk::{remove_members};
use crate::act::step::dedup::{Names, let_go, read_names};
use crate::act::step::event::{tell_completed};
use crate::act::step::family::{Completions, Notice, no_completions, note_end, note_run, tell_done, tell_run};
use crate::act::step::kin::{Kin};
use crate::act::step::lane::{read_lanes, release_lane};
use crate::act::step::limit::{let_rest};
use crate::act::step::presence::{PRESENCE_WIDTH, bad_presence};
use crate::act::step::put_back::{defer, fail, give_up, kill};
use crate::act::step::result::{done_outcome, leave_outcome, tell_waiters, waited_until};
use crate::act::step::retain::{Terms, ask_queue, drop_oldest, find_oldest, keep, plain_terms};
use crate::act::step::row::{NO_JOB_ID, delete_row, is_job_id};
use crate::act::step::settle::{end_lease, judge, leave_place, read_holder};
use crate::act::step::tally::{read_tally, tally};
use crate::act::step::waiting::{read_place};

/// Settlements and claims of one act together, at most.
pub const TURN_MAX: i64 = 1000;

/// Keys of one `DEL` of rows: as many as the server takes from a script without making them anew.
pub const DOOMED_MAX: i64 = 28;

/// What an act tells about its settlements.
pub struct Settled<'a> {
    /// Position from 0 and verdict, for what did not go as asked.
    pub exceptions: List<'a, Value<'a>>,
    /// The jobs that this act scheduled.
    pub scheduled: List<'a, Text<'a>>,
    /// How many settlements there were so far.
    pub count: Cell<i64>,
    /// Whether nothing was settled but flat jobs that were active and are completed: no lane and no set but `active`.
    pub flat: Cell<bool>,
    /// Whether this act let the queue rest.
    pub rested: Cell<bool>,
    /// What is kept of jobs that end; `false` while nobody said, which removes completed jobs and keeps dead ones.
    pub terms: Cell<Option<&'a Terms<'a>>>,
    /// Whether completed jobs simply go by these terms.
    pub plain: Cell<bool>,
    /// Whether anybody listens to events.
    pub heard: i64,
    pub here: Here<'a>,
}

/// Arguments of one row of an op, 0 for an unknown op.
pub fn width_of<'a>(op: Text<'a>) -> i64 {
    if op == text!(b"c") || op == text!(b"b") {
        return 2;
    }
    if op == text!(b"r") || op == text!(b"k") || op == text!(b"d") || op == text!(b"a") || op == text!(b"l") {
        return 3;
    }
    return if op == text!(b"f") || op == text!(b"t") { 5 } else { 0 };
}

/// The name of a bad value behind the token of an op that has one, empty when all suit.
pub fn bad_row<'a>(s: &Server<'a>, op: Text<'a>, args: List<'a, Text<'a>>, at: i64) -> Text<'a> {
    if op != text!(b"f") {
        return if s.int(args.get(at + 2), 0, NUMBER_MAX) { text!(b"") } else { text!(b"ms") };
    }
    if !(s.int(args.get(at + 2), 0, NUMBER_MAX)) {
        return text!(b"delay_ms");
    }
    return if s.int(args.get(at + 3), 0, 2147483648) { text!(b"") } else { text!(b"max_attempts") };
}

/// The name of the first bad value of the terms at position `at`.
#[cold]
pub fn bad_terms<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, at: i64) -> Text<'a> {
    if args.get(at) != text!(b"") && !s.int(args.get(at), 0, NUMBER_MAX) {
        return text!(b"keep_n");
    }
    if !(s.int(args.get(at + 1), 0, NUMBER_MAX)) {
        return text!(b"keep_ms");
    }
    if !(s.int(args.get(at + 2), 0, NUMBER_MAX)) {
        return text!(b"dead_n");
    }
    if !(s.int(args.get(at + 3), 0, NUMBER_MAX)) {
        return text!(b"dead_ms");
    }
    return if s.int(args.get(at + 4), 0, NUMBER_MAX) { text!(b"") } else { text!(b"result_ms") };
}

/// The name of the first bad value behind the tokens of a run, empty when all suit.
#[cold]
pub fn bad_rows<'a>(s: &Server<'a>, op: Text<'a>, args: List<'a, Text<'a>>, from: i64, past: i64) -> Text<'a> {
    let width: i64 = width_of(op);
    {
        let mut row: i64 = from;
        while row < past {
            let bad: Text<'a> = bad_row(s, op, args, row);
            if bad != text!(b"") {
                return bad;
            }
            row += width;
        }
    }
    return text!(b"");
}

/// The name of the first bad value of one run.
pub fn bad_run<'a>(s: &Server<'a>, op: Text<'a>, args: List<'a, Text<'a>>, from: i64, past: i64) -> Text<'a> {
    let width: i64 = width_of(op);
    if op == text!(b"t") {
        return bad_terms(s, args, from);
    }
    // Tokens of one turn are mostly equal, so the last good one stands for the next.
    let mut good: Text<'a> = text!(b"0");
    {
        let mut row: i64 = from;
        while row < past {
            let token: Text<'a> = args.get(row + 1);
            if token != good && !s.int(token, 0, NUMBER_MAX) {
                return text!(b"token");
            }
            good = token;
            row += width;
        }
    }
    return if op == text!(b"f") || op == text!(b"d") || op == text!(b"a") || op == text!(b"l") { bad_rows(s, op, args, from, past) } else { text!(b"") };
}

/// The name of the first bad argument from position `from` on; `want` stands before it and shares the budget.
pub fn bad_settlement<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, from: i64) -> Act<Text<'a>> {
    let stop: i64 = args.len();
    let mut at: i64 = from;
    let mut units: i64 = s.num(args.get(from - 1))?;
    if at < stop && args.get(at) == text!(b"w") {
        let bad: Text<'a> = bad_presence(s, args, at);
        if bad != text!(b"") {
            return Ok(bad);
        }
        at += PRESENCE_WIDTH;
    }
    while at < stop {
        let op: Text<'a> = args.get(at);
        let width: i64 = width_of(op);
        if width == 0 {
            return Ok(text!(b"op"));
        }
        if at + 1 >= stop || !(s.int(args.get(at + 1), 1, if op == text!(b"t") { 1 } else { TURN_MAX })) {
            return Ok(text!(b"count"));
        }
        let count: i64 = s.num(args.get(at + 1))?;
        let past: i64 = at + 2 + count * width;
        if op != text!(b"t") {
            units += count;
        }
        if units > TURN_MAX {
            return Ok(text!(b"count"));
        }
        if past > stop {
            return Ok(text!(b"row"));
        }
        let bad: Text<'a> = bad_run(s, op, args, at + 2, past);
        if bad != text!(b"") {
            return Ok(bad);
        }
        at = past;
    }
    return Ok(text!(b""));
}

/// Adds an exception.
pub fn except<'a>(settled: &'a Settled<'a>, position: i64, verdict: Text<'a>) {
    let exceptions: List<'a, Value<'a>> = settled.exceptions;
    exceptions.push(Value::from(position));
    exceptions.push(Value::from(verdict));
}

/// Completes one job by itself: kept as the terms say, or removed. `holder` is what `readHolder` says of it. Answers the
/// verdict, empty when it is completed.
#[cold]
pub fn complete_one<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, token: Text<'a>, holder: List<'a, Option<Text<'a>>>, result: Option<Text<'a>>, terms: &'a Terms<'a>) -> Act<Text<'a>> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
    let verdict: Text<'a> = judge(holder, token, text!(b"0"), text!(b"EMQSTALE complete token mismatch"));
    if verdict != text!(b"") {
        return Ok(verdict);
    }
    let is_kept: bool = terms.done_count.get() > 0;
    let names: Option<&'a Names<'a>> = read_names(s, base, id, holder.pick(8), !is_kept)?;
    read_place(s, base, holder.pick(3))?;
    read_tally(s, base, text!(b"completed"))?;
    if is_kept {
        s.zcard(&[Arg::Text(s.concat(&[base, text!(b"completed")]))])?;
        s.zcard(&[Arg::Text(s.concat(&[base, text!(b"expiry")]))])?;
    }
    let until: i64 = waited_until(s, holder.pick(9), terms.result_ms.get())?;
    if until > 0 {
        tell_waiters(s, base, id)?;
    }
    let notice: Option<&'a Notice<'a>> = note_end(s, base, id, holder.pick(10), text!(b"done"), text!(b""), terms.wakes.get(), None)?;
    if terms.heard.get() > 0 {
        tell_completed(s, base, terms.heard.get(), id, token, holder.pick(8), result)?;
    }
    if is_kept {
        end_lease(s, base, id, holder)?;
        s.hset(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"completed")), Arg::Word(text!(b"finished_at")), Arg::Int(s.now())])?;
        if result.is_some() {
            s.hset(&[Arg::Text(row), Arg::Word(text!(b"result")), Arg::Text(result.unwrap())])?;
        }
        keep(s, base, text!(b"completed"), id, terms.done_ms.get())?;
    } else {
        leave_place(s, base, id, holder)?;
        delete_row(s, row)?;
    }
    tally(s, base, text!(b"completed"), 1)?;
    tell_done(s, base, notice, result)?;
    let_go(s, base, names)?;
    if until > 0 {
        leave_outcome(s, base, id, done_outcome(s, result), until)?;
    }
    return Ok(text!(b""));
}

/// The terms of a turn that has been told none.
#[cold]
pub fn terms_untold<'a>(s: &Server<'a>, settled: &'a Settled<'a>) -> &'a Terms<'a> {
    let terms: &'a Terms<'a> = plain_terms(s);
    terms.heard.set(settled.heard);
    terms.wakes.set(false);
    return terms;
}

/// Completes what is not simply an active job with the current token that goes with its end: one that lapsed and waits,
/// one that is kept, that has names, or whose result is waited for, or none. `read` is what the run read of its row.
/// Answers the verdict, which it adds to the exceptions unless it is empty.
#[cold]
pub fn complete_other<'a>(s: &Server<'a>, base: Text<'a>, settled: &'a Settled<'a>, args: List<'a, Text<'a>>, at: i64, width: i64, read: List<'a, Option<Text<'a>>>, position: i64) -> Act<Text<'a>> {
    let is_flat: bool = read.pick(1) == Some(text!(b"active")) && read.pick(2).is_none() && read.pick(3).is_none() && read.pick(5).is_none();
    if !is_flat {
        settled.flat.set(false);
    }
    let terms: &'a Terms<'a> = if settled.terms.get().is_none() { terms_untold(s, settled) } else { settled.terms.get().unwrap() };
    let result: Option<Text<'a>> = if width > 2 { Some(args.get(at + 2)) } else { None };
    let holder: List<'a, Option<Text<'a>>> = read_holder(s, s.concat(&[base, text!(b"job:"), args.get(at)]))?;
    let verdict: Text<'a> = complete_one(s, base, args.get(at), args.get(at + 1), holder, result, terms)?;
    if verdict != text!(b"") {
        except(settled, position, verdict);
    }
    return Ok(verdict);
}

/// What the completions of one run have in common, gathered before the first is written.
pub struct Ending<'a> {
    /// Ids that leave `active`.
    pub members: List<'a, Text<'a>>,
    /// The rows of those that are completed.
    pub rows: List<'a, Text<'a>>,
    pub groups: List<'a, Text<'a>>,
    /// What is told: id, token and result of each. Empty while nobody listens.
    pub told: List<'a, Option<Text<'a>>>,
    /// Those that have parents; one list of none while there is none.
    pub children: Cell<Option<&'a Completions<'a>>>,
    pub here: Here<'a>,
}

/// Gathers what is told of one completion.
pub fn gather_told<'a>(ending: &'a Ending<'a>, args: List<'a, Text<'a>>, at: i64, width: i64) {
    let told: List<'a, Option<Text<'a>>> = ending.told;
    let place: i64 = told.len();
    told.set(place, Some(args.get(at)));
    told.set(place + 1, Some(args.get(at + 1)));
    told.set(place + 2, if width > 2 { Some(args.get(at + 2)) } else { None });
}

/// Gathers one completion of a job that has parents.
pub fn gather_child<'a>(s: &Server<'a>, ending: &'a Ending<'a>, parent: Text<'a>, args: List<'a, Text<'a>>, at: i64, width: i64) {
    let kids: &'a Completions<'a> = if ending.children.get().is_none() { no_completions(s) } else { ending.children.get().unwrap() };
    let next: i64 = kids.ids.len();
    kids.ids.set(next, args.get(at));
    kids.parents.set(next, parent);
    kids.results.set(next, if width > 2 { Some(args.get(at + 2)) } else { None });
    ending.children.set(Some(kids));
}

/// Gathers what the completion of a job of a lane or with parents takes besides its end, or of one that is heard of.
#[cold]
pub fn gather_more<'a>(s: &Server<'a>, ending: &'a Ending<'a>, settled: &'a Settled<'a>, args: List<'a, Text<'a>>, at: i64, width: i64, group: Option<Text<'a>>, parent: Option<Text<'a>>) {
    if group.is_some() {
        ending.groups.push(group.unwrap());
    }
    if group.is_some() || parent.is_some() {
        settled.flat.set(false);
    }
    if settled.heard > 0 {
        gather_told(ending, args, at, width);
    }
    if parent.is_some() {
        gather_child(s, ending, parent.unwrap(), args, at, width);
    }
}

/// Tells what a run has gathered.
#[cold]
pub fn tell_ended<'a>(s: &Server<'a>, base: Text<'a>, heard: i64, ending: &'a Ending<'a>) -> Act<()> {
    let told: List<'a, Option<Text<'a>>> = ending.told;
    let stop: i64 = told.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let id: Option<Text<'a>> = told.pick(i);
            let token: Option<Text<'a>> = told.pick(i + 1);
            if id.is_some() && token.is_some() {
                tell_completed(s, base, heard, id.unwrap(), token.unwrap(), None, told.pick(i + 2))?;
            }
            i += 3;
        }
    }
    Ok(())
}

/// Deletes every key of jobs of which one had more keys than ordinary ones.
#[cold]
pub fn delete_rest<'a>(s: &Server<'a>, rows: List<'a, Text<'a>>, from: i64, past: i64) -> Act<()> {
    {
        let mut i: i64 = from;
        while i < past {
            delete_row(s, rows.get(i))?;
            i += 1;
        }
    }
    Ok(())
}

/// Deletes what says who the parents of these jobs are.
#[cold]
pub fn delete_parents<'a>(s: &Server<'a>, base: Text<'a>, ids: List<'a, Text<'a>>) -> Act<()> {
    for id in ids.iter() {
        s.del(&[Arg::Text(s.concat(&[base, text!(b"job:"), id, text!(b":parents")]))])?;
    }
    Ok(())
}

/// Deletes the rows of a run. Logs, lock and the count of children go with each, unseen. Other side keys are deleted
/// only if there was one of those, as no parent of a flow is without the count: an ordinary job pays for three keys and
/// not for nine.
pub fn delete_ended<'a>(s: &Server<'a>, rows: List<'a, Text<'a>>) -> Act<()> {
    let stop: i64 = rows.len();
    let mut doomed: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let mut at: i64 = 0;
    {
        let mut i: i64 = 0;
        while i < stop {
            let row: Text<'a> = rows.get(i);
            doomed.set(at, row);
            doomed.set(at + 1, s.concat(&[row, text!(b":logs")]));
            doomed.set(at + 2, s.concat(&[row, text!(b":lock")]));
            doomed.set(at + 3, s.concat(&[row, text!(b":dependencies")]));
            at += 4;
            if at == DOOMED_MAX || i == stop - 1 {
                let jobs: i64 = at / 4;
                if s.del(s.spread(&[], doomed))? > jobs {
                    delete_rest(s, rows, i + 1 - jobs, i + 1)?;
                }
                // The list serves again while all its places are taken again.
                if stop - 1 - i < DOOMED_MAX / 4 {
                    doomed = s.list::<Text<'a>>(&[]);
                }
                at = 0;
            }
            i += 1;
        }
    }
    Ok(())
}

/// Reads the lanes that a run is going to release.
#[cold]
pub fn read_ending<'a>(s: &Server<'a>, base: Text<'a>, groups: List<'a, Text<'a>>) -> Act<()> {
    read_lanes(s, base, groups, 1)?;
    Ok(())
}

/// Counts one leased job less in each of these lanes.
#[cold]
pub fn release_all<'a>(s: &Server<'a>, base: Text<'a>, groups: List<'a, Text<'a>>) -> Act<()> {
    for group in groups.iter() {
        release_lane(s, base, group)?;
    }
    Ok(())
}

/// Ends what a run has gathered: one `ZREM` for the leases, then the rows, then one step of the counter.
pub fn end_run<'a>(s: &Server<'a>, base: Text<'a>, heard: i64, ending: &'a Ending<'a>) -> Act<()> {
    let completed: i64 = ending.rows.len();
    if completed > 0 {
        if ending.groups.len() > 0 {
            read_ending(s, base, ending.groups)?;
        }
        read_tally(s, base, text!(b"completed"))?;
    }
    let children: Option<&'a Completions<'a>> = ending.children.get();
    let kins: List<'a, &'a Kin<'a>> = if children.is_none() { s.list::<&'a Kin<'a>>(&[]) } else { note_run(s, base, children.unwrap())? };
    if heard > 0 {
        tell_ended(s, base, heard, ending)?;
    }
    remove_members(s, s.concat(&[base, text!(b"active")]), ending.members)?;
    if completed == 0 {
        return Ok(());
    }
    delete_ended(s, ending.rows)?;
    if children.is_some() {
        delete_parents(s, base, children.unwrap().ids)?;
    }
    if ending.groups.len() > 0 {
        release_all(s, base, ending.groups)?;
    }
    tally(s, base, text!(b"completed"), completed)?;
    if children.is_some() {
        tell_run(s, base, kins, children.unwrap().results)?;
    }
    Ok(())
}

/// Takes away the oldest kept jobs beyond their number after a run that may have added `added`.
#[cold]
pub fn trim_completed<'a>(s: &Server<'a>, base: Text<'a>, settled: &'a Settled<'a>, added: i64) -> Act<()> {
    let terms: Option<&'a Terms<'a>> = settled.terms.get();
    if terms.is_none() || terms.unwrap().done_count.get() <= 0 {
        return Ok(());
    }
    drop_oldest(s, base, text!(b"completed"), find_oldest(s, base, text!(b"completed"), terms.unwrap().done_count.get(), 0, added)?)?;
    Ok(())
}

/// Begins the table of the rows of a run with those completed so far, since their ids ascend no more.
#[cold]
pub fn tabulate_rows<'a>(seen: Dict<'a, bool>, rows: List<'a, Text<'a>>) {
    for row in rows.iter() {
        seen.set(row, true);
    }
}

/// Completes a run of jobs. An id that stands twice in it is gone the second time. While each that is completed comes
/// behind the one before, as ids minted by one host do, none stands twice; from the first that does not, a table says
/// which do.
pub fn complete_run<'a>(s: &Server<'a>, base: Text<'a>, settled: &'a Settled<'a>, args: List<'a, Text<'a>>, from: i64, width: i64, position: i64) -> Act<()> {
    let past: i64 = from + s.num(args.get(from - 1))? * width;
    let prefix: Text<'a> = s.concat(&[base, text!(b"job:")]);
    let members: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let rows: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let ending: &'a Ending<'a> = s.make(Ending { members: members, rows: rows, groups: s.list::<Text<'a>>(&[]), told: s.list::<Option<Text<'a>>>(&[]), children: Cell::new(None), here: Here::new() });
    let seen: Dict<'a, bool> = s.dict();
    let mut ascends: bool = true;
    let mut last: Text<'a> = text!(b"");
    let plain: bool = settled.plain.get();
    let heard: i64 = settled.heard;
    let mut place: i64 = position;
    let mut leaving: i64 = 0;
    let mut completed: i64 = 0;
    {
        let mut at: i64 = from;
        while at < past {
            let id: Text<'a> = args.get(at);
            let row: Text<'a> = s.concat(&[prefix, id]);
            let token: Text<'a> = args.get(at + 1);
            let holder: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(row), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"state")), Arg::Word(text!(b"group")), Arg::Word(text!(b"dedup")), Arg::Word(text!(b"wait")), Arg::Word(text!(b"parent"))])?;
            let is_held: bool = plain && holder.pick(0) == Some(token) && token != text!(b"0");
            if ascends && id <= last {
                tabulate_rows(seen, rows);
                ascends = false;
            }
            if !ascends && seen.get(row) == Some(true) {
                except(settled, place, text!(b"0"));
            } else if is_held && holder.pick(1) == Some(text!(b"active")) && holder.pick(3).is_none() && holder.pick(4).is_none() {
                let group: Option<Text<'a>> = holder.pick(2);
                let parent: Option<Text<'a>> = holder.pick(5);
                if !ascends {
                    seen.set(row, true);
                }
                last = id;
                members.set(leaving, id);
                rows.set(completed, row);
                leaving += 1;
                completed += 1;
                if group.is_some() || parent.is_some() || heard > 0 {
                    gather_more(s, ending, settled, args, at, width, group, parent);
                }
            } else {
                let verdict: Text<'a> = complete_other(s, base, settled, args, at, width, holder, place)?;
                // A row that is gone may have left a member in `active`; it goes with the others.
                if verdict == text!(b"0") {
                    members.set(leaving, id);
                    leaving += 1;
                }
            }
            place += 1;
            at += width;
        }
    }
    end_run(s, base, heard, ending)?;
    if !plain {
        trim_completed(s, base, settled, place - position)?;
    }
    Ok(())
}

/// The token refusal of an op, in the words of its own verb.
pub fn stale_text<'a>(op: Text<'a>) -> Text<'a> {
    if op == text!(b"b") || op == text!(b"l") {
        return text!(b"EMQSTALE giveback token mismatch");
    }
    return if op == text!(b"f") || op == text!(b"k") { text!(b"EMQSTALE retry token mismatch") } else { text!(b"EMQSTALE delay token mismatch") };
}

/// Settles one job that lives on; answers the verdict, empty when it went as asked.
pub fn settle_one<'a>(s: &Server<'a>, base: Text<'a>, settled: &'a Settled<'a>, op: Text<'a>, args: List<'a, Text<'a>>, at: i64) -> Act<Text<'a>> {
    let id: Text<'a> = args.get(at);
    if (op == text!(b"d") || op == text!(b"a")) && !is_job_id(id) {
        return Ok(NO_JOB_ID);
    }
    let holder: List<'a, Option<Text<'a>>> = read_holder(s, s.concat(&[base, text!(b"job:"), id]))?;
    let refusal: Text<'a> = judge(holder, args.get(at + 1), text!(b"EMQSTALE job gone"), stale_text(op));
    if refusal != text!(b"") {
        return Ok(refusal);
    }
    if op == text!(b"b") {
        give_up(s, base, id, holder)?;
        return Ok(text!(b""));
    }
    if op == text!(b"l") {
        s.zcard(&[Arg::Text(s.concat(&[base, text!(b"rest")]))])?;
        give_up(s, base, id, holder)?;
        let_rest(s, base, text!(b""), due_in(s, s.num(args.get(at + 2))?))?;
        settled.rested.set(true);
        return Ok(text!(b""));
    }
    if op == text!(b"k") {
        kill(s, base, id, holder, args.get(at + 2), if settled.terms.get().is_none() { terms_untold(s, settled) } else { settled.terms.get().unwrap() })?;
        return Ok(text!(b""));
    }
    if op == text!(b"f") {
        let terms: &'a Terms<'a> = if settled.terms.get().is_none() { terms_untold(s, settled) } else { settled.terms.get().unwrap() };
        let word: Text<'a> = fail(s, base, id, holder, s.num(args.get(at + 2))?, s.num(args.get(at + 3))?, args.get(at + 4), terms)?;
        if word == text!(b"dead") {
            return Ok(word);
        }
    } else {
        let ms: i64 = s.num(args.get(at + 2))?;
        defer(s, base, id, holder, if op == text!(b"d") { due_in(s, ms) } else { ms }, settled.heard)?;
    }
    settled.scheduled.push(id);
    return Ok(text!(b""));
}

/// Settles a run of jobs that live on, or die.
#[cold]
pub fn settle_run<'a>(s: &Server<'a>, base: Text<'a>, settled: &'a Settled<'a>, args: List<'a, Text<'a>>, from: i64, width: i64, position: i64) -> Act<()> {
    let op: Text<'a> = args.get(from - 2);
    let past: i64 = from + s.num(args.get(from - 1))? * width;
    settled.flat.set(false);
    let mut place: i64 = position;
    {
        let mut at: i64 = from;
        while at < past {
            let verdict: Text<'a> = settle_one(s, base, settled, op, args, at)?;
            if verdict != text!(b"") {
                except(settled, place, verdict);
            }
            place += 1;
            at += width;
        }
    }
    Ok(())
}

/// Lets the terms hold from here on, with what the queue says where they say nothing.
pub fn set_terms<'a>(s: &Server<'a>, base: Text<'a>, settled: &'a Settled<'a>, terms: &'a Terms<'a>) -> Act<()> {
    ask_queue(s, base, terms)?;
    settled.terms.set(Some(terms));
    settled.plain.set(terms.done_count.get() <= 0 && terms.result_ms.get() == 0);
    Ok(())
}

/// Takes the terms at position `at` for the runs that follow.
#[cold]
pub fn take_terms<'a>(s: &Server<'a>, base: Text<'a>, settled: &'a Settled<'a>, args: List<'a, Text<'a>>, at: i64) -> Act<()> {
    let terms: &'a Terms<'a> = s.make(Terms { done_count: Cell::new(if args.get(at) == text!(b"") { -1 } else { s.num(args.get(at))? }), done_ms: Cell::new(s.num(args.get(at + 1))?), dead_count: Cell::new(s.num(args.get(at + 2))?), dead_ms: Cell::new(s.num(args.get(at + 3))?), result_ms: Cell::new(s.num(args.get(at + 4))?), heard: Cell::new(settled.heard), wakes: Cell::new(false), here: Here::new() });
    set_terms(s, base, settled, terms)?;
    Ok(())
}

/// Takes the terms of the queue.
#[cold]
pub fn take_queue_terms<'a>(s: &Server<'a>, base: Text<'a>, settled: &'a Settled<'a>) -> Act<()> {
    set_terms(s, base, settled, terms_untold(s, settled))?;
    Ok(())
}

/// Settles every run from position `from` on. `isBare`: the queue has no `meta`, so it says nothing about retention.
/// `heard`: what `heardBy` says.
pub fn settle_all<'a>(s: &Server<'a>, base: Text<'a>, args: List<'a, Text<'a>>, from: i64, is_bare: bool, heard: i64) -> Act<&'a Settled<'a>> {
    let settled: &'a Settled<'a> = s.make(Settled { exceptions: s.list::<Value<'a>>(&[]), scheduled: s.list::<Text<'a>>(&[]), count: Cell::new(0), flat: Cell::new(true), rested: Cell::new(false), terms: Cell::new(None), plain: Cell::new(true), heard: heard, here: Here::new() });
    if !is_bare && from < args.len() {
        take_queue_terms(s, base, settled)?;
    }
    let stop: i64 = args.len();
    let mut at: i64 = from;
    while at < stop {
        let op: Text<'a> = args.get(at);
        let count: i64 = s.num(args.get(at + 1))?;
        let width: i64 = width_of(op);
        if op == text!(b"t") {
            take_terms(s, base, settled, args, at + 2)?;
        } else {
            if op == text!(b"c") || op == text!(b"r") {
                complete_run(s, base, settled, args, at + 2, width, settled.count.get())?;
            } else {
                settle_run(s, base, settled, args, at + 2, width, settled.count.get())?;
            }
            settled.count.set(settled.count.get() + count);
        }
        at += 2 + count * width;
    }
    return Ok(settled);
}