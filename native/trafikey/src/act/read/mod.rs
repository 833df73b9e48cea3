// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

pub mod counts;
pub mod examine;
pub mod explain;
pub mod maxed;
pub mod ratettl;
pub mod state;
