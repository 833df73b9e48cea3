// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `FIRENOW`: makes a job of a repeat at once. Its next occurrence stays as it is.

use crate::runtime::*;
use crate::act::check::repeat::firenow::{check_firenow};
use crate::act::step::occurrence::{ID_TAKEN, LEFT_OUT, MADE_JOB, MADE_NONE, admit_occurrence, is_overlapping};
use crate::act::step::repeat_record::{TEMPLATE_FIELD, read_record};
use crate::act::step::row::{NO_JOB_ID, is_job_id};

/// Keys: set, record, row, base. Arguments: name, id. Answers 1, 2, 3, 0 or -1.
pub fn firenow<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_firenow(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    if !is_job_id(args.get(1)) {
        return Ok(Value::Error(NO_JOB_ID));
    }
    let fields: List<'a, Option<Text<'a>>> = read_record(s, keys.get(1))?;
    if fields.pick(TEMPLATE_FIELD).is_none() || s.zscore(&[Arg::Text(keys.get(0)), Arg::Text(args.get(0))])?.is_none() {
        return Ok(Value::from(-1));
    }
    if is_overlapping(s, keys.get(3), fields)? {
        return Ok(Value::from(LEFT_OUT));
    }
    let slot: i64 = s.now();
    let outcome: Value<'a> = admit_occurrence(s, keys.get(3), keys.get(1), fields, args.get(0), args.get(1), slot, 0)?;
    if outcome == Value::from(MADE_JOB) {
        s.hset(&[Arg::Text(keys.get(1)), Arg::Word(text!(b"last")), Arg::Text(args.get(1)), Arg::Word(text!(b"last_slot")), Arg::Int(slot)])?;
    }
    return Ok(if outcome == Value::from(ID_TAKEN) || outcome == Value::from(MADE_JOB) || outcome == Value::from(MADE_NONE) { outcome } else { Value::Error(outcome.text()) });
}