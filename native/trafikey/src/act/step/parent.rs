// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! What the end of a child means to its parent, in the parent's own queue.
//!
//! `:dependencies` counts the open children. A child counts once, by the first of its ends that arrives: when it is new
//! in `:processed` or `:unsuccessful` and was in neither. `:children` names the children that the parent was told of; a
//! child that is not named there is recorded and not counted, as the parent may be told of it later. A parent without
//! that key comes from a foreign speaker, whose children all count. Only a parent in state `awaiting_children` is
//! released or killed. A parent whose row is gone hears of nothing, so no key of it comes back.
//!
//! Of two ends of one child the later says what is: a child that was dead and has completed leaves the failures.

use crate::runtime::*;
use crate::act::step::bound::{NUMBER_MAX, due_in};
use crate::act::step::bury::{bury};
use crate::act::step::dedup::{Names, let_go, read_names};
use crate::act::step::event::{heard_by, tell_of_job};
use crate::act::step::kin::{CONTINUE, FAIL_PARENT, FORGET, IGNORE, Told, call_deliverer, read_kin, signal_failed};
use crate::act::step::result::{tell_waiters, waited_until};
use crate::act::step::retain::{plain_terms};
use crate::act::step::tally::{read_tally};
use crate::act::step::waiting::{let_wait, read_place};
use crate::act::step::wake::{push_if_claimable, push_if_head};

/// What stands in `:children` in the place of the policy of a child that is forgotten.
pub const FORGOTTEN: Text<'static> = text!(b"-");

/// Whether what a parent knows of a child says that it is forgotten.
pub fn is_forgotten<'a>(s: &Server<'a>, known: Option<Text<'a>>) -> bool {
    return known.is_some() && s.char(known.unwrap(), 0) == FORGOTTEN;
}

/// The error under which a child that was removed stands among the ignored failures.
pub const REMOVED_ERROR: Text<'static> = text!(b"removed");

/// How many children a count says are open; what is no count says none.
pub fn open_in<'a>(s: &Server<'a>, count: Option<Text<'a>>) -> Act<i64> {
    return Ok(if count.is_some() && s.int(count.unwrap(), 0, NUMBER_MAX) { s.num(count.unwrap())? } else { 0 });
}

/// The policy of a failed child: what its parent was told, else what came with the news.
pub fn policy_for<'a>(known: Option<Text<'a>>, told: Text<'a>, is_removed: bool) -> Text<'a> {
    let word: Text<'a> = if known.is_none() { told } else { known.unwrap().slice(0, 2) };
    return if is_removed && word != FORGET { IGNORE } else { word };
}

/// Says what a parent's death says, and reads what it writes to.
pub fn read_kill<'a>(s: &Server<'a>, base: Text<'a>, parent: Text<'a>, fields: List<'a, Option<Text<'a>>>, error: Text<'a>, told: &'a Told<'a>) -> Act<()> {
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"dead")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"ttl")]))])?;
    read_tally(s, base, text!(b"failed"))?;
    read_names(s, base, parent, fields.pick(2), false)?;
    if fields.pick(4).is_some() {
        s.hlen(&[Arg::Text(s.concat(&[base, text!(b"job:"), parent, text!(b":parents")]))])?;
        call_deliverer(s, base, told)?;
    }
    if waited_until(s, fields.pick(3), 0)? > 0 {
        tell_waiters(s, base, parent)?;
    }
    if heard_by(s, base)? > 0 {
        tell_of_job(s, base, text!(b"dead"), parent, fields.pick(2), s.list(&[text!(b"error"), error]))?;
    }
    Ok(())
}

