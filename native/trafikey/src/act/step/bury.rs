// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Death: how a job ends that will not be tried again. It is kept as the terms say, or its row goes.

use crate::runtime::*;
use crate::act::step::result::{leave_outcome};
use crate::act::step::retain::{ALL, Leavers, Terms, find_oldest, keep};
use crate::act::step::row::{delete_row};
use crate::act::step::tally::{read_tally, tally};
use crate::act::step::tokens::{last_token, remember_tokens};

/// Reads what `deaths` deaths write to, before the first write; answers the dead jobs that go to make room for them. A
/// job that has just died never goes by its own act, so that it can be seen.
pub fn read_deaths<'a>(s: &Server<'a>, base: Text<'a>, terms: &'a Terms<'a>, deaths: i64) -> Act<&'a Leavers<'a>> {
    read_tally(s, base, text!(b"failed"))?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"tokens")]))])?;
    return Ok(find_oldest(s, base, text!(b"dead"), if terms.dead_count.get() == 0 { ALL } else { terms.dead_count.get() }, deaths, 0)?);
}

/// Ends a job as dead whose lease has ended: it is kept as the terms say, or its row goes. `until` is until when its
/// outcome is left, 0 for nobody who asked.
pub fn bury<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, error: Text<'a>, terms: &'a Terms<'a>, until: i64) -> Act<()> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
    if terms.dead_count.get() == 0 {
        let token: i64 = last_token(s, base, s.hget(&[Arg::Text(row), Arg::Word(text!(b"attempts"))])?)?;
        delete_row(s, row)?;
        remember_tokens(s, base, s.list(&[id]), s.list(&[token]))?;
    } else {
        s.hset(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"dead")), Arg::Word(text!(b"last_error")), Arg::Text(error), Arg::Word(text!(b"finished_at")), Arg::Int(s.now())])?;
        keep(s, base, text!(b"dead"), id, terms.dead_ms.get())?;
    }
    tally(s, base, text!(b"failed"), 1)?;
    if until > 0 {
        leave_outcome(s, base, id, s.concat(&[text!(b"k"), error]), until)?;
    }
    Ok(())
}