// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! The row of a job and what hangs on it.
//!
//! Whoever deletes a row deletes its side keys in the same act, so that a new job of the same id starts clean and
//! nothing is left for ever.

use crate::runtime::*;

/// The refusal of an id of another kind.
pub const NO_JOB_ID: Text<'static> = text!(b"EMQKIND job id must be JOB-namespaced");

/// Whether an id is of the kind that the queue admits. Its other eleven bytes are the host's concern.
pub fn is_job_id<'a>(id: Text<'a>) -> bool {
    return id.slice(0, 3) == text!(b"JOB");
}

/// The score at which a job waits: its priority, 0 when it has none.
pub fn score_of<'a>(s: &Server<'a>, priority: Option<Text<'a>>) -> Act<i64> {
    return Ok(if priority.is_none() { 0 } else { s.num(priority.unwrap())? });
}

/// The number in a counter field, 0 when it is absent.
pub fn count_of<'a>(s: &Server<'a>, field: Option<Text<'a>>) -> Act<i64> {
    return Ok(if field.is_none() { 0 } else { s.num(field.unwrap())? });
}

/// Sets a counter field of a row, or drops it at 0 so that a row holds nothing that says nothing.
pub fn set_count<'a>(s: &Server<'a>, row: Text<'a>, field: Text<'a>, count: i64) -> Act<()> {
    if count > 0 {
        s.hset(&[Arg::Text(row), Arg::Text(field), Arg::Int(count)])?;
    } else {
        s.hdel(&[Arg::Text(row), Arg::Text(field)])?;
    }
    Ok(())
}

/// Deletes a row and every side key that a job may have.
pub fn delete_row<'a>(s: &Server<'a>, row: Text<'a>) -> Act<()> {
    s.del(&[Arg::Text(row), Arg::Text(s.concat(&[row, text!(b":logs")])), Arg::Text(s.concat(&[row, text!(b":lock")])), Arg::Text(s.concat(&[row, text!(b":result")])), Arg::Text(s.concat(&[row, text!(b":dependencies")])), Arg::Text(s.concat(&[row, text!(b":processed")])), Arg::Text(s.concat(&[row, text!(b":failed")])), Arg::Text(s.concat(&[row, text!(b":unsuccessful")])), Arg::Text(s.concat(&[row, text!(b":children")])), Arg::Text(s.concat(&[row, text!(b":parents")]))])?;
    Ok(())
}

/// Adds a row and every side key that a job may have to a list of keys to delete.
pub fn gather_row<'a>(s: &Server<'a>, doomed: List<'a, Text<'a>>, row: Text<'a>) {
    let next: i64 = doomed.len();
    doomed.set(next, row);
    doomed.set(next + 1, s.concat(&[row, text!(b":logs")]));
    doomed.set(next + 2, s.concat(&[row, text!(b":lock")]));
    doomed.set(next + 3, s.concat(&[row, text!(b":result")]));
    doomed.set(next + 4, s.concat(&[row, text!(b":dependencies")]));
    doomed.set(next + 5, s.concat(&[row, text!(b":processed")]));
    doomed.set(next + 6, s.concat(&[row, text!(b":failed")]));
    doomed.set(next + 7, s.concat(&[row, text!(b":unsuccessful")]));
    doomed.set(next + 8, s.concat(&[row, text!(b":parents")]));
    doomed.set(next + 9, s.concat(&[row, text!(b":children")]));
}

/// The deduplication key of a name if it holds this job, otherwise the empty text. It goes when the job ends; reading it
/// comes before the first write, as its type may be foreign.
pub fn held_dedup<'a>(s: &Server<'a>, base: Text<'a>, dedup: Option<Text<'a>>, id: Text<'a>) -> Act<Text<'a>> {
    if dedup.is_none() || dedup == Some(text!(b"")) {
        return Ok(text!(b""));
    }
    let key: Text<'a> = s.concat(&[base, text!(b"de:"), dedup.unwrap()]);
    return Ok(if s.get(&[Arg::Text(key)])? == Some(id) { key } else { text!(b"") });
}