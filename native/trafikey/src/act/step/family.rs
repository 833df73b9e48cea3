// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Telling the parents of a job of its end: in two steps, as every act reads before it writes.
//!
//! Whoever ends a job notes the end before the first write, and tells it when the job has ended. An end that was told
//! once is not told again: whoever removes a job that is over has nothing to tell.

use crate::runtime::*;
use crate::act::step::kin::{Kin, Told, call_deliverer, nothing_told, queue_of, read_kin, signal_done, signal_failed};
use crate::act::step::parent::{REMOVED_ERROR, child_done, child_failed, children_done, read_parent};
use crate::act::step::wake::{is_open};

/// Parents that are to hear of an end, and whether a parent that is released by it is to wake a worker.
pub struct Notice<'a> {
    pub kin: &'a Kin<'a>,
    pub open: bool,
    pub here: Here<'a>,
}

/// Notes the end of a job that has parents.
#[cold]
pub fn note_kin<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, parent: Text<'a>, how: Text<'a>, error: Text<'a>, wakes: bool, before: Option<&'a Told<'a>>) -> Act<&'a Notice<'a>> {
    let told: &'a Told<'a> = if before.is_none() { nothing_told(s) } else { before.unwrap() };
    let kin: &'a Kin<'a> = read_kin(s, base, id, parent, true)?;
    let mut open: bool = false;
    if kin.parent != text!(b"") {
        open = wakes && is_open(s, base)?;
        read_parent(s, base, kin.parent, kin.child, how, kin.policy, error, told)?;
    }
    if kin.far.len() > 0 {
        call_deliverer(s, base, told)?;
    }
    return Ok(s.make(Notice { kin: kin, open: open, here: Here::new() }));
}

/// Notes an end before the first write; `false` for a job without parents. `parent` is that field of its row, `how` is
/// `done`, `failed` or `removed`, and `wakes` is whether a parent that is released wakes a worker: not in a `TURN`,
/// which sees to all work that it leaves. `told` is what an act that ends many jobs has told, `false` for any other.
pub fn note_end<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, parent: Option<Text<'a>>, how: Text<'a>, error: Text<'a>, wakes: bool, told: Option<&'a Told<'a>>) -> Act<Option<&'a Notice<'a>>> {
    return Ok(if parent.is_none() { None } else { Some(note_kin(s, base, id, parent.unwrap(), how, error, wakes, told)?) });
}

/// Notes that a job goes with its whole queue: parents of the same queue go too. `false` when nobody is left to hear of
/// it.
#[cold]
pub fn note_last<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, parent: Text<'a>, told: &'a Told<'a>) -> Act<Option<&'a Notice<'a>>> {
    let kin: &'a Kin<'a> = read_kin(s, base, id, parent, true)?;
    let own: Text<'a> = queue_of(base);
    let others: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let stop: i64 = kin.far.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let at: i64 = others.len();
            if kin.far.get(i) != own {
                {
                    let mut part: i64 = 0;
                    while part < 4 {
                        others.set(at + part, kin.far.get(i + part));
                        part += 1;
                    }
                }
            }
            i += 4;
        }
    }
    if others.len() == 0 {
        return Ok(None);
    }
    call_deliverer(s, base, told)?;
    return Ok(Some(s.make(Notice { kin: s.make(Kin { parent: text!(b""), child: kin.child, policy: kin.policy, far: others, here: Here::new() }), open: false, here: Here::new() })));
}

/// Completions of children that one act gathers: ids, their parents, and results, by the same place in each list.
pub struct Completions<'a> {
    pub ids: List<'a, Text<'a>>,
    pub parents: List<'a, Text<'a>>,
    pub results: List<'a, Option<Text<'a>>>,
    pub here: Here<'a>,
}

