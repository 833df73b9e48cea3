// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `OWNED`: finds leases of a worker that it does not know of, and extends them.
//!
//! It repairs a `TURN` whose reply was lost. At once, what that act leased is among the newest leases; after an outage,
//! when all workers have renewed what they know of, it is among the oldest. So 500 are looked at from either end. A
//! lease that has lapsed and was not taken back yet is this worker's still, as for `EXTEND`.

use crate::runtime::*;
use crate::act::check::job::owned::{check_owned};
use crate::act::step::bulk::{remove_members};
use crate::act::step::claim::{write_leases};

/// Leases looked at from either end, at most.
pub const FROM_EITHER_END: i64 = 500;

/// Payload bytes that one act answers, at most, unless a single job holds more.
pub const PAYLOAD_MAX: i64 = 1048576;

/// Keys: active, base. Arguments: worker, lease_ms, then known ids. Answers jobs in the form of TURN.
pub fn owned<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_owned(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let known: Dict<'a, bool> = s.dict();
    let stop: i64 = args.len();
    {
        let mut i: i64 = 2;
        while i < stop {
            known.set(s.concat(&[text!(b"s:"), args.get(i)]), true);
            i += 1;
        }
    }
    let ids: List<'a, Text<'a>> = s.zrevrange(&[Arg::Text(keys.get(0)), Arg::Int(0), Arg::Int(FROM_EITHER_END - 1)])?;
    if ids.len() >= FROM_EITHER_END {
        for id in s.zrange(&[Arg::Text(keys.get(0)), Arg::Int(0), Arg::Int(FROM_EITHER_END - 1)])?.iter() {
            ids.push(id);
        }
    }
    let found: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let jobs: List<'a, Value<'a>> = s.list::<Value<'a>>(&[]);
    let mut bytes: i64 = 0;
    for id in ids.iter() {
        if known.get(s.concat(&[text!(b"s:"), id])) != Some(true) {
            // The two ends may meet.
            known.set(s.concat(&[text!(b"s:"), id]), true);
            let row: Text<'a> = s.concat(&[keys.get(1), text!(b"job:"), id]);
            let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(row), Arg::Word(text!(b"owner")), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"payload")), Arg::Word(text!(b"name")), Arg::Word(text!(b"opts")), Arg::Word(text!(b"group")), Arg::Word(text!(b"stalled")), Arg::Word(text!(b"deferred"))])?;
            let payload: Text<'a> = if fields.pick(2).is_none() { text!(b"") } else { fields.pick(2).unwrap() };
            let fits: bool = bytes == 0 || bytes + payload.len() <= PAYLOAD_MAX;
            if fields.pick(0) == Some(args.get(0)) && fields.pick(1).is_some() && fits {
                bytes += payload.len();
                found.push(id);
                jobs.push(Value::from(id));
                jobs.push(Value::from(s.num(fields.pick(1).unwrap())?));
                jobs.push(Value::from(payload));
                {
                    let mut i: i64 = 3;
                    while i < 8 {
                        let field: Option<Text<'a>> = fields.pick(i);
                        jobs.push(Value::from(if field.is_none() { text!(b"") } else { field.unwrap() }));
                        i += 1;
                    }
                }
            }
        }
    }
    remove_members(s, keys.get(0), found)?;
    write_leases(s, keys.get(0), found, s.num(args.get(1))?)?;
    return Ok(Value::from(jobs));
}