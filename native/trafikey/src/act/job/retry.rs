// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `RETRY`: ends an attempt as failed. The job is tried again after a delay, or is dead when its budget is spent.

use crate::runtime::*;
use crate::act::check::job::retry::{check_retry};
use crate::act::step::event::{heard_by};
use crate::act::step::limit::{has_ceiling};
use crate::act::step::put_back::{fail};
use crate::act::step::retain::{Terms, dead_terms};
use crate::act::step::settle::{judge, read_holder};
use crate::act::step::wake::{is_open, push_if_claimable, push_if_head};

/// Keys: active, schedule, dead, row, base. Arguments: id, token, delay_ms, max_attempts, error, perhaps dead_n, dead_ms
/// and result_ms.
pub fn retry<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_retry(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let id: Text<'a> = args.get(0);
    let base: Text<'a> = keys.get(4);
    let holder: List<'a, Option<Text<'a>>> = read_holder(s, keys.get(3))?;
    let verdict: Text<'a> = judge(holder, args.get(1), text!(b"EMQSTALE job gone"), text!(b"EMQSTALE retry token mismatch"));
    if verdict != text!(b"") {
        return Ok(Value::Error(verdict));
    }
    let open: bool = is_open(s, base)?;
    let frees: bool = holder.pick(3).is_some() || has_ceiling(s, base)?;
    let terms: &'a Terms<'a> = dead_terms(s, args, 5)?;
    terms.heard.set(heard_by(s, base)?);
    let word: Text<'a> = fail(s, base, id, holder, s.num(args.get(2))?, s.num(args.get(3))?, args.get(4), terms)?;
    if frees {
        push_if_claimable(s, base, open)?;
    }
    if word == text!(b"scheduled") {
        push_if_head(s, base, id)?;
    }
    return Ok(Value::from(word));
}