//! The wire's version: what this server speaks, compared with what the keyspace holds.
//!
//! The comparison writes nothing. Where no version stands, the first act that writes claims it.
//!
//! In a cluster an act must not touch the key of the version: the server looks for every key of a command in the slot of
//! the command, and would find nothing, or write it where nobody finds it. So there a node compares with what it
//! remembers: what `EMQ.FENCE` has read or was told, and what a look outside of all acts finds, which claims, too. Memory
//! is lost with a restart, so hosts tell it with each connection.

use std::ffi::{CString, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use bumpalo::Bump;
use valkey_module::raw;

use crate::runtime::{Act, Arg, Text, Value, text};
use crate::server::Server;

const KEY: Text<'static> = text!(b"{emq}:version");

/// The version of a module that is loaded without one.
const DEFAULT: &[u8] = b"echomq:4.0.0";

static OWN: OnceLock<Vec<u8>> = OnceLock::new();

/// Whether the server is a node of a cluster, which it is for as long as it runs.
static IS_CLUSTER: AtomicBool = AtomicBool::new(false);

/// In a cluster: the version of another wire that was found at last, if one was.
static OTHER: Mutex<Option<Vec<u8>>> = Mutex::new(None);

/// In a cluster: whether a client has passed the fence at the owner of the version, and the two agree with this server.
/// Only a node on which no version stands asks for it; a yes is all that it ever holds, for anybody could bring a no.
static IS_VERIFIED: AtomicBool = AtomicBool::new(false);

/// In a cluster: whether an act has written, so that the next look claims the version.
static CLAIMS: AtomicBool = AtomicBool::new(false);

/// In a cluster: when the last look was ordered, and how long until the next: soon where nobody has told this node
/// anything, since it may own the key, and late where a client has vouched that the version stands elsewhere.
static LAST_LOOK_AT: AtomicI64 = AtomicI64::new(0);
const LOOK_MS: i64 = 1000;
const LOOK_VERIFIED_MS: i64 = 60_000;

/// Learns what kind of server this is.
///
/// # Safety
///
/// While the module is loaded, with the context of that.
pub unsafe fn begin(ctx: *mut raw::RedisModuleCtx) {
    IS_CLUSTER.store(flags_of(ctx) & raw::REDISMODULE_CTX_FLAGS_CLUSTER != 0, Ordering::Relaxed);
}

/// Sets the version that this server speaks; once, when it is loaded.
pub fn set_own(version: &[u8]) {
    let _ = OWN.set(version.to_vec());
}

pub fn own() -> &'static [u8] {
    OWN.get().map_or(DEFAULT, Vec::as_slice)
}

/// The refusal of a keyspace of another version, empty for none.
pub fn compare<'a>(s: &Server<'a>) -> Text<'a> {
    if IS_CLUSTER.load(Ordering::Relaxed) {
        look_soon(s);
        return other().map_or(Text(&[]), |other| refusal(s, &other));
    }
    match s.plain_text_at(KEY) {
        Some(found) if found.0 != own() => refusal(s, found.0),
        found => {
            s.is_marked.set(found.is_some());
            Text(&[])
        }
    }
}

fn other() -> Option<Vec<u8>> {
    OTHER.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn refusal<'a>(s: &Server<'a>, found: &[u8]) -> Text<'a> {
    s.concat(&[text!(b"EMQFENCE wire version is "), Text(found), text!(b", this server speaks "), Text(own())])
}

/// Writes the version where none stands; in a cluster right after the act, if this node owns the key.
pub fn claim(s: &Server) -> Act<()> {
    if IS_CLUSTER.load(Ordering::Relaxed) {
        CLAIMS.store(true, Ordering::Relaxed);
        return Ok(());
    }
    if s.is_marked.get() { Ok(()) } else { set(s) }
}

fn set(s: &Server) -> Act<()> {
    s.run_apart(c"SET", &[Arg::Text(KEY), Arg::Text(Text(own())), Arg::Text(text!(b"NX"))])
}

