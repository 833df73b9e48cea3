// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Bounds of what the acts read and write: the same that `spec/` states for arguments.

use crate::runtime::*;

/// The largest number: 2^53 - 1, the last that a score holds exactly. Instants, durations and counters go up to it.
pub const NUMBER_MAX: i64 = 9007199254740991;

/// The instant that a delay from now reaches; a longer one ends at the latest that there is.
pub fn due_in<'a>(s: &Server<'a>, ms: i64) -> i64 {
    return i64::min(s.now() + ms, NUMBER_MAX);
}

/// The largest priority: 2^21.
pub const PRIORITY_MAX: i64 = 2097152;