/// Reads all that the end of a child may write to of its parent, before the first write, and says what that end is going
/// to say. `how` is `done`, `failed` or `removed`.
#[cold]
pub fn read_parent<'a>(s: &Server<'a>, base: Text<'a>, parent: Text<'a>, child: Text<'a>, how: Text<'a>, policy: Text<'a>, error: Text<'a>, told: &'a Told<'a>) -> Act<()> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), parent]);
    // Only a failure decides on more than the child itself.
    if how != text!(b"failed") && told.read.get(s.concat(&[text!(b"p:"), parent])) == Some(true) {
        return Ok(());
    }
    told.read.set(s.concat(&[text!(b"p:"), parent]), true);
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"group")), Arg::Word(text!(b"dedup")), Arg::Word(text!(b"wait")), Arg::Word(text!(b"parent"))])?;
    if fields.pick(0).is_none() {
        return Ok(());
    }
    let known: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[row, text!(b":children")])), Arg::Text(child)])?;
    let is_done: bool = s.hexists(&[Arg::Text(s.concat(&[row, text!(b":processed")])), Arg::Text(child)])? == 1;
    let is_ignored: bool = s.hexists(&[Arg::Text(s.concat(&[row, text!(b":unsuccessful")])), Arg::Text(child)])? == 1;
    let is_failed: bool = s.hexists(&[Arg::Text(s.concat(&[row, text!(b":failed")])), Arg::Text(child)])? == 1;
    s.get(&[Arg::Text(s.concat(&[row, text!(b":dependencies")]))])?;
    if fields.pick(0) != Some(text!(b"awaiting_children")) {
        return Ok(());
    }
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"awaiting")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"schedule")]))])?;
    read_place(s, base, fields.pick(1))?;
    if how == text!(b"done") || is_done || is_ignored || is_forgotten(s, known) {
        return Ok(());
    }
    let word: Text<'a> = policy_for(known, policy, how == text!(b"removed"));
    if word != FAIL_PARENT && word != CONTINUE {
        return Ok(());
    }
    if word == FAIL_PARENT && !is_failed && told.decided.get(s.concat(&[text!(b"p:"), parent])) != Some(true) {
        read_kill(s, base, parent, fields, error, told)?;
    }
    told.decided.set(s.concat(&[text!(b"p:"), parent]), true);
    Ok(())
}

/// Takes a parent from where it waits for its children.
pub fn stop_awaiting<'a>(s: &Server<'a>, base: Text<'a>, parent: Text<'a>) -> Act<()> {
    s.zrem(&[Arg::Text(s.concat(&[base, text!(b"awaiting")])), Arg::Text(parent)])?;
    s.zrem(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Text(parent)])?;
    Ok(())
}

/// The fields of a parent that say how it is released.
pub fn release_fields<'a>(s: &Server<'a>) -> List<'a, Text<'a>> {
    s.list(&[text!(b"state"), text!(b"group"), text!(b"priority"), text!(b"wait_until"), text!(b"attempts"), text!(b"delay")])
}

/// Lets a parent rest for its own delay, which counts from now: its children are what it waited for before.
pub fn let_parent_rest<'a>(s: &Server<'a>, base: Text<'a>, parent: Text<'a>, delay: Text<'a>) -> Act<()> {
    s.hset(&[Arg::Text(s.concat(&[base, text!(b"job:"), parent])), Arg::Word(text!(b"state")), Arg::Word(text!(b"scheduled"))])?;
    s.zadd(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Int(due_in(s, s.num(delay)?)), Arg::Text(parent)])?;
    push_if_head(s, base, parent)?;
    Ok(())
}

