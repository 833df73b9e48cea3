// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

pub mod child;
pub mod expect;
pub mod fclear;
pub mod fdeliver;
pub mod ffail;
pub mod flow;
pub mod hold;
pub mod park;
