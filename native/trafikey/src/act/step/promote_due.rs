// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Promotion: due jobs go from the schedule to where they wait.
//!
//! Only a row whose state is `scheduled` is moved, or a parent whose time to wait for its children is over. A member
//! whose row is gone, or lives elsewhere since, is dropped without making a row, and the next one takes its place. All
//! rows of a pass are read before the first is written.

use crate::runtime::*;
use crate::act::step::bulk::{remove_members};
use crate::act::step::lane::{read_lanes, release_lane};
use crate::act::step::waiting::{let_wait, let_wait_first};

/// What a promotion did, and what it cost of the budget of its act.
pub struct Promoted<'a> {
    pub moved: Cell<i64>,
    pub looks: Cell<i64>,
    pub here: Here<'a>,
}

/// Reads the rows of due members and the places where they are going to wait.
pub fn read_due<'a>(s: &Server<'a>, base: Text<'a>, due: List<'a, Text<'a>>) -> Act<List<'a, List<'a, Option<Text<'a>>>>> {
    let rows: List<'a, List<'a, Option<Text<'a>>>> = s.list::<List<'a, Option<Text<'a>>>>(&[]);
    let groups: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    for id in due.iter() {
        let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"state")), Arg::Word(text!(b"group")), Arg::Word(text!(b"priority")), Arg::Word(text!(b"owner"))])?;
        let group: Option<Text<'a>> = fields.pick(1);
        if group.is_some() {
            groups.push(group.unwrap());
        }
        if fields.pick(0) == Some(text!(b"awaiting_children")) {
            s.zcard(&[Arg::Text(s.concat(&[base, text!(b"awaiting")]))])?;
        }
        rows.push(fields);
    }
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"pending")]))])?;
    read_lanes(s, base, groups, 1)?;
    return Ok(rows);
}

/// Lets a parent run whose time to wait for its children is over.
#[cold]
pub fn end_wait<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>) -> Act<()> {
    s.zrem(&[Arg::Text(s.concat(&[base, text!(b"awaiting")])), Arg::Text(id)])?;
    Ok(())
}

/// Lets a scheduled job wait in its lane. One that held the lane hands it over to itself, as the first that waits.
pub fn enter_again<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, group: Text<'a>, priority: Option<Text<'a>>) -> Act<()> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
    let order: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(row), Arg::Word(text!(b"held")), Arg::Word(text!(b"due"))])?;
    if order.pick(1).is_some() {
        s.hdel(&[Arg::Text(row), Arg::Word(text!(b"due"))])?;
    }
    if order.pick(0).is_none() {
        let_wait(s, base, id, Some(group), priority)?;
        return Ok(());
    }
    let_wait_first(s, base, id, group)?;
    release_lane(s, base, group)?;
    Ok(())
}

/// Lets a scheduled job wait. A foreign speaker may have left an `owner`, with which an old token would settle it.
pub fn let_wait_again<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, fields: List<'a, Option<Text<'a>>>) -> Act<()> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
    s.hset(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"pending"))])?;
    if fields.pick(3).is_some() {
        s.hdel(&[Arg::Text(row), Arg::Word(text!(b"owner"))])?;
    }
    let group: Option<Text<'a>> = fields.pick(1);
    if group.is_none() {
        let_wait(s, base, id, group, fields.pick(2))?;
    } else {
        enter_again(s, base, id, group.unwrap(), fields.pick(2))?;
    }
    Ok(())
}

/// Promotes at most `batch` due jobs and looks at no more than `most` members for them.
pub fn promote_due<'a>(s: &Server<'a>, schedule: Text<'a>, base: Text<'a>, batch: i64, most: i64) -> Act<&'a Promoted<'a>> {
    let now: i64 = s.now();
    let promoted: &'a Promoted<'a> = s.make(Promoted { moved: Cell::new(0), looks: Cell::new(0), here: Here::new() });
    while promoted.moved.get() < batch && promoted.looks.get() < most {
        let room: i64 = i64::min(batch - promoted.moved.get(), most - promoted.looks.get());
        let due: List<'a, Text<'a>> = s.zrangebyscore(&[Arg::Text(schedule), Arg::Word(text!(b"-inf")), Arg::Int(now), Arg::Word(text!(b"LIMIT")), Arg::Int(0), Arg::Int(room)])?;
        let stop: i64 = due.len();
        if stop == 0 {
            return Ok(promoted);
        }
        let rows: List<'a, List<'a, Option<Text<'a>>>> = read_due(s, base, due)?;
        remove_members(s, schedule, due)?;
        {
            let mut i: i64 = 0;
            while i < stop {
                let is_parent: bool = rows.get(i).pick(0) == Some(text!(b"awaiting_children"));
                if is_parent {
                    end_wait(s, base, due.get(i))?;
                }
                if is_parent || rows.get(i).pick(0) == Some(text!(b"scheduled")) {
                    let_wait_again(s, base, due.get(i), rows.get(i))?;
                    promoted.moved.set(promoted.moved.get() + 1);
                }
                i += 1;
            }
        }
        promoted.looks.set(promoted.looks.get() + stop);
        if stop < room {
            return Ok(promoted);
        }
    }
    return Ok(promoted);
}