// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! The names of a job: its deduplication id and its alias, each a key that holds the job's id, and the job that is to
//! run after it.
//!
//! Whoever ends a job asks for its names before the first write, and lets them go after the last. A deduplication id
//! goes when the job is over, so that the next one is admitted; an alias goes with the row, since a finished job that is
//! kept can still be asked for. Only a key that holds this very job goes: another job may have taken the name since.
//!
//! A row without the field `dedup` has neither, so most jobs pay for no more than that field; a row that has only an
//! alias holds it empty.

use crate::runtime::*;
use crate::act::step::wake::{push_if_head};

/// The score in `schedule` of a job that runs after another: an instant that never comes. It is moved by the end of the
/// other, or by whoever promotes it.
pub const PARKED_AT: i64 = 9007199254740991;

/// What the end of a job lets go.
pub struct Names<'a> {
    /// Keys that hold the job.
    pub keys: List<'a, Text<'a>>,
    /// The key of its deduplication id if the job that runs next may take it, and that job; empty for none.
    pub key: Text<'a>,
    pub next: Text<'a>,
    /// The instant before which that job does not run, `false` for none.
    pub at: Option<Text<'a>>,
    /// The key of the alias that the next job waits for, empty for none.
    pub alias: Text<'a>,
    pub here: Here<'a>,
}

/// Whether a key is free once the job `id` is over.
pub fn is_free<'a>(held: Option<Text<'a>>, id: Text<'a>) -> bool {
    return held.is_none() || held == Some(id);
}

/// Reads the names of a job that is ending. `rowGoes` is whether its row goes too, and with it its alias.
#[cold]
pub fn read_names_of<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, dedup: Text<'a>, row_goes: bool) -> Act<&'a Names<'a>> {
    let own: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"alias")), Arg::Word(text!(b"next"))])?;
    let keys: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let mut key: Text<'a> = if dedup == text!(b"") { text!(b"") } else { s.concat(&[base, text!(b"de:"), dedup]) };
    let holder: Option<Text<'a>> = if key == text!(b"") { None } else { s.get(&[Arg::Text(key)])? };
    if holder == Some(id) {
        keys.set(0, key);
    }
    if !is_free(holder, id) {
        key = text!(b"");
    }
    if row_goes && own.pick(0).is_some() && own.pick(0) != Some(text!(b"")) {
        let alias: Text<'a> = s.concat(&[base, text!(b"de:"), own.pick(0).unwrap()]);
        if s.get(&[Arg::Text(alias)])? == Some(id) {
            keys.push(alias);
        }
    }
    let next: Option<Text<'a>> = own.pick(1);
    if next.is_none() {
        return Ok(s.make(Names { keys: keys, key: key, next: text!(b""), at: None, alias: text!(b""), here: Here::new() }));
    }
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), next.unwrap()])), Arg::Word(text!(b"state")), Arg::Word(text!(b"alias")), Arg::Word(text!(b"follow_at")), Arg::Word(text!(b"dedup"))])?;
    // One that follows under another name, which this job had as its alias, would never let go of this one.
    if fields.pick(3) != Some(dedup) {
        key = text!(b"");
    }
    let score: Option<Text<'a>> = s.zscore(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Text(next.unwrap())])?;
    if fields.pick(0) != Some(text!(b"scheduled")) || score.is_none() || s.num(score.unwrap())? != PARKED_AT {
        return Ok(s.make(Names { keys: keys, key: key, next: text!(b""), at: None, alias: text!(b""), here: Here::new() }));
    }
    let mut alias: Text<'a> = text!(b"");
    if fields.pick(1).is_some() && fields.pick(1) != Some(text!(b"")) {
        alias = s.concat(&[base, text!(b"de:"), fields.pick(1).unwrap()]);
        if !(is_free(s.get(&[Arg::Text(alias)])?, id)) {
            alias = text!(b"");
        }
    }
    return Ok(s.make(Names { keys: keys, key: key, next: next.unwrap(), at: fields.pick(2), alias: alias, here: Here::new() }));
}

/// The names of a job that is ending, `false` for none; to be read before the first write. `dedup` is that field of its
/// row, and `rowGoes` whether the row goes too, and with it its alias.
pub fn read_names<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, dedup: Option<Text<'a>>, row_goes: bool) -> Act<Option<&'a Names<'a>>> {
    return Ok(if dedup.is_none() { None } else { Some(read_names_of(s, base, id, dedup.unwrap(), row_goes)?) });
}

