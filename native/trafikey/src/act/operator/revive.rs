// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `REVIVE`: gives dead jobs a fresh budget and lets them wait again, many in one act.
//!
//! Each id is judged alone, so one that is no longer dead stops none. A member of `dead` whose row is gone, or is not
//! dead, is dropped: nothing else would ever take it away.

use crate::runtime::*;
use crate::act::check::operator::revive::{check_revive};
use crate::act::step::revive::{revive_dead};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Keys: dead, pending, base. Arguments: ids. Answers how many wait again.
pub fn revive<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_revive(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(2);
    let open: bool = is_open(s, base)?;
    let mut revived: i64 = 0;
    for id in args.iter() {
        if s.zscore(&[Arg::Text(keys.get(0)), Arg::Text(id)])?.is_some() {
            let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"group")), Arg::Word(text!(b"priority")), Arg::Word(text!(b"state")), Arg::Word(text!(b"parent")), Arg::Word(text!(b"failed_child"))])?;
            if fields.pick(0).is_some() && fields.pick(3) == Some(text!(b"dead")) {
                revive_dead(s, base, id, fields)?;
                revived += 1;
            } else {
                s.zrem(&[Arg::Text(keys.get(0)), Arg::Text(id)])?;
            }
        }
    }
    if revived > 0 {
        push_if_claimable(s, base, open)?;
    }
    return Ok(Value::from(revived));
}