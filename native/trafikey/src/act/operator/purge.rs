// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `PURGE`: unlinks keys of a paused queue, whatever they are and whatever they hold.
//!
//! It is the last part of obliterating a queue: the host finds the keys by a scan and declares each, so a cluster moves
//! them rightly. The memory is given back beside the acts of others. `meta` holds the pause and therefore goes last.

use crate::runtime::*;
use crate::act::check::operator::purge::{check_purge};
use crate::act::step::bulk::{delete_keys};
use crate::act::step::wake::{is_open};

/// Keys of one act besides the two that it always has.
pub const KEYS_MAX: i64 = 1000;

/// Keys: meta, base, then those to unlink. No arguments. Answers how many there were.
pub fn purge<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_purge(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let stop: i64 = keys.len();
    if stop > KEYS_MAX + 2 {
        return Ok(Value::Error(text!(b"ERR EMQ.PURGE bad argument keys")));
    }
    if is_open(s, keys.get(1))? {
        return Ok(Value::Error(text!(b"EMQSTATE not paused")));
    }
    let doomed: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    {
        let mut i: i64 = 2;
        while i < stop {
            doomed.push(keys.get(i));
            i += 1;
        }
    }
    return Ok(Value::from(delete_keys(s, text!(b"UNLINK"), doomed)?));
}