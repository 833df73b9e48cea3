// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `GCLAIM`: leases one job of the lane whose turn it is.
//!
//! The pause of the queue is tested inside the act, so none can slip in between.

use crate::runtime::*;
use crate::act::check::lane::gclaim::{check_gclaim};
use crate::act::step::claim::{Claim, start_claim};
use crate::act::step::lane_claim::{LANE_JOBS_MAX, ONE_JOB, claim_lane, gate_of, lane_jobs};
use crate::act::step::limit::{Gate};

/// Keys: ring, active, base. Arguments: lease_ms. Answers id, payload, attempts, group, or an empty list.
pub fn gclaim<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_gclaim(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let taken: &'a Claim<'a> = start_claim(s, keys.get(2), keys.get(1), text!(b""), s.num(args.get(0))?);
    let gate: &'a Gate<'a> = gate_of(s, taken, LANE_JOBS_MAX)?;
    claim_lane(s, taken, gate, ONE_JOB)?;
    let jobs: List<'a, List<'a, Value<'a>>> = lane_jobs(s, taken);
    return Ok(Value::from(if jobs.len() > 0 { jobs.get(0) } else { s.list::<Value<'a>>(&[]) }));
}