// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `FCLEAR`: takes signals out of the outbox that have been delivered, or that nobody can deliver.
//!
//! Each is removed by its value, from the head on, so any number of deliverers may do so at once and none takes what it
//! has not delivered.

use crate::runtime::*;
use crate::act::check::flow::fclear::{check_fclear};

/// Signals set aside that are kept, at most, the newest.
pub const BAD_MAX: i64 = 1000;

/// Keys: outbox, base. Arguments: mode, signals. Answers how many were removed.
pub fn fclear<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_fclear(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let bad: Text<'a> = s.concat(&[keys.get(1), text!(b"flow:outbox:bad")]);
    let is_bad: bool = args.get(0) == text!(b"bad");
    let stop: i64 = args.len();
    let mut removed: i64 = 0;
    if is_bad {
        s.llen(&[Arg::Text(bad)])?;
    }
    {
        let mut i: i64 = 1;
        while i < stop {
            if s.lrem(&[Arg::Text(keys.get(0)), Arg::Int(1), Arg::Text(args.get(i))])? == 1 {
                removed += 1;
                if is_bad {
                    s.rpush(&[Arg::Text(bad), Arg::Text(args.get(i))])?;
                }
            }
            i += 1;
        }
    }
    if is_bad {
        s.ltrim(&[Arg::Text(bad), Arg::Int(-BAD_MAX), Arg::Int(-1)])?;
    }
    return Ok(Value::from(removed));
}