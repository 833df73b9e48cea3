// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Results for whoever waits for them.
//!
//! A waiter marks the row with `wait`, the server instant until which it waits. The act that ends such a job tells the
//! channel `results`, and leaves how it ended in `job:<id>:result` until that instant, so that a waiter who looks late
//! still finds it although the row is gone. Nothing is published and nothing left where nobody asked. The message goes
//! out before the act writes of the job, so that a missing channel right ends the act while nothing is lost.

use crate::runtime::*;
use crate::act::step::bound::{NUMBER_MAX};

/// Bytes of a result that is left beside its row, at most: of a larger one only that it was too large is told.
pub const RESULT_BYTES_MAX: i64 = 1048576;

/// Until when the outcome of a job must be left, 0 for nobody who asked. `resultMs` is how long it is to be left from
/// now on whoever asks; 0 leaves that to the mark.
pub fn waited_until<'a>(s: &Server<'a>, wait: Option<Text<'a>>, result_ms: i64) -> Act<i64> {
    let now: i64 = s.now();
    let until: i64 = if result_ms > 0 { i64::min(now + result_ms, NUMBER_MAX) } else { 0 };
    if wait.is_none() || !s.int(wait.unwrap(), 0, NUMBER_MAX) {
        return Ok(until);
    }
    let marked: i64 = s.num(wait.unwrap())?;
    return Ok(if marked > now { i64::max(marked, until) } else { until });
}

/// Tells whoever waits that a job ends in this act.
pub fn tell_waiters<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>) -> Act<()> {
    s.publish(&[Arg::Text(s.concat(&[base, text!(b"results")])), Arg::Text(id)])?;
    Ok(())
}

/// The outcome of a completed job: `c` without a result, `r` and the result, `l` for a result that is too large.
pub fn done_outcome<'a>(s: &Server<'a>, result: Option<Text<'a>>) -> Text<'a> {
    if result.is_none() {
        return text!(b"c");
    }
    return if result.unwrap().len() > RESULT_BYTES_MAX { text!(b"l") } else { s.concat(&[text!(b"r"), result.unwrap()]) };
}

/// Leaves the outcome of a job that has ended.
pub fn leave_outcome<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, outcome: Text<'a>, until: i64) -> Act<()> {
    s.set(&[Arg::Text(s.concat(&[base, text!(b"job:"), id, text!(b":result")])), Arg::Text(outcome), Arg::Word(text!(b"PXAT")), Arg::Int(until)])?;
    Ok(())
}