// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

pub mod gbclaim;
pub mod gclaim;
pub mod gdrain;
pub mod genqueue;
pub mod glimit;
pub mod gorder;
pub mod gpause;
pub mod grate;
pub mod greap;
pub mod greassign;
pub mod gresume;
pub mod gwclaim;
pub mod gweight;
pub mod lanecounts;
pub mod lanes;
