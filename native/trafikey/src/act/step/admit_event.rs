// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! What one `ADMIT` tells on the channel `events`: each job that it admits, and each row that a name kept from becoming
//! one. All of it goes out before the first write, when everything has been decided.

use crate::runtime::*;
use crate::act::step::admission::{Admission, Run, offset_of, state_of};
use crate::act::step::dedup_rows::{Named};
use crate::act::step::event::{tell};

/// The value of a letter in the row at `at`, empty where the shape has no such letter.
pub fn value_of<'a>(run: &'a Run<'a>, args: List<'a, Text<'a>>, at: i64, letter: Text<'a>) -> Text<'a> {
    let offset: i64 = offset_of(run.shape, letter);
    return if offset > 0 { args.get(at + offset) } else { text!(b"") };
}

/// Tells that the row at `at` becomes a job.
pub fn tell_added<'a>(s: &Server<'a>, base: Text<'a>, run: &'a Run<'a>, args: List<'a, Text<'a>>, at: i64, id: Text<'a>, state: Text<'a>) -> Act<()> {
    let name: Text<'a> = value_of(run, args, at, text!(b"n"));
    let alias: Text<'a> = s.concat(&[value_of(run, args, at, text!(b"j")), value_of(run, args, at, text!(b"k"))]);
    let more: List<'a, Text<'a>> = s.list(&[text!(b"state"), state, text!(b"name"), name, text!(b"lane"), value_of(run, args, at, text!(b"g")), text!(b"alias"), alias]);
    tell(s, base, text!(b"added"), id, more)?;
    Ok(())
}

/// The word for what became of a row that is no job, empty for what is not told: an id that exists already.
pub fn word_of<'a>(code: Value<'a>) -> Text<'a> {
    if code == Value::from(1) {
        return text!(b"jobId");
    }
    if code == Value::from(2) {
        return text!(b"held");
    }
    return if code == Value::from(3) { text!(b"replaced") } else { text!(b"") };
}

/// The alias of a job that stands for a row, as this act leaves it; `known` has those that it writes.
pub fn holder_alias<'a>(s: &Server<'a>, base: Text<'a>, known: Dict<'a, Text<'a>>, id: Text<'a>) -> Act<Text<'a>> {
    let planned: Option<Text<'a>> = known.get(s.concat(&[text!(b"s:"), id]));
    if planned.is_some() {
        return Ok(planned.unwrap());
    }
    let stored: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"alias"))])?;
    return Ok(if stored.is_none() { text!(b"") } else { stored.unwrap() });
}

/// Tells of the rows that a name held back, or whose values went to another job. Exceptions stand in order.
pub fn tell_held_back<'a>(s: &Server<'a>, admission: &'a Admission<'a>, named: &'a Named<'a>, args: List<'a, Text<'a>>) -> Act<()> {
    let known: Dict<'a, Text<'a>> = s.dict();
    for entry in named.entries.iter() {
        known.set(s.concat(&[text!(b"s:"), entry.id]), entry.alias.get());
    }
    let exceptions: List<'a, Value<'a>> = admission.exceptions;
    let stop: i64 = args.len();
    let mut next: i64 = 0;
    let mut at: i64 = 0;
    let mut position: i64 = 0;
    while at < stop {
        let shape: Text<'a> = args.get(at);
        let count: i64 = s.num(args.get(at + 1))?;
        let width: i64 = 2 + shape.len();
        while next < exceptions.len() && (exceptions.get(next).int()) < position + count {
            let row: i64 = at + 2 + ((exceptions.get(next).int()) - position) * width;
            let verdict: List<'a, Value<'a>> = exceptions.get(next + 1).members();
            let how: Text<'a> = word_of(verdict.get(0));
            let dedup: Text<'a> = if offset_of(shape, text!(b"d")) > 0 && verdict.get(0) != Value::from(1) { args.get(row + offset_of(shape, text!(b"d"))) } else { text!(b"") };
            if how != text!(b"") {
                let holder: Text<'a> = verdict.get(1).text();
                let alias: Text<'a> = holder_alias(s, admission.base, known, holder)?;
                let more: List<'a, Text<'a>> = s.list(&[text!(b"how"), how, text!(b"refused"), args.get(row), text!(b"dedup"), dedup, text!(b"alias"), alias]);
                tell(s, admission.base, text!(b"deduplicated"), holder, more)?;
            }
            next += 2;
        }
        position += count;
        at += 2 + count * width;
    }
    Ok(())
}

/// Tells what an act admits and what it does not.
#[cold]
pub fn tell_admitted<'a>(s: &Server<'a>, admission: &'a Admission<'a>, args: List<'a, Text<'a>>) -> Act<()> {
    let base: Text<'a> = admission.base;
    for run in admission.runs.iter() {
        for at in run.fresh.iter() {
            tell_added(s, base, run, args, at, args.get(at), state_of(admission, args.get(at)))?;
        }
    }
    let named: Option<&'a Named<'a>> = admission.named.get();
    if named.is_none() {
        return Ok(());
    }
    for entry in named.unwrap().entries.iter() {
        if entry.stored.len() == 0 {
            tell_added(s, base, entry.run.get(), args, entry.at.get(), entry.id, entry.state.get())?;
        }
    }
    tell_held_back(s, admission, named.unwrap(), args)?;
    Ok(())
}