// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `GWCLAIM`: leases as many jobs of the lane whose turn it is as its weight says.

use crate::runtime::*;
use crate::act::check::lane::gwclaim::{check_gwclaim};
use crate::act::step::claim::{Claim, start_claim};
use crate::act::step::lane_claim::{BY_WEIGHT, LANE_JOBS_MAX, claim_lane, gate_of, lane_jobs};
use crate::act::step::limit::{Gate};

/// Keys: ring, active, base. Arguments: lease_ms. Answers a list of id, payload, attempts, group.
pub fn gwclaim<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_gwclaim(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let taken: &'a Claim<'a> = start_claim(s, keys.get(2), keys.get(1), text!(b""), s.num(args.get(0))?);
    let gate: &'a Gate<'a> = gate_of(s, taken, LANE_JOBS_MAX)?;
    claim_lane(s, taken, gate, BY_WEIGHT)?;
    return Ok(Value::from(lane_jobs(s, taken)));
}