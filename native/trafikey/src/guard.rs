//! The guards that a server sets before writes: a replica that is read only, too few replicas, a disk that fails, and
//! for acts that grow the keyspace a full memory.
//!
//! The server itself is asked, by a write that it judges and does not run. That costs more than all else about a small
//! act, so its yes is remembered until something happens that could make it a no: a change of settings, of the role, of
//! replicas, or the end of a snapshot. It is not remembered where the answer can change in silence: while replicas are
//! demanded, which may fall behind, or while the log of writes is on, which may fail at any moment.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

use valkey_module::raw;

use crate::runtime::{Act, Arg, Text, Value, text};
use crate::server::Server;

/// Whether the last answer was yes, and nothing has happened since.
static IS_KNOWN: AtomicBool = AtomicBool::new(false);

/// States of the server or of the call in which it is asked each time.
const ASK_ALWAYS: u32 = raw::REDISMODULE_CTX_FLAGS_SLAVE
    | raw::REDISMODULE_CTX_FLAGS_READONLY
    | raw::REDISMODULE_CTX_FLAGS_AOF
    | raw::REDISMODULE_CTX_FLAGS_OOM
    | raw::REDISMODULE_CTX_FLAGS_LUA
    | raw::REDISMODULE_CTX_FLAGS_LOADING;

/// What happens to a server that may change its answer.
const EVENTS: [u64; 5] = [
    raw::REDISMODULE_EVENT_CONFIG,
    raw::REDISMODULE_EVENT_PERSISTENCE,
    raw::REDISMODULE_EVENT_REPLICATION_ROLE_CHANGED,
    raw::REDISMODULE_EVENT_REPLICA_CHANGE,
    raw::REDISMODULE_EVENT_MASTER_LINK_CHANGE,
];

/// Begins to listen for what may change the answer; false when the server does not offer it.
///
/// # Safety
///
/// While the module is loaded, with the context of that.
pub unsafe fn listen(ctx: *mut raw::RedisModuleCtx) -> bool {
    EVENTS.iter().all(|id| {
        let event = raw::RedisModuleEvent { id: *id, dataver: 1 };
        // SAFETY: the handler lives as long as the module.
        let status = unsafe { raw::RedisModule_SubscribeToServerEvent.unwrap()(ctx, event, Some(forget)) };
        status == raw::REDISMODULE_OK as i32
    })
}

unsafe extern "C" fn forget(_: *mut raw::RedisModuleCtx, _: raw::RedisModuleEvent, _: u64, _: *mut c_void) {
    IS_KNOWN.store(false, Ordering::Relaxed);
}

/// Passes when the server takes a write of this act now.
pub fn pass(s: &Server, grows: bool, anchor: Text) -> Act<()> {
    // SAFETY: the context is that of the command.
    let flags = unsafe { raw::RedisModule_GetContextFlags.unwrap()(s.ctx) } as u32;
    if flags & ASK_ALWAYS == 0 && IS_KNOWN.load(Ordering::Relaxed) {
        return Ok(());
    }
    if grows {
        s.dry_run(c"SET", &[Arg::Text(anchor), Arg::Text(text!(b""))])?;
    } else {
        s.dry_run(c"DEL", &[Arg::Text(anchor)])?;
    }
    IS_KNOWN.store(!demands_replicas(s), Ordering::Relaxed);
    Ok(())
}

/// Whether writes need replicas that keep up.
fn demands_replicas(s: &Server) -> bool {
    let asked = [Arg::Text(text!(b"GET")), Arg::Text(text!(b"min-replicas-to-write"))];
    match s.ask_apart(c"CONFIG", &asked) {
        Ok(Value::List(pair)) if pair.len() == 2 => pair.get(1) != Value::Text(text!(b"0")),
        _ => true,
    }
}
