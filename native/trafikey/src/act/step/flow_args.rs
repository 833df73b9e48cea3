// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! The arguments of flow verbs that a table cannot say: jobs of any shape, and links to parents and children.

use crate::runtime::*;
use crate::act::step::bound::{NUMBER_MAX};
use crate::act::step::flow_job::{CHILD_LETTERS, NAMED_CHILD_LETTERS, PARENT_LETTERS, bad_job, width_of_job};
use crate::act::step::link::{bad_link, is_policy};

/// Children of one `FLOW`, at most: with their parent they are what one act takes.
pub const FLOW_MAX: i64 = 999;

/// Links of one act, at most.
pub const LINKS_MAX: i64 = 1000;

/// The longest name under which a parent knows a child.
pub const KEY_MAX: i64 = 256;

/// Payload bytes of one `FLOW`, at most.
pub const PAYLOAD_MAX: i64 = 1048576;

/// Where the children of a `FLOW` begin: behind its parent and their number.
pub fn children_at<'a>(args: List<'a, Text<'a>>) -> i64 {
    return width_of_job(args.get(0)) + 1;
}

/// The name of the first bad argument of `FLOW`: parent, number of children, then policy and job of each.
pub fn bad_flow<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, from: i64) -> Act<Text<'a>> {
    let bad: Text<'a> = bad_job(s, args, from - 3, PARENT_LETTERS);
    if bad != text!(b"") {
        return Ok(bad);
    }
    let mut at: i64 = children_at(args);
    if at > args.len() || !(s.int(args.get(at - 1), 1, FLOW_MAX)) {
        return Ok(text!(b"n"));
    }
    let count: i64 = s.num(args.get(at - 1))?;
    let seen: Dict<'a, bool> = s.dict();
    seen.set(s.concat(&[text!(b"s:"), args.get(1)]), true);
    let mut payload: i64 = args.get(2).len();
    {
        let mut i: i64 = 0;
        while i < count {
            if at >= args.len() || !is_policy(args.get(at)) {
                return Ok(text!(b"policy"));
            }
            let wrong: Text<'a> = bad_job(s, args, at + 1, CHILD_LETTERS);
            if wrong != text!(b"") {
                return Ok(wrong);
            }
            if seen.get(s.concat(&[text!(b"s:"), args.get(at + 2)])) == Some(true) {
                return Ok(text!(b"id"));
            }
            seen.set(s.concat(&[text!(b"s:"), args.get(at + 2)]), true);
            payload += args.get(at + 3).len();
            at += 1 + width_of_job(args.get(at + 1));
            i += 1;
        }
    }
    if payload > PAYLOAD_MAX {
        return Ok(text!(b"payload"));
    }
    return Ok(if at == args.len() { text!(b"") } else { text!(b"row") });
}

/// Whether text may be the name under which a parent knows a child: up to 256 bytes, no NUL.
pub fn is_key<'a>(text: Text<'a>) -> bool {
    return text.len() <= KEY_MAX && text.index_of(text!(b"\x00")) < 0;
}

/// The name of the first bad value of the child at `at`: id, queue or empty, policy.
pub fn bad_child_of<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, at: i64) -> Text<'a> {
    if !s.branded(args.get(at)) {
        return text!(b"child_id");
    }
    if args.get(at + 1) != text!(b"") && !(s.name(args.get(at + 1))) {
        return text!(b"child_queue");
    }
    return if is_policy(args.get(at + 2)) { text!(b"") } else { text!(b"policy") };
}

/// The name of the first bad value of the group at `at`.
pub fn bad_group<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, at: i64, own: Text<'a>) -> Text<'a> {
    let is_child: bool = args.get(at) == text!(b"c");
    if !is_child && args.get(at) != text!(b"p") {
        return text!(b"group");
    }
    let bad: Text<'a> = if is_child { bad_child_of(s, args, at + 1) } else { bad_link(s, args, at + 1) };
    if bad != text!(b"") {
        return bad;
    }
    if args.get(at + 1) == own {
        return if is_child { text!(b"child_id") } else { text!(b"parent_id") };
    }
    return if is_key(args.get(at + 4)) && (is_child || args.get(at + 4) == text!(b"")) { text!(b"") } else { text!(b"key") };
}