/// Lets a parent run, which has then not waited in vain: a time that it set ends with this. One that has never run may
/// have a delay. `open` is whether to wake a worker for it, if that is what the queue lets happen.
pub fn release_parent<'a>(s: &Server<'a>, base: Text<'a>, parent: Text<'a>, fields: List<'a, Option<Text<'a>>>, open: bool) -> Act<()> {
    stop_awaiting(s, base, parent)?;
    let delay: Option<Text<'a>> = fields.pick(5);
    if delay.is_some() && fields.pick(4) == Some(text!(b"0")) && s.int(delay.unwrap(), 1, NUMBER_MAX) {
        let_parent_rest(s, base, parent, delay.unwrap())?;
        return Ok(());
    }
    if fields.pick(3).is_some() {
        s.hdel(&[Arg::Text(s.concat(&[base, text!(b"job:"), parent])), Arg::Word(text!(b"wait_until"))])?;
    }
    s.hset(&[Arg::Text(s.concat(&[base, text!(b"job:"), parent])), Arg::Word(text!(b"state")), Arg::Word(text!(b"pending"))])?;
    let_wait(s, base, parent, fields.pick(1), fields.pick(2))?;
    if open {
        push_if_claimable(s, base, true)?;
    }
    Ok(())
}

/// Ends a parent because of a child. Its own parents hear of it by signals, also the one of its queue, so an act kills
/// one level; answers whether there are any. An entry in `ttl` has the next sweep keep it as the terms of its worker
/// say.
#[cold]
pub fn kill_parent<'a>(s: &Server<'a>, base: Text<'a>, parent: Text<'a>, child: Text<'a>, error: Text<'a>) -> Act<bool> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), parent]);
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(row), Arg::Word(text!(b"dedup")), Arg::Word(text!(b"wait")), Arg::Word(text!(b"parent"))])?;
    let names: Option<&'a Names<'a>> = read_names(s, base, parent, fields.pick(0), false)?;
    stop_awaiting(s, base, parent)?;
    s.hdel(&[Arg::Text(row), Arg::Word(text!(b"expires"))])?;
    s.hset(&[Arg::Text(row), Arg::Word(text!(b"failed_child")), Arg::Text(child)])?;
    s.zadd(&[Arg::Text(s.concat(&[base, text!(b"ttl")])), Arg::Int(s.now()), Arg::Text(parent)])?;
    bury(s, base, parent, error, plain_terms(s), waited_until(s, fields.pick(1), 0)?)?;
    let own: Option<Text<'a>> = fields.pick(2);
    if own.is_some() {
        signal_failed(s, base, read_kin(s, base, parent, own.unwrap(), false)?, error, false)?;
    }
    let_go(s, base, names)?;
    return Ok(own.is_some());
}

/// The count of open children, which every parent has from then on: whoever deletes its row finds the rest by it.
pub fn count_in<'a>(s: &Server<'a>, row: Text<'a>) -> Act<Option<Text<'a>>> {
    let count: Option<Text<'a>> = s.get(&[Arg::Text(s.concat(&[row, text!(b":dependencies")]))])?;
    if count.is_none() {
        s.set(&[Arg::Text(s.concat(&[row, text!(b":dependencies")])), Arg::Int(0)])?;
    }
    return Ok(count);
}

/// Counts open children less; answers how many are left, -1 where nothing was counted.
pub fn count_down<'a>(s: &Server<'a>, row: Text<'a>, by: i64) -> Act<i64> {
    let count: Option<Text<'a>> = count_in(s, row)?;
    if count.is_none() || by == 0 {
        return Ok(-1);
    }
    let left: i64 = i64::max(0, open_in(s, Some(count.unwrap()))? - by);
    s.set(&[Arg::Text(s.concat(&[row, text!(b":dependencies")])), Arg::Int(left)])?;
    return Ok(left);
}

/// Completions of children of one parent, and what they come to.
pub struct Gathered<'a> {
    /// Child and result in turn, of those that are news.
    pub pairs: List<'a, Text<'a>>,
    /// Those of them that had failed and were ignored.
    pub healed: List<'a, Text<'a>>,
    /// How many of them count.
    pub counted: Cell<i64>,
    pub here: Here<'a>,
}

