// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `SWEEP`: takes back lapsed leases, ends jobs that lapsed too often or did not begin in time, and takes away kept jobs
//! whose time is over.
//!
//! It pushes whenever the queue is claimable, whatever it took back, so that a sweep finds a job of a foreign producer,
//! and mends a lost token, as a `TURN` does; it pushes as well when a job has fallen due in a queue that is not paused,
//! since whoever kept time may have died. So an idle worker may sweep in place of asking.

use crate::runtime::*;
use crate::act::check::job::sweep::{check_sweep};
use crate::act::step::lapse::{Lapsed, take_back};
use crate::act::step::repeat_record::{repeat_in};
use crate::act::step::retain::{Expired, Terms, dead_terms, drop_expired, find_expired};
use crate::act::step::ttl::{Untimely, end_untimely, find_untimely};
use crate::act::step::wake::{is_open, push, push_if_claimable};

/// Whether a job of the schedule, or the end of a limit's rest, has fallen due.
pub fn is_due<'a>(s: &Server<'a>, base: Text<'a>) -> Act<bool> {
    if s.zrangebyscore(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Word(text!(b"-inf")), Arg::Int(s.now()), Arg::Word(text!(b"LIMIT")), Arg::Int(0), Arg::Int(1)])?.len() > 0 {
        return Ok(true);
    }
    return Ok(s.zrangebyscore(&[Arg::Text(s.concat(&[base, text!(b"rest")])), Arg::Word(text!(b"-inf")), Arg::Int(s.now()), Arg::Word(text!(b"LIMIT")), Arg::Int(0), Arg::Int(1)])?.len() > 0);
}

/// How many leases of `limit` have lapsed, which come first; not counted where nothing else asks for the rest.
pub fn lapsed_count<'a>(s: &Server<'a>, active: Text<'a>, base: Text<'a>, limit: i64) -> Act<i64> {
    if s.zcard(&[Arg::Text(s.concat(&[base, text!(b"ttl")]))])? == 0 {
        return Ok(limit);
    }
    return Ok(i64::min(limit, s.zcount(&[Arg::Text(active), Arg::Word(text!(b"-inf")), Arg::Int(s.now())])?));
}

/// Keys: active, pending, dead, base. Arguments: max_stalled, limit, perhaps dead_n, dead_ms and result_ms. Answers
/// recovered ids, dead ids; with the terms also how many kept jobs whose time was over it looked at, within the limit,
/// how many leases were dropped because their job was gone or not active, whether a token lies in the wake list
/// now, which says to whoever hears no token that there may be work, the ids of the jobs that are dead because they did
/// not begin in time, how many entries of `ttl` it looked at, whether the outbox holds signals to be delivered, and how
/// long it is until a repeat occurs, -1 for none.
pub fn sweep<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_sweep(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(3);
    let wake: Text<'a> = s.concat(&[base, text!(b"wake")]);
    let open: bool = is_open(s, base)?;
    let limit: i64 = s.num(args.get(1))?;
    let due: bool = is_due(s, base)?;
    let repeats: i64 = if args.len() > 2 && s.exists(&[Arg::Text(s.concat(&[base, text!(b"repeat")])), Arg::Text(s.concat(&[base, text!(b"cron")]))])? > 0 { repeat_in(s, base)? } else { -1 };
    let expired: &'a Expired<'a> = find_expired(s, base, if args.len() > 2 { limit } else { 0 })?;
    let terms: &'a Terms<'a> = dead_terms(s, args, 2)?;
    let untimely: &'a Untimely<'a> = find_untimely(s, base, if args.len() > 2 { limit - lapsed_count(s, keys.get(0), base, limit)? } else { 0 }, terms)?;
    let lapsed: &'a Lapsed<'a> = take_back(s, keys.get(0), base, s.num(args.get(0))?, limit, terms)?;
    let overdue: List<'a, Text<'a>> = end_untimely(s, base, untimely, terms)?;
    if open && due {
        push(s, wake)?;
    } else {
        push_if_claimable(s, base, open)?;
    }
    if args.len() == 2 {
        return Ok(Value::from(s.list(&[Value::from(lapsed.recovered), Value::from(lapsed.dead)])));
    }
    let looked: i64 = lapsed.recovered.len() + lapsed.dead.len() + lapsed.dropped.get();
    let gone: i64 = drop_expired(s, base, expired, limit - looked - untimely.ids.len())?;
    let outbox: Text<'a> = s.concat(&[base, text!(b"flow:outbox")]);
    let found: i64 = s.exists(&[Arg::Text(wake), Arg::Text(outbox), Arg::Text(outbox)])?;
    let signals: i64 = if found >= 2 { 1 } else { 0 };
    let tokens: i64 = found - signals * 2;
    let looks: i64 = untimely.ids.len();
    return Ok(Value::from(s.list(&[Value::from(lapsed.recovered), Value::from(lapsed.dead), Value::from(gone), Value::from(lapsed.dropped.get()), Value::from(tokens), Value::from(overdue), Value::from(looks), Value::from(signals), Value::from(repeats)])));
}