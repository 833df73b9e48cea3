// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Bounds of what the acts read and write: the same that `spec/` states for arguments.

use crate::runtime::*;

/// The largest number: 2^53 - 1, the last that a score holds exactly. Instants, durations and counters go up to it.
pub const NUMBER_MAX: i64 = 9007199254740991;

/// The largest priority: 2^21.
pub const PRIORITY_MAX: i64 = 2097152;