// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `CLAIM`: leases the first waiting job of the flat queue.
//!
//! The pause is tested inside the act, so none can slip in between. The size of `active` is read before anything is
//! taken: a foreign type there must not cost a job.

use crate::runtime::*;
use crate::act::check::job::claim::{check_claim};
use crate::act::step::claim::{Claim, plain_jobs, start_claim};
use crate::act::step::lane_claim::{claim_flat, gate_of};

/// Keys: pending, active, base. Arguments: lease_ms. Answers id, payload, attempts, or an empty list.
pub fn claim<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_claim(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let taken: &'a Claim<'a> = start_claim(s, keys.get(2), keys.get(1), text!(b""), s.num(args.get(0))?);
    claim_flat(s, taken, gate_of(s, taken, 1)?, keys.get(0))?;
    let jobs: List<'a, List<'a, Value<'a>>> = plain_jobs(s, taken);
    return Ok(Value::from(if jobs.len() > 0 { jobs.get(0) } else { s.list::<Value<'a>>(&[]) }));
}