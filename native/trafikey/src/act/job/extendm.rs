// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `EXTENDM`: renews many leases with one common deadline.
//!
//! All are judged before the first is written, so a pair that stands twice is judged and told of twice.

use crate::runtime::*;
use crate::act::check::job::extendm::{check_extendm};
use crate::act::step::bulk::{remove_members};
use crate::act::step::claim::{write_leases};
use crate::act::step::settle::{is_current};

/// Keys: active, base. Arguments: lease_ms, then pairs of id and token. Answers ids not renewed, ids to cancel.
pub fn extendm<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_extendm(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let failed: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let cancelled: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let renewed: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let stop: i64 = args.len();
    {
        let mut i: i64 = 1;
        while i < stop {
            let id: Text<'a> = args.get(i);
            let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[keys.get(1), text!(b"job:"), id])), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"cancel"))])?;
            if !(is_current(fields.pick(0), args.get(i + 1))) || s.zscore(&[Arg::Text(keys.get(0)), Arg::Text(id)])?.is_none() {
                failed.push(id);
            } else {
                renewed.push(id);
                if fields.pick(1).is_some() {
                    cancelled.push(id);
                }
            }
            i += 2;
        }
    }
    remove_members(s, keys.get(0), renewed)?;
    write_leases(s, keys.get(0), renewed, s.num(args.get(0))?)?;
    return Ok(Value::from(s.list(&[Value::from(failed), Value::from(cancelled)])));
}