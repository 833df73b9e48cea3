// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! The parents of a job: who hears of its end, and how.
//!
//! The row names the first parent (`parent`, `parent_queue`, `parent_policy`); `job:<id>:parents` holds further ones. A
//! first parent of the same queue hears of the end in the very act (step/parent.ts). All others hear of it by a signal
//! in `flow:outbox`, which a delivering service carries to the parent's queue, as no act touches two queues. A row
//! without the field `parent` has no parents at all, so a job of no flow pays for that field and nothing else.
//!
//! A job that stands for a deduplicated child is known to the parent by the child's id, not by its own: `parent_as` in
//! the row, or behind the parent's id in the field of `parents`.
//!
//! Whoever fills an empty outbox says so on the channel `control`, before the first write: a channel right that is
//! missing ends the act while nothing is lost.

use crate::runtime::*;

/// Policy words. The last two are known to the parent alone: on the way a signal says `id` for them.
pub const FAIL_PARENT: Text<'static> = text!(b"fp");

pub const IGNORE: Text<'static> = text!(b"id");

pub const CONTINUE: Text<'static> = text!(b"co");

pub const FORGET: Text<'static> = text!(b"rm");

/// Further parents that a job may have.
pub const PARENTS_MAX: i64 = 1000;

/// The refusal of one more.
pub const PARENTS_FULL: Text<'static> = text!(b"EMQFULL parents of a job");

/// Who hears of the end of a job.
pub struct Kin<'a> {
    /// The parent of the same queue that hears of it in the act, empty for none.
    pub parent: Text<'a>,
    /// The id under which that parent knows the job, and what the job's failure means to it: `fp` or `id`.
    pub child: Text<'a>,
    pub policy: Text<'a>,
    /// Those that hear of it by a signal: queue, parent's id, child's id, policy in turn.
    pub far: List<'a, Text<'a>>,
    pub here: Here<'a>,
}

/// The name of the queue of a base key.
pub fn queue_of<'a>(base: Text<'a>) -> Text<'a> {
    return base.slice(5, -2);
}

/// The policy that a signal carries: `fp`, or `id` for all others.
pub fn policy_of<'a>(word: Option<Text<'a>>) -> Text<'a> {
    return if word == Some(text!(b"id")) { IGNORE } else { FAIL_PARENT };
}

/// Reads the parents of a job. `parent` is that field of its row; `near` is whether a first parent of the same queue is
/// told in the act.
#[cold]
pub fn read_kin<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, parent: Text<'a>, near: bool) -> Act<&'a Kin<'a>> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
    let own: Text<'a> = queue_of(base);
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(row), Arg::Word(text!(b"parent_queue")), Arg::Word(text!(b"parent_policy")), Arg::Word(text!(b"parent_as"))])?;
    let further: List<'a, Text<'a>> = s.hgetall(&[Arg::Text(s.concat(&[row, text!(b":parents")]))])?;
    let far: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let child: Text<'a> = if fields.pick(2).is_none() { id } else { fields.pick(2).unwrap() };
    let policy: Text<'a> = policy_of(fields.pick(1));
    let queue: Text<'a> = if fields.pick(0).is_none() || fields.pick(0) == Some(text!(b"")) { own } else { fields.pick(0).unwrap() };
    let is_near: bool = near && queue == own;
    if s.branded(parent) && parent != id && !is_near {
        far.set(0, queue);
        far.set(1, parent);
        far.set(2, child);
        far.set(3, policy);
    }
    let stop: i64 = further.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let field: Text<'a> = further.get(i);
            let value: Text<'a> = further.get(i + 1);
            let at: i64 = far.len();
            far.set(at, if value.len() > 3 { value.from(3) } else { own });
            far.set(at + 1, field.slice(0, 14));
            far.set(at + 2, if field.len() > 14 { field.from(15) } else { id });
            far.set(at + 3, policy_of(Some(value.slice(0, 2))));
            i += 2;
        }
    }
    return Ok(s.make(Kin { parent: if is_near && s.branded(parent) && parent != id { parent } else { text!(b"") }, child: child, policy: policy, far: far, here: Here::new() }));
}

/// What an act has said before its first write, so that it says nothing twice.
pub struct Told<'a> {
    /// Whether the deliverer has been called.
    pub outbox: Cell<bool>,
    /// `p:<id>` to whether the act decides on that parent already, which later children of the act cannot change.
    pub decided: Dict<'a, bool>,
    /// `p:<id>` to whether what the end of a child writes to of that parent has been read.
    pub read: Dict<'a, bool>,
    pub here: Here<'a>,
}

/// An act that has said nothing.
pub fn nothing_told<'a>(s: &Server<'a>) -> &'a Told<'a> {
    return s.make(Told { outbox: Cell::new(false), decided: s.dict(), read: s.dict(), here: Here::new() });
}

/// Says that the outbox is about to be filled, unless it is filled already or the act has said so. To be called before
/// the first write.
#[cold]
pub fn call_deliverer<'a>(s: &Server<'a>, base: Text<'a>, told: &'a Told<'a>) -> Act<()> {
    if told.outbox.get() {
        return Ok(());
    }
    told.outbox.set(true);
    if s.llen(&[Arg::Text(s.concat(&[base, text!(b"flow:outbox")]))])? == 0 {
        s.publish(&[Arg::Text(s.concat(&[base, text!(b"control")])), Arg::Word(text!(b"f"))])?;
    }
    Ok(())
}

/// Signals a completion to all that do not hear of it in the act. `result` is `false` for none.
#[cold]
pub fn signal_done<'a>(s: &Server<'a>, base: Text<'a>, kin: &'a Kin<'a>, result: Option<Text<'a>>) -> Act<()> {
    let far: List<'a, Text<'a>> = kin.far;
    let stop: i64 = far.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let said: Text<'a> = if result.is_none() { far.get(i + 2) } else { result.unwrap() };
            s.rpush(&[Arg::Text(s.concat(&[base, text!(b"flow:outbox")])), Arg::Text(s.concat(&[far.get(i), text!(b"\x00"), far.get(i + 1), text!(b"\x00"), far.get(i + 2), text!(b"\x00"), said]))])?;
            i += 4;
        }
    }
    Ok(())
}

/// Signals a failure to all that do not hear of it in the act. A removal counts as ignored, whatever the policy.
#[cold]
pub fn signal_failed<'a>(s: &Server<'a>, base: Text<'a>, kin: &'a Kin<'a>, error: Text<'a>, is_removed: bool) -> Act<()> {
    let far: List<'a, Text<'a>> = kin.far;
    let stop: i64 = far.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let policy: Text<'a> = if is_removed { IGNORE } else { far.get(i + 3) };
            let head: Text<'a> = s.concat(&[text!(b"\x00fail\x00"), far.get(i), text!(b"\x00"), far.get(i + 1), text!(b"\x00"), far.get(i + 2)]);
            s.rpush(&[Arg::Text(s.concat(&[base, text!(b"flow:outbox")])), Arg::Text(s.concat(&[head, text!(b"\x00"), policy, text!(b"\x00"), error]))])?;
            i += 4;
        }
    }
    Ok(())
}