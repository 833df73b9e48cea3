// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `DUE`: tells which repeats are due, with all that firing them takes, and when the next one is.

use crate::runtime::*;
use crate::act::check::repeat::due::{check_due};
use crate::act::step::repeat_record::{ENDED_AT};

/// Appends what the due members of a set are, at most `limit` after the first `offset`.
pub fn add_due<'a>(s: &Server<'a>, entries: List<'a, Text<'a>>, base: Text<'a>, type_: Text<'a>, offset: i64, limit: i64) -> Act<()> {
    if limit == 0 {
        return Ok(());
    }
    let set: Text<'a> = s.concat(&[base, type_]);
    let due: List<'a, Text<'a>> = s.zrangebyscore(&[Arg::Text(set), Arg::Word(text!(b"-inf")), Arg::Int(s.now()), Arg::Word(text!(b"LIMIT")), Arg::Int(offset), Arg::Int(limit)])?;
    for name in due.iter() {
        let score: Option<Text<'a>> = s.zscore(&[Arg::Text(set), Arg::Text(name)])?;
        let record: Text<'a> = s.concat(&[base, type_, text!(b":"), name]);
        let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(record), Arg::Word(text!(b"every_ms")), Arg::Word(text!(b"rev")), Arg::Word(text!(b"rule")), Arg::Word(text!(b"policy")), Arg::Word(text!(b"limit")), Arg::Word(text!(b"until")), Arg::Word(text!(b"fired"))])?;
        let size: i64 = entries.len();
        entries.set(size, type_);
        entries.set(size + 1, name);
        entries.set(size + 2, if score.is_none() { text!(b"") } else { score.unwrap() });
        for field in fields.iter() {
            entries.push(if field.is_none() { text!(b"") } else { field.unwrap() });
        }
    }
    Ok(())
}

/// The first instant of a set after now, `ENDED_AT` for none.
pub fn coming_of<'a>(s: &Server<'a>, set: Text<'a>) -> Act<i64> {
    let next: List<'a, Text<'a>> = s.zrangebyscore(&[Arg::Text(set), Arg::Text(s.concat(&[text!(b"("), s.text(s.now())])), Arg::Word(text!(b"+inf")), Arg::Word(text!(b"LIMIT")), Arg::Int(0), Arg::Int(1)])?;
    if next.len() == 0 {
        return Ok(ENDED_AT);
    }
    let score: Option<Text<'a>> = s.zscore(&[Arg::Text(set), Arg::Text(next.get(0))])?;
    return Ok(if score.is_some() && s.int(score.unwrap(), 0, ENDED_AT) { s.num(score.unwrap())? } else { ENDED_AT });
}

/// Keys: repeat, cron, base. Arguments: cron_offset, repeat_offset, limit. Answers now, the first instant after it or
/// -1, and the entries of those that are due.
pub fn due<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_due(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let entries: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let limit: i64 = s.num(args.get(2))?;
    add_due(s, entries, keys.get(2), text!(b"cron"), s.num(args.get(0))?, limit)?;
    add_due(s, entries, keys.get(2), text!(b"repeat"), s.num(args.get(1))?, limit)?;
    let coming: i64 = i64::min(coming_of(s, keys.get(0))?, coming_of(s, keys.get(1))?);
    return Ok(Value::from(s.list(&[Value::from(s.now()), Value::from(if coming == ENDED_AT { -1 } else { coming }), Value::from(entries)])));
}