// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `CHILD`: admits a child of a parent that waits for it, here or in another queue, links and job in one act.
//!
//! A job that exists, or that holds a deduplication id or an alias of the child, stands for it: it is linked to the
//! parents under the child's id, so they wait for the job that there is.

use crate::runtime::*;
use crate::act::check::flow::child::{check_child};
use crate::act::step::bound::{due_in};
use crate::act::step::event::{heard_by};
use crate::act::step::flow_job::{read_job_place, state_of, tell_added, value_of, width_of_job, write_job};
use crate::act::step::link::{add_parent, link_existing, link_fields};
use crate::act::step::row::{NO_JOB_ID, is_job_id};
use crate::act::step::wake::{is_open, push_if_claimable, push_if_head};

/// Where the job of a call stands.
pub const JOB_AT: i64 = 3;

/// Where the links to parents stand: before the job, and behind it.
pub fn links_of<'a>(s: &Server<'a>, args: List<'a, Text<'a>>) -> List<'a, i64> {
    let links: List<'a, i64> = s.list(&[0]);
    let stop: i64 = args.len();
    {
        let mut at: i64 = JOB_AT + width_of_job(args.get(JOB_AT));
        while at < stop {
            links.push(at + 1);
            at += 5;
        }
    }
    return links;
}

/// The job that holds an alias, as id and state; empty when its row is gone.
pub fn holder_of<'a>(s: &Server<'a>, base: Text<'a>, name: Text<'a>) -> Act<List<'a, Text<'a>>> {
    let id: Option<Text<'a>> = s.get(&[Arg::Text(s.concat(&[base, text!(b"de:"), name]))])?;
    if id.is_none() || !s.branded(id.unwrap()) {
        return Ok(s.list::<Text<'a>>(&[]));
    }
    let state: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id.unwrap()])), Arg::Word(text!(b"state"))])?;
    return Ok(if state.is_none() { s.list::<Text<'a>>(&[]) } else { s.list(&[id.unwrap(), state.unwrap()]) });
}

/// Lets the names of the child hold it.
pub fn write_names<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, dedup: Text<'a>, ms: Text<'a>, alias: Text<'a>) -> Act<()> {
    if dedup != text!(b"") && ms != text!(b"") {
        s.set(&[Arg::Text(s.concat(&[base, text!(b"de:"), dedup])), Arg::Text(id), Arg::Word(text!(b"PXAT")), Arg::Int(due_in(s, s.num(ms)?))])?;
    } else if dedup != text!(b"") {
        s.set(&[Arg::Text(s.concat(&[base, text!(b"de:"), dedup])), Arg::Text(id)])?;
    }
    if alias != text!(b"") {
        s.set(&[Arg::Text(s.concat(&[base, text!(b"de:"), alias])), Arg::Text(id)])?;
    }
    Ok(())
}

/// Lets the job `id` stand for the child; answers `reply`, or the refusal.
pub fn stand_in<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, args: List<'a, Text<'a>>, reply: Value<'a>) -> Act<Value<'a>> {
    let links: List<'a, i64> = links_of(s, args);
    for at in links.iter() {
        if args.get(at) == id {
            return Ok(Value::Error(text!(b"EMQSTATE job is its own parent")));
        }
    }
    let full: Text<'a> = link_existing(s, base, id, args, links, args.get(JOB_AT + 1))?;
    return Ok(if full == text!(b"") { reply } else { Value::Error(full) });
}

/// Keys: row, pending, base. Arguments: link, job, groups. Answers 1, 0, or the verdict of a name.
pub fn child<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_child(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(2);
    let id: Text<'a> = args.get(JOB_AT + 1);
    if !is_job_id(id) {
        return Ok(Value::Error(NO_JOB_ID));
    }
    if s.exists(&[Arg::Text(keys.get(0))])? == 1 {
        return Ok(stand_in(s, base, id, args, Value::from(0))?);
    }
    let alias: Text<'a> = value_of(args, JOB_AT, text!(b"j"));
    let named: List<'a, Text<'a>> = if alias == text!(b"") { s.list::<Text<'a>>(&[]) } else { holder_of(s, base, alias)? };
    if named.len() > 0 {
        return Ok(stand_in(s, base, named.get(0), args, Value::from(s.list(&[Value::from(1), Value::from(named.get(0)), Value::from(named.get(1))])))?);
    }
    let dedup: Text<'a> = value_of(args, JOB_AT, text!(b"d"));
    let held: List<'a, Text<'a>> = if dedup == text!(b"") { s.list::<Text<'a>>(&[]) } else { holder_of(s, base, dedup)? };
    if held.len() > 0 && held.get(1) != text!(b"dead") && held.get(1) != text!(b"completed") {
        return Ok(stand_in(s, base, held.get(0), args, Value::from(s.list(&[Value::from(2), Value::from(held.get(0))])))?);
    }
    let open: bool = is_open(s, base)?;
    read_job_place(s, base, args, JOB_AT)?;
    if heard_by(s, base)? > 0 {
        tell_added(s, base, args, JOB_AT, state_of(s, base, args, JOB_AT)?)?;
    }
    let links: List<'a, i64> = links_of(s, args);
    let state: Text<'a> = write_job(s, base, args, JOB_AT, link_fields(s, base, args, 0, text!(b"")))?;
    {
        let mut i: i64 = 1;
        while i < links.len() {
            add_parent(s, base, keys.get(0), args, links.get(i), text!(b""))?;
            i += 1;
        }
    }
    write_names(s, base, id, dedup, value_of(args, JOB_AT, text!(b"t")), alias)?;
    push_if_claimable(s, base, open)?;
    if state == text!(b"scheduled") {
        push_if_head(s, base, id)?;
    }
    return Ok(Value::from(1));
}