/// A list of none.
pub fn no_completions<'a>(s: &Server<'a>) -> &'a Completions<'a> {
    return s.make(Completions { ids: s.list::<Text<'a>>(&[]), parents: s.list::<Text<'a>>(&[]), results: s.list::<Option<Text<'a>>>(&[]), here: Here::new() });
}

/// Notes the completions of a run before the first write: all of them together, which costs far less than one by one. A
/// parent that they release wakes nobody: the act sees to all work that it leaves.
#[cold]
pub fn note_run<'a>(s: &Server<'a>, base: Text<'a>, done: &'a Completions<'a>) -> Act<List<'a, &'a Kin<'a>>> {
    let kins: List<'a, &'a Kin<'a>> = s.list::<&'a Kin<'a>>(&[]);
    let told: &'a Told<'a> = nothing_told(s);
    let stop: i64 = done.ids.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let kin: &'a Kin<'a> = read_kin(s, base, done.ids.get(i), done.parents.get(i), true)?;
            if kin.parent != text!(b"") {
                read_parent(s, base, kin.parent, kin.child, text!(b"done"), kin.policy, text!(b""), told)?;
            }
            if kin.far.len() > 0 {
                call_deliverer(s, base, told)?;
            }
            kins.set(i, kin);
            i += 1;
        }
    }
    return Ok(kins);
}

/// The completions of one parent's children.
pub struct Fold<'a> {
    pub parent: Text<'a>,
    pub children: List<'a, Text<'a>>,
    pub results: List<'a, Text<'a>>,
    pub here: Here<'a>,
}

/// Tells the completions of a run, each parent of the same queue once for all its children.
#[cold]
pub fn tell_run<'a>(s: &Server<'a>, base: Text<'a>, kins: List<'a, &'a Kin<'a>>, results: List<'a, Option<Text<'a>>>) -> Act<()> {
    let folds: List<'a, &'a Fold<'a>> = s.list::<&'a Fold<'a>>(&[]);
    let places: Dict<'a, &'a Fold<'a>> = s.dict();
    let stop: i64 = kins.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let kin: &'a Kin<'a> = kins.get(i);
            let result: Option<Text<'a>> = results.pick(i);
            if kin.parent != text!(b"") {
                let mut fold: Option<&'a Fold<'a>> = places.get(s.concat(&[text!(b"p:"), kin.parent]));
                if fold.is_none() {
                    fold = Some(s.make(Fold { parent: kin.parent, children: s.list::<Text<'a>>(&[]), results: s.list::<Text<'a>>(&[]), here: Here::new() }));
                    places.set(s.concat(&[text!(b"p:"), kin.parent]), fold.unwrap());
                    folds.push(fold.unwrap());
                }
                fold.unwrap().children.push(kin.child);
                fold.unwrap().results.push(if result.is_none() { kin.child } else { result.unwrap() });
            }
            signal_done(s, base, kin, result)?;
            i += 1;
        }
    }
    for fold in folds.iter() {
        children_done(s, base, fold.parent, fold.children, fold.results, false)?;
    }
    Ok(())
}

/// Tells that a job has completed. `result` is `false` for none, which is told as the job's id.
pub fn tell_done<'a>(s: &Server<'a>, base: Text<'a>, ending: Option<&'a Notice<'a>>, result: Option<Text<'a>>) -> Act<()> {
    if ending.is_none() {
        return Ok(());
    }
    let kin: &'a Kin<'a> = ending.unwrap().kin;
    if kin.parent != text!(b"") {
        child_done(s, base, kin.parent, kin.child, if result.is_none() { kin.child } else { result.unwrap() }, ending.unwrap().open)?;
    }
    signal_done(s, base, kin, result)?;
    Ok(())
}

/// Tells that a job is dead.
pub fn tell_dead<'a>(s: &Server<'a>, base: Text<'a>, ending: Option<&'a Notice<'a>>, error: Text<'a>) -> Act<()> {
    if ending.is_none() {
        return Ok(());
    }
    let kin: &'a Kin<'a> = ending.unwrap().kin;
    if kin.parent != text!(b"") {
        child_failed(s, base, kin.parent, kin.child, error, kin.policy, false, ending.unwrap().open)?;
    }
    signal_failed(s, base, kin, error, false)?;
    Ok(())
}

/// Tells that a job was removed before it was over.
pub fn tell_gone<'a>(s: &Server<'a>, base: Text<'a>, ending: Option<&'a Notice<'a>>) -> Act<()> {
    if ending.is_none() {
        return Ok(());
    }
    let kin: &'a Kin<'a> = ending.unwrap().kin;
    if kin.parent != text!(b"") {
        child_failed(s, base, kin.parent, kin.child, REMOVED_ERROR, kin.policy, true, ending.unwrap().open)?;
    }
    signal_failed(s, base, kin, REMOVED_ERROR, true)?;
    Ok(())
}