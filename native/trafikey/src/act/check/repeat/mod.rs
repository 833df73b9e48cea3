// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

pub mod advance;
pub mod due;
pub mod fire;
pub mod firenow;
pub mod repeat;
pub mod show;
pub mod skip;
pub mod unrepeat;
