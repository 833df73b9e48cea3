// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Counting the open children of a parent anew, for whoever checks its count.

use crate::runtime::*;
use crate::act::step::parent::{is_forgotten};

/// How many of the children that a parent was told of have not ended. It reads three hashes and looks at each child, so
/// its cost is theirs: 10,000 children at most.
#[cold]
pub fn count_open<'a>(s: &Server<'a>, row: Text<'a>) -> Act<i64> {
    let ended: Dict<'a, bool> = s.dict();
    for id in s.hkeys(&[Arg::Text(s.concat(&[row, text!(b":processed")]))])?.iter() {
        ended.set(s.concat(&[text!(b"c:"), id]), true);
    }
    for id in s.hkeys(&[Arg::Text(s.concat(&[row, text!(b":unsuccessful")]))])?.iter() {
        ended.set(s.concat(&[text!(b"c:"), id]), true);
    }
    let children: List<'a, Text<'a>> = s.hgetall(&[Arg::Text(s.concat(&[row, text!(b":children")]))])?;
    let stop: i64 = children.len();
    let mut open: i64 = 0;
    {
        let mut i: i64 = 0;
        while i < stop {
            if !(is_forgotten(s, Some(children.get(i + 1)))) && ended.get(s.concat(&[text!(b"c:"), children.get(i)])) != Some(true) {
                open += 1;
            }
            i += 2;
        }
    }
    return Ok(open);
}