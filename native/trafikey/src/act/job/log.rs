// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `LOG`: appends a log line and keeps the newest `keep` lines, all of them for 0.

use crate::runtime::*;
use crate::act::check::job::log::{check_log};
use crate::act::step::settle::{is_current};

/// Keys: row, row:logs. Arguments: line, keep and perhaps a token. Answers the lines kept, or -1 when gone.
pub fn log<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_log(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let attempts: Option<Text<'a>> = s.hget(&[Arg::Text(keys.get(0)), Arg::Word(text!(b"attempts"))])?;
    if attempts.is_none() {
        return Ok(Value::from(-1));
    }
    if args.len() > 2 && !is_current(Some(attempts.unwrap()), args.get(2)) {
        return Ok(Value::Error(text!(b"EMQSTALE log token mismatch")));
    }
    let lines: i64 = s.rpush(&[Arg::Text(keys.get(1)), Arg::Text(args.get(0))])?;
    let keep: i64 = s.num(args.get(1))?;
    if keep == 0 || lines <= keep {
        return Ok(Value::from(lines));
    }
    s.ltrim(&[Arg::Text(keys.get(1)), Arg::Int(-keep), Arg::Int(-1)])?;
    return Ok(Value::from(keep));
}