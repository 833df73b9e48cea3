// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

pub mod check;
pub mod flow;
pub mod job;
pub mod lane;
pub mod operator;
pub mod read;
pub mod repeat;
pub mod step;
pub mod verbs;