/// The name of the first bad value of the groups from `at` on; how many of them are children must be `open`. `own` is
/// the id of the job, which is neither its own parent nor its own child.
pub fn bad_groups<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, from: i64, open: i64, own: Text<'a>) -> Text<'a> {
    let stop: i64 = args.len();
    let seen: Dict<'a, bool> = s.dict();
    let mut children: i64 = 0;
    if stop - from > LINKS_MAX * 5 {
        return text!(b"group");
    }
    {
        let mut at: i64 = from;
        while at < stop {
            let bad: Text<'a> = if at + 5 > stop { text!(b"group") } else { bad_group(s, args, at, own) };
            if bad != text!(b"") {
                return bad;
            }
            if args.get(at) == text!(b"c") {
                if seen.get(s.concat(&[text!(b"s:"), args.get(at + 1)])) == Some(true) {
                    return text!(b"child_id");
                }
                seen.set(s.concat(&[text!(b"s:"), args.get(at + 1)]), true);
                children += 1;
            }
            at += 5;
        }
    }
    return if children == 0 || children == open { text!(b"") } else { text!(b"n") };
}

/// The name of the first bad argument of `HOLD`: job, then perhaps the first link and groups.
pub fn bad_hold<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, from: i64) -> Act<Text<'a>> {
    let bad: Text<'a> = bad_job(s, args, from - 3, PARENT_LETTERS);
    if bad != text!(b"") {
        return Ok(bad);
    }
    let at: i64 = from - 3 + width_of_job(args.get(from - 3));
    let stop: i64 = args.len();
    if at == stop {
        return Ok(text!(b""));
    }
    if at + 3 > stop {
        return Ok(text!(b"parent_id"));
    }
    let is_root: bool = args.get(at) == text!(b"") && args.get(at + 1) == text!(b"") && args.get(at + 2) == text!(b"");
    let wrong: Text<'a> = if is_root { text!(b"") } else { bad_link(s, args, at) };
    if args.get(at) == args.get(from - 2) {
        return Ok(text!(b"parent_id"));
    }
    return Ok(if wrong == text!(b"") { bad_groups(s, args, at + 3, s.num(args.get(0))?, args.get(from - 2)) } else { wrong });
}

/// The name of the first bad argument of `CHILD`: link, job, then perhaps further links.
pub fn bad_child<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, from: i64) -> Text<'a> {
    let bad: Text<'a> = bad_link(s, args, 0);
    if bad != text!(b"") {
        return bad;
    }
    let wrong: Text<'a> = bad_job(s, args, from - 3, NAMED_CHILD_LETTERS);
    if wrong != text!(b"") {
        return wrong;
    }
    if args.get(0) == args.get(from - 2) {
        return text!(b"parent_id");
    }
    return bad_groups(s, args, from - 3 + width_of_job(args.get(from - 3)), -1, args.get(from - 2));
}

/// The name of the first bad argument of `EXPECT`: children, each with the job that stands for it or empty.
pub fn bad_expect<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, from: i64) -> Text<'a> {
    let stop: i64 = args.len();
    if args.get(from - 1) != text!(b"") && !(s.int(args.get(from - 1), 0, NUMBER_MAX)) {
        return text!(b"token");
    }
    if stop == from || stop - from > LINKS_MAX * 5 {
        return text!(b"group");
    }
    {
        let mut at: i64 = from;
        while at < stop {
            if at + 5 > stop {
                return text!(b"group");
            }
            let bad: Text<'a> = bad_child_of(s, args, at);
            if bad != text!(b"") {
                return bad;
            }
            if args.get(at) == args.get(from - 2) {
                return text!(b"child_id");
            }
            if args.get(at + 3) != text!(b"") && !(s.branded(args.get(at + 3))) {
                return text!(b"job_id");
            }
            if !(is_key(args.get(at + 4))) {
                return text!(b"key");
            }
            at += 5;
        }
    }
    return text!(b"");
}