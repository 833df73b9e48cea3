// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `PROGRESS`: stores the progress and publishes it.
//!
//! The message goes out before the write, so that a missing channel right refuses the act while nothing is written.

use crate::runtime::*;
use crate::act::check::job::progress::{check_progress};
use crate::act::step::settle::{is_current};

/// Keys: row, base. Arguments: progress, id and perhaps a token. Answers 1, or -1 when the job is gone.
pub fn progress<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_progress(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"alias"))])?;
    let attempts: Option<Text<'a>> = fields.pick(0);
    let alias: Text<'a> = if fields.pick(1).is_none() { text!(b"") } else { s.concat(&[text!(b",\"alias\":"), s.json(fields.pick(1).unwrap())]) };
    if attempts.is_none() {
        return Ok(Value::from(-1));
    }
    if args.len() > 2 && !is_current(Some(attempts.unwrap()), args.get(2)) {
        return Ok(Value::Error(text!(b"EMQSTALE progress token mismatch")));
    }
    let job: Text<'a> = s.json(args.get(1));
    let progress: Text<'a> = s.json(args.get(0));
    s.publish(&[Arg::Text(s.concat(&[keys.get(1), text!(b"events")])), Arg::Text(s.concat(&[text!(b"{\"event\":\"progress\",\"job\":"), job, text!(b",\"progress\":"), progress, alias, text!(b"}")]))])?;
    s.hset(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"progress")), Arg::Text(args.get(0))])?;
    return Ok(Value::from(1));
}