fn flags_of(ctx: *mut raw::RedisModuleCtx) -> u32 {
    // SAFETY: the context is that of a callback of the server that runs now.
    unsafe { raw::RedisModule_GetContextFlags.unwrap()(ctx) as u32 }
}

/// Orders a look at the key, unless the last was a moment ago.
fn look_soon(s: &Server) {
    let rest_ms = if IS_VERIFIED.load(Ordering::Relaxed) { LOOK_VERIFIED_MS } else { LOOK_MS };
    let now = s.now();
    // A clock that was set back must not keep it from looking.
    if (0..rest_ms).contains(&(now - LAST_LOOK_AT.load(Ordering::Relaxed))) {
        return;
    }
    LAST_LOOK_AT.store(now, Ordering::Relaxed);
    // SAFETY: the server calls it once, outside of all commands, and does not unload the module before.
    unsafe { raw::RedisModule_CreateTimer.unwrap()(s.ctx, 0, Some(look), ptr::null_mut()) };
}

/// Reads the key where this node owns it, and claims it if an act has written and none stands. A node that does not own
/// the key finds none, and the server refuses its claim, which is no matter.
unsafe extern "C" fn look(ctx: *mut raw::RedisModuleCtx, _: *mut c_void) {
    let arena = Bump::new();
    let s = Server::new(ctx, &arena, false, Text(b""));
    let stored = s.plain_text_at(KEY);
    remember(stored);
    let may_write = flags_of(ctx) & (raw::REDISMODULE_CTX_FLAGS_SLAVE | raw::REDISMODULE_CTX_FLAGS_READONLY) == 0;
    if CLAIMS.swap(false, Ordering::Relaxed) && stored.is_none() && may_write {
        let _ = set(&s);
    }
    s.end();
}

/// Keeps what stands at the key, for the acts to compare with.
fn remember(stored: Option<Text>) {
    let other = stored.filter(|found| found.0 != own()).map(|found| found.0.to_vec());
    *OTHER.lock().unwrap_or_else(PoisonError::into_inner) = other;
    // A node that owns the version needs no word of others for it, now or when the key goes.
    if stored.is_some() {
        IS_VERIFIED.store(false, Ordering::Relaxed);
    }
}

/// `EMQ.FENCE 0 <version>`: whether the client speaks the version of this server. It writes nothing, and a node of a
/// cluster on which no version stands remembers a yes.
pub fn verify<'a>(s: &Server<'a>, version: Text<'a>) -> Value<'a> {
    let stored = s.plain_text_at(KEY);
    remember(stored);
    let found = stored.map_or(version.0, |stored| stored.0);
    if found == own() && version.0 == own() {
        if stored.is_none() && IS_CLUSTER.load(Ordering::Relaxed) {
            IS_VERIFIED.store(true, Ordering::Relaxed);
        }
        return Value::Text(text!(b"OK"));
    }
    Value::Error(refusal(s, if found == own() { version.0 } else { found }))
}

/// Tells `INFO trafikey` which version this server speaks, and whether a client has vouched for a foreign slot.
///
/// # Safety
///
/// For the server to call.
pub unsafe extern "C" fn inform(ctx: *mut raw::RedisModuleInfoCtx, _: c_int) {
    let own = String::from_utf8_lossy(own()).replace(['\r', '\n', '\0'], " ");
    let own = CString::new(own).unwrap_or_default();
    // SAFETY: the server copies the texts, and calls this with the context that they are for.
    unsafe {
        raw::RedisModule_InfoAddSection.unwrap()(ctx, c"".as_ptr());
        raw::RedisModule_InfoAddFieldCString.unwrap()(ctx, c"wire_version".as_ptr(), own.as_ptr());
        let is_verified = u64::from(IS_VERIFIED.load(Ordering::Relaxed));
        raw::RedisModule_InfoAddFieldULongLong.unwrap()(ctx, c"fence_verified".as_ptr(), is_verified);
    }
}
