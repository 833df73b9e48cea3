// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `SKIP`: leaves out the next occurrence of a repeat and moves on, due or not.
//!
//! The member is taken out and put back: taking out is a write that a full server admits.

use crate::runtime::*;
use crate::act::check::repeat::skip::{check_skip};
use crate::act::step::event::{UNHEARD, heard_by};
use crate::act::step::repeat_record::{FIRED_FIELD, SKIPPED_FIELD, TEMPLATE_FIELD, is_next_at, is_of_revision, note_skipped, number_of, read_record, tell_skipped, within_end};

/// Keys: set, record, base. Arguments: name, due_at, rev, next_at, skipped, skip_slot, why. Answers 1, 0 or -1.
pub fn skip<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_skip(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let name: Text<'a> = args.get(0);
    let score: Option<Text<'a>> = s.zscore(&[Arg::Text(keys.get(0)), Arg::Text(name)])?;
    let fields: List<'a, Option<Text<'a>>> = read_record(s, keys.get(1))?;
    if fields.pick(TEMPLATE_FIELD).is_none() {
        s.zrem(&[Arg::Text(keys.get(0)), Arg::Text(name)])?;
        return Ok(Value::from(-1));
    }
    if !(is_next_at(s, score, args.get(1))?) || !(is_of_revision(s, fields, args.get(2))?) {
        return Ok(Value::from(0));
    }
    let next: i64 = within_end(s, fields, s.num(args.get(3))?, number_of(s, fields.pick(FIRED_FIELD))?)?;
    let count: i64 = s.num(args.get(4))?;
    if count > 0 && heard_by(s, keys.get(2))? > UNHEARD {
        tell_skipped(s, keys.get(2), name, count, args.get(5), args.get(6))?;
    }
    s.zrem(&[Arg::Text(keys.get(0)), Arg::Text(name)])?;
    s.zadd(&[Arg::Text(keys.get(0)), Arg::Int(next), Arg::Text(name)])?;
    if count > 0 {
        note_skipped(s, keys.get(1), fields.pick(SKIPPED_FIELD), count, args.get(5), args.get(6))?;
    }
    return Ok(Value::from(1));
}