//! The wire's version: what this server speaks, compared with what the keyspace holds.
//!
//! The comparison writes nothing. Where no version stands, the first act that writes claims it. In a cluster, a node
//! that does not own the version's slot keeps in memory what `EMQ.FENCE` has told it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};

use valkey_module::raw;

use crate::runtime::{Act, Arg, Text, Value, text};
use crate::server::Server;

const KEY: Text<'static> = text!(b"{emq}:version");

/// The version of a module that is loaded without one.
const DEFAULT: &[u8] = b"echomq:4.0.0";

static OWN: OnceLock<Vec<u8>> = OnceLock::new();

/// When a node of a cluster last tried to claim the version, and for how long it then does not, in ms.
static LAST_TRY_AT: AtomicI64 = AtomicI64::new(0);
const CLAIM_MS: i64 = 1000;

/// Sets the version that this server speaks; once, when it is loaded.
pub fn set_own(version: &[u8]) {
    let _ = OWN.set(version.to_vec());
}

pub fn own() -> &'static [u8] {
    OWN.get().map_or(DEFAULT, Vec::as_slice)
}

/// The refusal of a keyspace of another version, empty for none.
pub fn compare<'a>(s: &Server<'a>) -> Text<'a> {
    match s.plain_text_at(KEY) {
        Some(found) if found.0 != own() => refusal(s, found.0),
        found => {
            s.is_marked.set(found.is_some());
            Text(&[])
        }
    }
}

fn refusal<'a>(s: &Server<'a>, found: &[u8]) -> Text<'a> {
    s.concat(&[text!(b"EMQFENCE wire version is "), Text(found), text!(b", this server speaks "), Text(own())])
}

/// Writes the version where none stands.
///
/// In a cluster most nodes do not own the key's slot, and none says whether it does. So a node tries from time to time,
/// and a refusal is no matter: each host claims the version at its owner before its first act.
pub fn claim(s: &Server) -> Act<()> {
    if s.is_marked.get() {
        return Ok(());
    }
    let set = || s.run_apart(c"SET", &[Arg::Text(KEY), Arg::Text(Text(own())), Arg::Text(text!(b"NX"))]);
    if !is_cluster(s) {
        return set();
    }
    if s.now() - LAST_TRY_AT.swap(s.now(), Ordering::Relaxed) >= CLAIM_MS {
        let _ = set();
    }
    Ok(())
}

fn is_cluster(s: &Server) -> bool {
    // SAFETY: the context is that of the command.
    let flags = unsafe { raw::RedisModule_GetContextFlags.unwrap()(s.ctx) } as u32;
    flags & raw::REDISMODULE_CTX_FLAGS_CLUSTER != 0
}

/// `EMQ.FENCE 0 <version>`: whether the client speaks the version of this server.
pub fn verify<'a>(s: &Server<'a>, version: Text<'a>) -> Value<'a> {
    let stored = s.plain_text_at(KEY);
    let found = stored.map_or(version.0, |stored| stored.0);
    if found == own() && version.0 == own() {
        return Value::Text(text!(b"OK"));
    }
    Value::Error(refusal(s, if found == own() { version.0 } else { found }))
}
