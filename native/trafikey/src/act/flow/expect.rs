// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `EXPECT`: tells a parent of children, at run time by its holder or while it waits.
//!
//! A child that the parent knows is not counted again, and one that has ended meanwhile is not open. So the children may
//! land before their parent is told of them, and the act may be repeated.

use crate::runtime::*;
use crate::act::check::flow::expect::{check_expect};
use crate::act::step::child_list::{CHILDREN_MAX, child_entry};
use crate::act::step::kin::{CONTINUE, FORGET};
use crate::act::step::parent::{FORGOTTEN, is_forgotten, open_in};
use crate::act::step::settle::{is_current};

/// Tells of one child, at `at`. Answers 0 when it has ended, 1 when it is open, 2 when it is open and new.
pub fn expect_one<'a>(s: &Server<'a>, base: Text<'a>, row: Text<'a>, args: List<'a, Text<'a>>, at: i64) -> Act<i64> {
    let id: Text<'a> = args.get(at);
    let policy: Text<'a> = args.get(at + 2);
    let children: Text<'a> = s.concat(&[row, text!(b":children")]);
    let known: Option<Text<'a>> = s.hget(&[Arg::Text(children), Arg::Text(id)])?;
    if is_forgotten(s, known) {
        return Ok(0);
    }
    let is_ignored: bool = s.hexists(&[Arg::Text(s.concat(&[row, text!(b":unsuccessful")])), Arg::Text(id)])? == 1;
    let has_ended: bool = is_ignored || s.hexists(&[Arg::Text(s.concat(&[row, text!(b":processed")])), Arg::Text(id)])? == 1;
    if known.is_none() && is_ignored && policy == FORGET {
        s.hdel(&[Arg::Text(s.concat(&[row, text!(b":unsuccessful")])), Arg::Text(id)])?;
        let entry: Text<'a> = child_entry(s, base, args, at, args.get(at + 3), args.get(at + 4));
        s.hset(&[Arg::Text(children), Arg::Text(id), Arg::Text(s.concat(&[FORGOTTEN, entry.from(2)]))])?;
        return Ok(0);
    }
    if known.is_none() || args.get(at + 3) != text!(b"") {
        s.hset(&[Arg::Text(children), Arg::Text(id), Arg::Text(child_entry(s, base, args, at, args.get(at + 3), args.get(at + 4)))])?;
    }
    if known.is_none() && is_ignored && policy == CONTINUE {
        s.hset(&[Arg::Text(row), Arg::Word(text!(b"eager")), Arg::Word(text!(b"1"))])?;
    }
    if has_ended {
        return Ok(0);
    }
    return Ok(if known.is_none() { 2 } else { 1 });
}

/// The children of the call that a parent knows and that have not ended, for one that does not wait now: it runs, or is
/// going to, before all of them have ended, and may come to wait for the others.
pub fn open_ones<'a>(s: &Server<'a>, row: Text<'a>, args: List<'a, Text<'a>>) -> Act<List<'a, Text<'a>>> {
    let open: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    {
        let mut at: i64 = 2;
        while at < args.len() {
            let id: Text<'a> = args.get(at);
            let known: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[row, text!(b":children")])), Arg::Text(id)])?;
            let mut is_open: bool = known.is_some() && !is_forgotten(s, Some(known.unwrap()));
            for side in s.list(&[text!(b"processed"), text!(b"unsuccessful"), text!(b"failed")]).iter() {
                if is_open && s.hexists(&[Arg::Text(s.concat(&[row, text!(b":"), side])), Arg::Text(id)])? == 1 {
                    is_open = false;
                }
            }
            if is_open {
                open.push(id);
            }
            at += 5;
        }
    }
    return Ok(open);
}

/// Keys: row, base. Arguments: id, token or empty, children. Answers those that are open, 0 or -1.
pub fn expect<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_expect(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let row: Text<'a> = keys.get(0);
    let base: Text<'a> = keys.get(1);
    let token: Text<'a> = args.get(1);
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(row), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"state"))])?;
    if fields.pick(0).is_none() {
        return Ok(Value::from(-1));
    }
    if token != text!(b"") && !is_current(Some(fields.pick(0).unwrap()), token) {
        return Ok(Value::Error(text!(b"EMQSTALE expect token mismatch")));
    }
    if token != text!(b"") && fields.pick(1) != Some(text!(b"active")) {
        return Ok(Value::Error(text!(b"EMQSTATE job is not active")));
    }
    if token == text!(b"") && fields.pick(1) != Some(text!(b"awaiting_children")) {
        return Ok(if fields.pick(1) == Some(text!(b"dead")) || fields.pick(1) == Some(text!(b"completed")) { Value::from(0) } else { Value::from(open_ones(s, row, args)?) });
    }
    let stop: i64 = args.len();
    if s.hlen(&[Arg::Text(s.concat(&[row, text!(b":children")]))])? + (stop - 2) / 5 > CHILDREN_MAX {
        return Ok(Value::Error(text!(b"EMQFULL children of a job")));
    }
    let mut left: i64 = open_in(s, s.get(&[Arg::Text(s.concat(&[row, text!(b":dependencies")]))])?)?;
    s.hlen(&[Arg::Text(s.concat(&[row, text!(b":processed")]))])?;
    s.hlen(&[Arg::Text(s.concat(&[row, text!(b":unsuccessful")]))])?;
    let open: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    {
        let mut at: i64 = 2;
        while at < stop {
            let found: i64 = expect_one(s, base, row, args, at)?;
            if found > 0 {
                open.push(args.get(at));
            }
            if found == 2 {
                left += 1;
            }
            at += 5;
        }
    }
    s.set(&[Arg::Text(s.concat(&[row, text!(b":dependencies")])), Arg::Int(left)])?;
    return Ok(Value::from(open));
}