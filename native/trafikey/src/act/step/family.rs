// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Telling the parents of a job of its end: in two steps, as every act reads before it writes.
//!
//! Whoever ends a job notes the end before the first write, and tells it when the job has ended. An end that was told
//! once is not told again: whoever removes a job that is over has nothing to tell.

use crate::runtime::*;
use crate::act::step::kin::{Kin, call_deliverer, queue_of, read_kin, signal_done, signal_failed};
use crate::act::step::parent::{REMOVED_ERROR, Told, child_done, child_failed, nothing_told, read_parent};
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
    if kin.far.len() > 0 && !told.outbox.get() {
        call_deliverer(s, base)?;
        told.outbox.set(true);
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
    if !told.outbox.get() {
        call_deliverer(s, base)?;
        told.outbox.set(true);
    }
    return Ok(Some(s.make(Notice { kin: s.make(Kin { parent: text!(b""), child: kin.child, policy: kin.policy, far: others, here: Here::new() }), open: false, here: Here::new() })));
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