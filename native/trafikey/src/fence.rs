//! The wire's version: what this server speaks, compared with what the keyspace holds.
//!
//! The comparison writes nothing. Where no version stands, the first act that writes claims it. In a cluster, a node
//! that does not own the version's slot keeps in memory what `EMQ.FENCE` has told it.

use std::sync::OnceLock;

use crate::runtime::{Act, Arg, Text, Value, text};
use crate::server::Server;

const KEY: Text<'static> = text!(b"{emq}:version");

/// The version of a module that is loaded without one.
const DEFAULT: &[u8] = b"echomq:4.0.0";

static OWN: OnceLock<Vec<u8>> = OnceLock::new();

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
pub fn claim(s: &Server) -> Act<()> {
    if s.is_marked.get() {
        return Ok(());
    }
    s.run_apart(c"SET", &[Arg::Text(KEY), Arg::Text(Text(own())), Arg::Text(text!(b"NX"))])
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