/// Lets the job that was to run after another fall due, under the name that both have. It is promoted like any other, so
/// no end of a job has to know of lanes for its sake.
#[cold]
pub fn start_next<'a>(s: &Server<'a>, base: Text<'a>, names: &'a Names<'a>) -> Act<()> {
    let next: Text<'a> = names.next;
    let now: i64 = s.now();
    s.hdel(&[Arg::Text(s.concat(&[base, text!(b"job:"), next])), Arg::Word(text!(b"follows")), Arg::Word(text!(b"follow_at"))])?;
    if names.key != text!(b"") {
        s.set(&[Arg::Text(names.key), Arg::Text(next)])?;
    }
    if names.alias != text!(b"") {
        s.set(&[Arg::Text(names.alias), Arg::Text(next)])?;
    }
    s.zadd(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Int(if names.at.is_none() { now } else { i64::max(now, s.num(names.at.unwrap())?) }), Arg::Text(next)])?;
    push_if_head(s, base, next)?;
    Ok(())
}

/// Lets the names of a job go that has ended, and the job run that waited for its end.
pub fn let_go<'a>(s: &Server<'a>, base: Text<'a>, names: Option<&'a Names<'a>>) -> Act<()> {
    if names.is_none() {
        return Ok(());
    }
    if names.unwrap().keys.len() > 0 {
        s.del(s.spread(&[], names.unwrap().keys))?;
    }
    if names.unwrap().next != text!(b"") {
        start_next(s, base, names.unwrap())?;
    }
    Ok(())
}

/// What lets a job run that is parked behind one that will not let it: the other is gone, over, or knows nothing of it.
/// `false` when it is not parked, or rightly. To be read before the first write, and let go after the last.
pub fn read_stray<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>) -> Act<Option<&'a Names<'a>>> {
    let own: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"state")), Arg::Word(text!(b"follows")), Arg::Word(text!(b"follow_at")), Arg::Word(text!(b"dedup")), Arg::Word(text!(b"alias"))])?;
    let leader: Option<Text<'a>> = own.pick(1);
    let score: Option<Text<'a>> = s.zscore(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Text(id)])?;
    if own.pick(0) != Some(text!(b"scheduled")) || leader.is_none() || score.is_none() || s.num(score.unwrap())? != PARKED_AT {
        return Ok(None);
    }
    let led: List<'a, Option<Text<'a>>> = if s.branded(leader.unwrap()) { s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), leader.unwrap()])), Arg::Word(text!(b"state")), Arg::Word(text!(b"next"))])? } else { s.list(&[None]) };
    let is_over: bool = led.pick(0).is_none() || led.pick(0) == Some(text!(b"dead")) || led.pick(0) == Some(text!(b"completed"));
    if !is_over && led.pick(1) == Some(id) {
        return Ok(None);
    }
    let mut key: Text<'a> = if own.pick(3).is_none() || own.pick(3) == Some(text!(b"")) { text!(b"") } else { s.concat(&[base, text!(b"de:"), own.pick(3).unwrap()]) };
    let mut alias: Text<'a> = if own.pick(4).is_none() || own.pick(4) == Some(text!(b"")) { text!(b"") } else { s.concat(&[base, text!(b"de:"), own.pick(4).unwrap()]) };
    // A name that the other still holds is its own until it is over.
    let holder: Text<'a> = if is_over { leader.unwrap() } else { id };
    if key != text!(b"") && !(is_free(s.get(&[Arg::Text(key)])?, holder)) {
        key = text!(b"");
    }
    if alias != text!(b"") && !(is_free(s.get(&[Arg::Text(alias)])?, holder)) {
        alias = text!(b"");
    }
    s.llen(&[Arg::Text(s.concat(&[base, text!(b"wake")]))])?;
    return Ok(Some(s.make(Names { keys: s.list::<Text<'a>>(&[]), key: key, next: id, at: own.pick(2), alias: alias, here: Here::new() })));
}

/// The keys of the aliases that jobs hold whose rows are about to go although they ended long ago; the rest of their
/// names went then. To be read before the first write.
pub fn aliases_of<'a>(s: &Server<'a>, base: Text<'a>, ids: List<'a, Text<'a>>) -> Act<List<'a, Text<'a>>> {
    let keys: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    for id in ids.iter() {
        let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"dedup")), Arg::Word(text!(b"alias"))])?;
        if fields.pick(0).is_some() && fields.pick(1).is_some() {
            let alias: Text<'a> = s.concat(&[base, text!(b"de:"), fields.pick(1).unwrap()]);
            if s.get(&[Arg::Text(alias)])? == Some(id) {
                keys.push(alias);
            }
        }
    }
    return Ok(keys);
}