// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Waking workers: one token in `wake`, and only where none lies yet (docs/protocol/wake.md).
//!
//! A token is pushed after the writes that made work claimable, so the reads that decide come from the same act.

use crate::runtime::*;
use crate::act::step::limit::{is_limited};

/// The list stays within 64 tokens for foreign readers; 62 is the last index kept before one more is pushed.
pub const LAST_KEPT: i64 = 62;

/// Whether the queue is not paused. A `meta` of a foreign type raises, so a claim fails closed.
pub fn is_open<'a>(s: &Server<'a>, base: Text<'a>) -> Act<bool> {
    return Ok(s.hexists(&[Arg::Text(s.concat(&[base, text!(b"meta")])), Arg::Word(text!(b"paused"))])? == 0);
}

/// Pushes one token unless one lies there already.
///
/// The trim does nothing to a list that is absent, but it is a write that a full server admits, and after one such write
/// the server admits the push as well: settling must work at `maxmemory`.
pub fn push<'a>(s: &Server<'a>, wake: Text<'a>) -> Act<()> {
    if s.exists(&[Arg::Text(wake)])? == 0 {
        s.ltrim(&[Arg::Text(wake), Arg::Int(0), Arg::Int(LAST_KEPT)])?;
        s.lpush(&[Arg::Text(wake), Arg::Word(text!(b"1"))])?;
    }
    Ok(())
}

/// Whether limits keep the queue from being claimed from.
#[cold]
pub fn is_held_back<'a>(s: &Server<'a>, base: Text<'a>) -> Act<bool> {
    return Ok(is_limited(s, base)?);
}

/// Pushes if the queue is claimable: not paused, below its limits, and flat work or a servable lane waits. `open` is
/// what `isOpen` said before the first write of the act.
pub fn push_if_claimable<'a>(s: &Server<'a>, base: Text<'a>, open: bool) -> Act<()> {
    let wake: Text<'a> = s.concat(&[base, text!(b"wake")]);
    // Asked first, because in a busy queue a token lies there nearly always.
    if !open || s.exists(&[Arg::Text(wake)])? == 1 || s.exists(&[Arg::Text(s.concat(&[base, text!(b"pending")])), Arg::Text(s.concat(&[base, text!(b"ring")]))])? == 0 {
        return Ok(());
    }
    if s.exists(&[Arg::Text(s.concat(&[base, text!(b"meta")])), Arg::Text(s.concat(&[base, text!(b"rest")]))])? > 0 && is_held_back(s, base)? {
        return Ok(());
    }
    push(s, wake)?;
    Ok(())
}

/// Pushes as wire 3 does when a lane comes onto the ring, for an act that knows no more of its queue: always, within 64
/// tokens.
pub fn push_of_lane<'a>(s: &Server<'a>, wake: Text<'a>) -> Act<()> {
    s.lpush(&[Arg::Text(wake), Arg::Word(text!(b"1"))])?;
    s.ltrim(&[Arg::Text(wake), Arg::Int(0), Arg::Int(LAST_KEPT + 1)])?;
    Ok(())
}

/// Pushes if one of the ids that this act scheduled stands at the head of the schedule now.
pub fn push_if_head<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>) -> Act<()> {
    let head: List<'a, Text<'a>> = s.zrange(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Int(0), Arg::Int(0)])?;
    if head.len() > 0 && head.get(0) == id {
        push(s, s.concat(&[base, text!(b"wake")]))?;
    }
    Ok(())
}