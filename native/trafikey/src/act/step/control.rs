// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! The channel `control`, on which workers hear at once what they would otherwise hear at their next word.
//!
//! A message is a letter and a name: `c` and the id of a job that is to stop, `w` and the id of a worker that was paused
//! or resumed. It is only a hint: what it says stands in the row, or in the hash `workers`, in the same act, and whoever
//! missed it reads it there. It goes out before the act writes, so that a missing channel right ends the act while
//! nothing is changed.

use crate::runtime::*;

/// Tells workers that something about `name` was written.
pub fn tell_control<'a>(s: &Server<'a>, base: Text<'a>, letter: Text<'a>, name: Text<'a>) -> Act<()> {
    s.publish(&[Arg::Text(s.concat(&[base, text!(b"control")])), Arg::Text(s.concat(&[letter, name]))])?;
    Ok(())
}