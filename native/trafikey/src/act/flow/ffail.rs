// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `FFAIL`: delivers a failure to a parent of this queue. Delivered again it says nothing new.
//!
//! A parent that it ends signals its own parents in the same act, so an end is neither lost nor told twice.

use crate::runtime::*;
use crate::act::check::flow::ffail::{check_ffail};
use crate::act::step::kin::{IGNORE, nothing_told};
use crate::act::step::parent::{REMOVED_ERROR, child_failed, read_parent};
use crate::act::step::wake::{is_open};

/// Keys: dependencies, failed, unsuccessful, row, base. Arguments: child_id, error, policy, parent_id. Answers 1, 2 when
/// the outbox of this queue has been filled by it, or 0 for nothing new.
pub fn ffail<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_ffail(s, keys, args);
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(4);
    let error: Text<'a> = args.get(1);
    let policy: Text<'a> = args.get(2);
    let parent: Text<'a> = args.get(3);
    let open: bool = is_open(s, base)?;
    let is_removed: bool = policy == IGNORE && error == REMOVED_ERROR;
    read_parent(s, base, parent, args.get(0), if is_removed { text!(b"removed") } else { text!(b"failed") }, policy, error, nothing_told(s))?;
    return Ok(Value::from(child_failed(s, base, parent, args.get(0), error, policy, is_removed, open)?));
}