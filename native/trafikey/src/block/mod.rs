//! Claims that block: `… BLOCK <ms>` behind the arguments of a verb that claims.
//!
//! The act runs at once, as without these words. Where it claims nothing the client is parked, and the act runs again,
//! for the client that has waited longest, when the queue has changed or the time has come that the act has named. Who
//! is parked costs the server nothing until then. Nothing is taken out of `wake` and nothing is asked in turns:
//!
//! - The server tells of every change of a key, whoever made it (`stir.rs`).
//! - Each client waits at a key of its own, which never exists. Its name is the base key of the queue with something
//!   behind it, so it lies in the queue's slot, and the server itself redirects the client when the slot goes away or
//!   the server becomes a replica. To call a client is to signal its key; the server then lets it try once the act, the
//!   script or the transaction that has changed the queue is over (`wake.rs`).
//! - One client of a queue is called at a time. Whoever was served calls the next one; whoever got nothing stays, and
//!   what is there is offered to the first of those who wait for the other kind of work.

mod places;
mod stir;
mod wake;

pub use places::Kind;
pub use stir::begin;
pub use wake::{Call, answer};

use crate::keyspace;
use crate::runtime::{Text, Value, whole};
use crate::verb::Verb;

/// The word before how long a call may wait.
const BLOCK: &[u8] = b"BLOCK";

/// The longest wait: 24 days.
const MS_MAX: i64 = 2_147_483_648;

/// How long a call is to wait at most.
pub enum Wait<'b, 'a> {
    /// It is a call as any other.
    No,
    /// It says so in words that are no number in range.
    Unreadable,
    /// For what, the arguments without the words that say so, and how many ms; 0 does not wait.
    Most(Kind, &'b [Text<'a>], i64),
}

/// Takes the words that say how long to wait off the arguments.
///
/// No call without them is taken for one that has them: the last but one of its arguments is a number or an id, or is
/// refused for being none.
pub fn split<'b, 'a>(verb: &Verb, keys: &[Text<'a>], args: &'b [Text<'a>]) -> Wait<'b, 'a> {
    let Some(kind) = verb.blocks else {
        return Wait::No;
    };
    let [own @ .., Text(BLOCK), most_ms] = args else {
        return Wait::No;
    };
    if keyspace::is_integer(most_ms.0, 0, MS_MAX) {
        return Wait::Most(kind, own, whole(most_ms.0).unwrap_or(0));
    }
    // A call of another shape is refused for that first.
    let count = own.len() as i64;
    let fits = keys.len() as i64 == verb.keys && (count == verb.args || (verb.has_more && count > verb.args));
    if fits { Wait::Unreadable } else { Wait::No }
}

/// Whether an act has done what it was asked for and has nothing to tell, so that its client may as well wait.
///
/// A turn has something to tell when it claimed, when a settlement was refused, and when its worker is to take no jobs;
/// and one that wants nothing waits for nothing.
fn is_idle(kind: Kind, args: &[Text], value: Value) -> bool {
    match (kind, value) {
        (Kind::Flat, value) => is_empty(value),
        (Kind::Whole, Value::List(parts)) => {
            let is_paused = parts.len() > 4 && parts.get(4) == Value::Int(1);
            args.get(2).is_some_and(|want| want.0 != b"0")
                && is_empty(parts.get(0))
                && is_empty(parts.get(3))
                && !is_paused
        }
        _ => false,
    }
}

fn is_empty(value: Value) -> bool {
    match value {
        Value::List(list) => list.len() == 0,
        Value::Texts(list) => list.len() == 0,
        Value::Ints(list) => list.len() == 0,
        Value::Options(list) => list.len() == 0,
        Value::Lists(list) => list.len() == 0,
        _ => false,
    }
}
