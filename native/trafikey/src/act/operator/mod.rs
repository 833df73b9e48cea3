// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

pub mod clean;
pub mod drain;
pub mod limits;
pub mod obliterate;
pub mod priority;
pub mod purge;
pub mod qpause;
pub mod qresume;
pub mod repair;
pub mod reschedule;
pub mod revive;
pub mod wpause;
