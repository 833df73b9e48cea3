// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `:children` of a parent: every child that it was told of, each with policy, queue, perhaps the job that stands for it
//! and perhaps the name by which its parent asks for it, parted by NUL.

use crate::runtime::*;
use crate::act::step::kin::{queue_of};

/// Children that a parent may be told of.
pub const CHILDREN_MAX: i64 = 10000;

/// What is kept of a child whose id, queue and policy stand at `at`. `job` stands for it, and `key` names it; each empty
/// for none.
pub fn child_entry<'a>(s: &Server<'a>, base: Text<'a>, args: List<'a, Text<'a>>, at: i64, job: Text<'a>, key: Text<'a>) -> Text<'a> {
    let queue: Text<'a> = if args.get(at + 1) == queue_of(base) { text!(b"") } else { args.get(at + 1) };
    let entry: Text<'a> = s.concat(&[args.get(at + 2), text!(b"\x00"), queue]);
    if key != text!(b"") {
        return s.concat(&[entry, text!(b"\x00"), job, text!(b"\x00"), key]);
    }
    return if job == text!(b"") { entry } else { s.concat(&[entry, text!(b"\x00"), job]) };
}