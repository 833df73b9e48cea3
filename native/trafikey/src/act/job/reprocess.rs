// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `REPROCESS`: gives a dead job a fresh budget and lets it wait again, at its own place.

use crate::runtime::*;
use crate::act::check::job::reprocess::{check_reprocess};
use crate::act::step::revive::{revive_dead};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Keys: row, dead, pending, base. Arguments: id. Answers 1, or -1 when the job is gone.
pub fn reprocess<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_reprocess(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let id: Text<'a> = args.get(0);
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"group")), Arg::Word(text!(b"priority")), Arg::Word(text!(b"state")), Arg::Word(text!(b"parent")), Arg::Word(text!(b"failed_child"))])?;
    if fields.pick(0).is_none() {
        return Ok(Value::from(-1));
    }
    if s.zscore(&[Arg::Text(keys.get(1)), Arg::Text(id)])?.is_none() {
        return Ok(Value::Error(text!(b"EMQSTATE not dead")));
    }
    let open: bool = is_open(s, keys.get(3))?;
    revive_dead(s, keys.get(3), id, fields)?;
    push_if_claimable(s, keys.get(3), open)?;
    return Ok(Value::from(1));
}