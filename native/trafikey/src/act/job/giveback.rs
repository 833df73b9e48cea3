// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `GIVEBACK`: puts an active job back to its place at once. It is an interruption, not a failure.

use crate::runtime::*;
use crate::act::check::job::giveback::{check_giveback};
use crate::act::step::put_back::{give_up};
use crate::act::step::settle::{judge, read_holder};
use crate::act::step::wake::{is_open, push_if_claimable};

/// Keys: active, row, pending, base. Arguments: id, token. Answers 1.
pub fn giveback<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_giveback(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let holder: List<'a, Option<Text<'a>>> = read_holder(s, keys.get(1))?;
    let verdict: Text<'a> = judge(holder, args.get(1), text!(b"EMQSTALE job gone"), text!(b"EMQSTALE giveback token mismatch"));
    if verdict != text!(b"") {
        return Ok(Value::Error(verdict));
    }
    let open: bool = is_open(s, keys.get(3))?;
    give_up(s, keys.get(3), args.get(0), holder)?;
    push_if_claimable(s, keys.get(3), open)?;
    return Ok(Value::from(1));
}