/// Finds out which of up to `CHILDREN_AT_ONCE` completions are news to a parent.
pub fn gather_news<'a>(s: &Server<'a>, row: Text<'a>, children: List<'a, Text<'a>>, results: List<'a, Text<'a>>) -> Act<&'a Gathered<'a>> {
    let known: List<'a, Option<Text<'a>>> = s.hmget(s.spread(&[Arg::Text(s.concat(&[row, text!(b":children")]))], children))?;
    let done: List<'a, Option<Text<'a>>> = s.hmget(s.spread(&[Arg::Text(s.concat(&[row, text!(b":processed")]))], children))?;
    let ignored: List<'a, Option<Text<'a>>> = s.hmget(s.spread(&[Arg::Text(s.concat(&[row, text!(b":unsuccessful")]))], children))?;
    let gathered: &'a Gathered<'a> = s.make(Gathered { pairs: s.list::<Text<'a>>(&[]), healed: s.list::<Text<'a>>(&[]), counted: Cell::new(0), here: Here::new() });
    let stop: i64 = children.len();
    let mut is_listed: i64 = -1;
    {
        let mut i: i64 = 0;
        while i < stop {
            if done.pick(i).is_none() && !is_forgotten(s, known.pick(i)) {
                gathered.pairs.push(children.get(i));
                gathered.pairs.push(results.get(i));
                if known.pick(i).is_none() && is_listed < 0 {
                    is_listed = s.exists(&[Arg::Text(s.concat(&[row, text!(b":children")]))])?;
                }
                if ignored.pick(i).is_some() {
                    gathered.healed.push(children.get(i));
                } else if known.pick(i).is_some() || is_listed == 0 {
                    gathered.counted.set(gathered.counted.get() + 1);
                }
            }
            i += 1;
        }
    }
    return Ok(gathered);
}

/// Children of one step, well below what a call can spread.
pub const CHILDREN_AT_ONCE: i64 = 200;

/// Tells a parent that children have completed, each once in the list; answers how many were news. The first write is
/// one that a full server admits.
pub fn children_done<'a>(s: &Server<'a>, base: Text<'a>, parent: Text<'a>, children: List<'a, Text<'a>>, results: List<'a, Text<'a>>, open: bool) -> Act<i64> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), parent]);
    let fields: List<'a, Option<Text<'a>>> = s.hmget(s.spread(&[Arg::Text(row)], release_fields(s)))?;
    if fields.pick(0).is_none() {
        return Ok(0);
    }
    let mut news: i64 = 0;
    let mut counted: i64 = 0;
    let mut part: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let mut said: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let stop: i64 = children.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            part.push(children.get(i));
            said.push(results.get(i));
            if part.len() >= CHILDREN_AT_ONCE || i == stop - 1 {
                let gathered: &'a Gathered<'a> = gather_news(s, row, part, said)?;
                if gathered.pairs.len() > 0 {
                    s.hdel(s.spread(&[Arg::Text(s.concat(&[row, text!(b":failed")]))], part))?;
                    s.hset(s.spread(&[Arg::Text(s.concat(&[row, text!(b":processed")]))], gathered.pairs))?;
                    if gathered.healed.len() > 0 {
                        s.hdel(s.spread(&[Arg::Text(s.concat(&[row, text!(b":unsuccessful")]))], gathered.healed))?;
                    }
                    news += gathered.pairs.len() / 2;
                    counted += gathered.counted.get();
                }
                part = s.list::<Text<'a>>(&[]);
                said = s.list::<Text<'a>>(&[]);
            }
            i += 1;
        }
    }
    if news == 0 {
        return Ok(0);
    }
    let left: i64 = count_down(s, row, counted)?;
    if left == 0 && fields.pick(0) == Some(text!(b"awaiting_children")) {
        release_parent(s, base, parent, fields, open)?;
    }
    return Ok(news);
}

/// Tells a parent that a child has completed. Answers 1, or 0 when it says nothing new.
#[cold]
pub fn child_done<'a>(s: &Server<'a>, base: Text<'a>, parent: Text<'a>, child: Text<'a>, result: Text<'a>, open: bool) -> Act<i64> {
    return Ok(children_done(s, base, parent, s.list(&[child]), s.list(&[result]), open)?);
}

