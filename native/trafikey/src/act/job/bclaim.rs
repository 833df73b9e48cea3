// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `BCLAIM`: leases up to `size` waiting jobs of the flat queue with one common deadline.

use crate::runtime::*;
use crate::act::check::job::bclaim::{check_bclaim};
use crate::act::step::claim::{Claim, plain_jobs, start_claim};
use crate::act::step::lane_claim::{claim_flat, gate_of};

/// Keys: pending, active, base. Arguments: lease_ms, size. Answers a list of id, payload, attempts.
pub fn bclaim<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_bclaim(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let taken: &'a Claim<'a> = start_claim(s, keys.get(2), keys.get(1), text!(b""), s.num(args.get(0))?);
    claim_flat(s, taken, gate_of(s, taken, s.num(args.get(1))?)?, keys.get(0))?;
    return Ok(Value::from(plain_jobs(s, taken)));
}