// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

pub mod admit;
pub mod bclaim;
pub mod cancel;
pub mod claim;
pub mod complete;
pub mod delay;
pub mod enqueue;
pub mod extend;
pub mod extendm;
pub mod giveback;
pub mod log;
pub mod owned;
pub mod progress;
pub mod promote;
pub mod reap;
pub mod release;
pub mod remove;
pub mod reprocess;
pub mod result;
pub mod retry;
pub mod schedule;
pub mod sweep;
pub mod turn;
pub mod update;