/// Records a failure that does not end the parent; answers whether it lets the parent run.
pub fn ignore_failure<'a>(s: &Server<'a>, row: Text<'a>, child: Text<'a>, error: Text<'a>, known: Option<Text<'a>>, word: Text<'a>) -> Act<bool> {
    if word == FORGET && known.is_some() {
        s.hset(&[Arg::Text(s.concat(&[row, text!(b":children")])), Arg::Text(child), Arg::Text(s.concat(&[FORGOTTEN, known.unwrap().from(2)]))])?;
    } else {
        s.hset(&[Arg::Text(s.concat(&[row, text!(b":unsuccessful")])), Arg::Text(child), Arg::Text(error)])?;
    }
    let is_counted: bool = known.is_some() || s.exists(&[Arg::Text(s.concat(&[row, text!(b":children")]))])? == 0;
    return Ok(count_down(s, row, if is_counted { 1 } else { 0 })? == 0 || word == CONTINUE);
}

/// Tells a parent that a child has failed, or was removed. `policy` is what the news says, for a parent that was not
/// told of the child. Answers 1, 2 when the parent is dead by it and has signalled its own parents, or 0 when it says
/// nothing new. The first write is one that a full server admits.
#[cold]
pub fn child_failed<'a>(s: &Server<'a>, base: Text<'a>, parent: Text<'a>, child: Text<'a>, error: Text<'a>, policy: Text<'a>, is_removed: bool, open: bool) -> Act<i64> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), parent]);
    let fields: List<'a, Option<Text<'a>>> = s.hmget(s.spread(&[Arg::Text(row)], release_fields(s)))?;
    let state: Option<Text<'a>> = fields.pick(0);
    if state.is_none() || s.hexists(&[Arg::Text(s.concat(&[row, text!(b":processed")])), Arg::Text(child)])? == 1 {
        return Ok(0);
    }
    if s.hexists(&[Arg::Text(s.concat(&[row, text!(b":unsuccessful")])), Arg::Text(child)])? == 1 {
        return Ok(0);
    }
    let known: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[row, text!(b":children")])), Arg::Text(child)])?;
    if is_forgotten(s, known) {
        return Ok(0);
    }
    let word: Text<'a> = policy_for(known, policy, is_removed);
    if word == FAIL_PARENT {
        if s.hexists(&[Arg::Text(s.concat(&[row, text!(b":failed")])), Arg::Text(child)])? == 1 {
            return Ok(0);
        }
        s.hdel(&[Arg::Text(s.concat(&[row, text!(b":processed")])), Arg::Text(child)])?;
        s.hset(&[Arg::Text(s.concat(&[row, text!(b":failed")])), Arg::Text(child), Arg::Text(error)])?;
        if s.exists(&[Arg::Text(s.concat(&[row, text!(b":dependencies")]))])? == 0 {
            s.set(&[Arg::Text(s.concat(&[row, text!(b":dependencies")])), Arg::Int(0)])?;
        }
        if state == Some(text!(b"awaiting_children")) && kill_parent(s, base, parent, child, error)? {
            return Ok(2);
        }
        return Ok(1);
    }
    s.hdel(&[Arg::Text(s.concat(&[row, text!(b":failed")])), Arg::Text(child)])?;
    let may_run: bool = ignore_failure(s, row, child, error, known, word)?;
    let is_waiting: bool = state == Some(text!(b"awaiting_children"));
    // One that has run and rests is going to ask again whether it has to wait; one that never ran has not asked.
    let asks: bool = state == Some(text!(b"active")) || (is_waiting && fields.pick(4) != Some(text!(b"0")));
    if word == CONTINUE && asks {
        s.hset(&[Arg::Text(row), Arg::Word(text!(b"eager")), Arg::Word(text!(b"1"))])?;
    }
    if may_run && is_waiting {
        release_parent(s, base, parent, fields, open)?;
    }
    return Ok(1);
}