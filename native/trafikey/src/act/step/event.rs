// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Events: what an act tells on the channel `events` to whoever watches the queue.
//!
//! An act asks once whether anybody listens, together with another question where it has one, so an act of a queue that
//! nobody watches pays nothing for its events. A message goes out before the writes of its own job: a channel right that
//! is missing then ends the act while no job is lost. It is a JSON object of texts, `event` and `job` first.
//!
//! Bounds: at most three messages for each job that an act touches and one for the act; a text within a message is cut
//! at `EVENT_TEXT_BYTES_MAX`, and a result that is larger than `EVENT_RESULT_BYTES_MAX` is only measured.

use crate::runtime::*;
use crate::act::step::bound::{NUMBER_MAX};
use crate::act::step::mirror::{mirror};

/// Nobody listens.
pub const UNHEARD: i64 = 0;

/// Somebody listens, and wants the results of completed jobs as well.
pub const WITH_RESULTS: i64 = 2;

/// Bytes of an error, a reason, a name or the like within a message, at most; the rest is cut.
pub const EVENT_TEXT_BYTES_MAX: i64 = 1024;

/// Bytes of a result within a message, at most; of a larger one the message tells the size alone.
pub const EVENT_RESULT_BYTES_MAX: i64 = 16384;

/// What those who listen want: 1 events, 2 results in them too. They are there; the text of `listeners` is until when
/// somebody wants results, in server milliseconds.
#[cold]
pub fn want_of<'a>(s: &Server<'a>, base: Text<'a>) -> Act<i64> {
    let until: Option<Text<'a>> = s.get(&[Arg::Text(s.concat(&[base, text!(b"listeners")]))])?;
    return Ok(if until.is_some() && s.int(until.unwrap(), 0, NUMBER_MAX) && s.num(until.unwrap())? > s.now() { WITH_RESULTS } else { 1 });
}

/// Whether anybody listens: 0, or what `wantOf` says. To be asked before the first write.
pub fn heard_by<'a>(s: &Server<'a>, base: Text<'a>) -> Act<i64> {
    return Ok(if s.exists(&[Arg::Text(s.concat(&[base, text!(b"listeners")]))])? == 0 { UNHEARD } else { want_of(s, base)? });
}

/// Tells an event of a job. `more` holds names and texts in turn; an empty text says nothing and is left out.
pub fn tell<'a>(s: &Server<'a>, base: Text<'a>, event: Text<'a>, id: Text<'a>, more: List<'a, Text<'a>>) -> Act<()> {
    let mut text: Text<'a> = s.concat(&[text!(b"{\"event\":\""), event, text!(b"\",\"job\":"), s.json(id)]);
    let stop: i64 = more.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let value: Text<'a> = more.get(i + 1);
            if value != text!(b"") {
                let is_long: bool = value.len() > EVENT_TEXT_BYTES_MAX && more.get(i) != text!(b"result");
                text = s.concat(&[text, text!(b",\""), more.get(i), text!(b"\":"), s.json(if is_long { value.slice(0, 1024) } else { value })]);
            }
            i += 2;
        }
    }
    // Kept first: where the server has no room for it, a new job is refused, and nobody has heard of it.
    mirror(s, base, event, id, more, text.len())?;
    s.publish(&[Arg::Text(s.concat(&[base, text!(b"events")])), Arg::Text(s.concat(&[text, text!(b"}")]))])?;
    Ok(())
}

/// The alias of a job, empty for none. `dedup` is that field of its row, without which there is none.
pub fn alias_of_row<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, dedup: Option<Text<'a>>) -> Act<Text<'a>> {
    if dedup.is_none() {
        return Ok(text!(b""));
    }
    let alias: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"alias"))])?;
    return Ok(if alias.is_none() { text!(b"") } else { alias.unwrap() });
}

/// Tells an event of a job whose row stands, with its alias.
pub fn tell_of_job<'a>(s: &Server<'a>, base: Text<'a>, event: Text<'a>, id: Text<'a>, dedup: Option<Text<'a>>, more: List<'a, Text<'a>>) -> Act<()> {
    more.push(text!(b"alias"));
    more.push(alias_of_row(s, base, id, dedup)?);
    tell(s, base, event, id, more)?;
    Ok(())
}

/// Tells that a job is completed.
pub fn tell_completed<'a>(s: &Server<'a>, base: Text<'a>, heard: i64, id: Text<'a>, token: Text<'a>, dedup: Option<Text<'a>>, result: Option<Text<'a>>) -> Act<()> {
    let more: List<'a, Text<'a>> = s.list(&[text!(b"attempts"), token]);
    if heard == WITH_RESULTS && result.is_some() {
        let is_large: bool = result.unwrap().len() > EVENT_RESULT_BYTES_MAX;
        more.set(2, if is_large { text!(b"resultBytes") } else { text!(b"result") });
        more.set(3, if is_large { s.text(result.unwrap().len()) } else { result.unwrap() });
    }
    tell_of_job(s, base, text!(b"completed"), id, dedup, more)?;
    Ok(())
}

/// Tells that the last job that could be claimed has been, if an act that is heard has claimed it. `taken` is how many
/// it has.
#[cold]
pub fn tell_if_drained<'a>(s: &Server<'a>, base: Text<'a>, taken: i64) -> Act<()> {
    if taken == 0 {
        return Ok(());
    }
    if s.exists(&[Arg::Text(s.concat(&[base, text!(b"pending")])), Arg::Text(s.concat(&[base, text!(b"ring")]))])? == 0 {
        tell(s, base, text!(b"drained"), text!(b""), s.list::<Text<'a>>(&[]))?;
    }
    Ok(())
}