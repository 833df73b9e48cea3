// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `ADMIT`: admits many jobs in one act; what `add` and `addBulk` send.

use crate::runtime::*;
use crate::act::check::job::admit::{check_admit};
use crate::act::step::admission::{Admission};
use crate::act::step::admit_act::{admit_runs, start_admission};

/// Keys: base, pending. Arguments: runs of (shape, count, row…). Answers the exceptions.
pub fn admit<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_admit(s, keys, args)?;
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let admission: &'a Admission<'a> = start_admission(s, keys.get(0));
    let verdict: Text<'a> = admit_runs(s, admission, keys.get(1), args)?;
    return Ok(if verdict == text!(b"") { Value::from(admission.exceptions) } else { Value::Error(verdict) });
}