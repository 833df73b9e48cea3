// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `SHOW`: tells what stands of some repeats of one set, their next occurrences and their records, at one instant.

use crate::runtime::*;
use crate::act::check::repeat::show::{check_show};

/// Keys: set, base. Arguments: names. Answers for each its score or the empty text, and its record.
pub fn show<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_show(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let shown: List<'a, Value<'a>> = s.list::<Value<'a>>(&[]);
    for name in args.iter() {
        let score: Option<Text<'a>> = s.zscore(&[Arg::Text(keys.get(0)), Arg::Text(name)])?;
        let one: List<'a, Text<'a>> = s.list(&[if score.is_none() { text!(b"") } else { score.unwrap() }]);
        // A member that can be no name has no record.
        if s.name(name) {
            for part in s.hgetall(&[Arg::Text(s.concat(&[keys.get(0), text!(b":"), name]))])?.iter() {
                one.push(part);
            }
        }
        shown.push(Value::from(one));
    }
    return Ok(Value::from(shown));
}