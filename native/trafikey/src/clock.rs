//! The clock of acts: the server's, or for tests a key that they set.

use std::sync::OnceLock;

use valkey_module::raw;

use crate::runtime::{Text, whole};
use crate::server::Server;

static KEY: OnceLock<Vec<u8>> = OnceLock::new();

/// Has acts take the instant from a key.
pub fn set_key(key: &[u8]) {
    let _ = KEY.set(key.to_vec());
}

/// Whole Unix milliseconds.
pub fn now(s: &Server) -> i64 {
    let told = KEY.get().and_then(|key| s.plain_text_at(Text(key)));
    if let Some(instant) = told.and_then(|text| whole(text.0)) {
        return instant;
    }
    // SAFETY: takes nothing and reads a number: the instant at which the server began with this command.
    unsafe { raw::RedisModule_CachedMicroseconds.unwrap()() / 1000 }
}
