//! What may let a parked client go on: a change of its queue, whoever made it, and the time.
//!
//! The server tells modules of every change of a key once they have asked, and they cannot ask it to stop. So it is
//! asked when the first client is parked: who never blocks pays nothing. While nobody is parked a change costs one look
//! at a counter.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_int, c_void};

use valkey_module::raw;

use super::places::{Places, Spot, Ticket};
use crate::keyspace;
use crate::server::{OwnedString, bytes_of};

type Timer = raw::RedisModuleTimerID;

thread_local! {
    /// All that wait. The server runs its modules in one thread.
    pub static PLACES: RefCell<Places<Timer>> = RefCell::new(Places::new());

    /// Whether a parked client is just trying: what it changes is no news to its queue.
    static IS_TRYING: Cell<bool> = const { Cell::new(false) };

    static IS_LISTENING: Cell<bool> = const { Cell::new(false) };
}

/// Changes that the server is asked to tell of. Texts are left out: only `limiter` is one, and its end is told.
const CLASSES: c_int = raw::REDISMODULE_NOTIFY_GENERIC
    | raw::REDISMODULE_NOTIFY_LIST
    | raw::REDISMODULE_NOTIFY_HASH
    | raw::REDISMODULE_NOTIFY_ZSET
    | raw::REDISMODULE_NOTIFY_EXPIRED
    | raw::REDISMODULE_NOTIFY_EVICTED;

/// Begins anew when the module is loaded: what it knew before may outlive its unloading, and the server listens to it no
/// more.
pub fn begin() {
    IS_LISTENING.set(false);
    PLACES.set(Places::new());
}

/// Begins to listen, once; false when the server does not let it.
pub fn listen(ctx: *mut raw::RedisModuleCtx) -> bool {
    if IS_LISTENING.get() {
        return true;
    }
    let swap = raw::RedisModuleEvent { id: raw::REDISMODULE_EVENT_SWAPDB, dataver: 1 };
    // SAFETY: the context is that of a command, and the handlers live as long as the module.
    let is_told = unsafe {
        raw::RedisModule_SubscribeToKeyspaceEvents.unwrap()(ctx, CLASSES, Some(on_change)) == OK
            && raw::RedisModule_SubscribeToServerEvent.unwrap()(ctx, swap, Some(on_swap)) == OK
    };
    IS_LISTENING.set(is_told);
    is_told
}

const OK: c_int = raw::REDISMODULE_OK as c_int;

/// Runs what a parked client tries, which calls nobody.
pub fn trying<T>(run: impl FnOnce() -> T) -> T {
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            IS_TRYING.set(false);
        }
    }
    IS_TRYING.set(true);
    let _reset = Reset;
    run()
}

/// A queue has changed: whoever has waited longest tries.
///
/// # Safety
///
/// With the context of a callback that the database of the queue is selected in; so for all functions of this file.
pub unsafe fn stir(ctx: *mut raw::RedisModuleCtx, db: i32, base: &[u8], must_look: bool) {
    let ticket = PLACES.with_borrow_mut(|places| places.call(db, base, must_look));
    // SAFETY: the caller answers for the context.
    unsafe { signal(ctx, base, ticket) };
}

/// Has the server call a client, if there is one to be called.
///
/// # Safety
///
/// As for [`stir`].
pub unsafe fn signal(ctx: *mut raw::RedisModuleCtx, base: &[u8], ticket: Option<Ticket>) {
    if let Some(ticket) = ticket {
        let key = key_of(base, ticket);
        // SAFETY: the caller answers for the context; the server takes a reference of its own.
        unsafe { raw::RedisModule_SignalKeyAsReady.unwrap()(ctx, key.0) };
    }
}

/// The key that a parked client waits at. It holds a NUL, so it is none of the wire's, and nobody writes it.
pub fn key_of(base: &[u8], ticket: Ticket) -> OwnedString {
    OwnedString::new(&[base, b"\0", &ticket.to_be_bytes()].concat())
}

/// Whether a change of a key of this type may let a client go on, and whether that shows only to who looks: it is none
/// of what waits in the queue.
fn is_news(key_type: &[u8], event: &CStr) -> Option<bool> {
    match key_type {
        b"pending" | b"ring" => Some(false),
        // A lease that ends makes room below a ceiling; one that begins or goes on takes it.
        b"active" => (event != c"zadd").then_some(false),
        b"meta" | b"limiter" | b"rate" => Some(false),
        b"schedule" | b"rest" => Some(true),
        _ => None,
    }
}

unsafe extern "C" fn on_change(
    ctx: *mut raw::RedisModuleCtx,
    _: c_int,
    event: *const c_char,
    key: *mut raw::RedisModuleString,
) -> c_int {
    if IS_TRYING.get() || PLACES.with_borrow(Places::is_empty) {
        return OK;
    }
    // SAFETY: the server hands over its own strings, which live until this returns, and has selected the database.
    unsafe {
        let name = bytes_of(key);
        if let Some((_, key_type)) = keyspace::split_queue_key(name) {
            if let Some(must_look) = is_news(key_type, CStr::from_ptr(event)) {
                let db = raw::RedisModule_GetSelectedDb.unwrap()(ctx);
                stir(ctx, db, &name[..name.len() - key_type.len()], must_look);
            }
        }
    }
    OK
}

/// Two databases were swapped, so their queues are others.
unsafe extern "C" fn on_swap(ctx: *mut raw::RedisModuleCtx, _: raw::RedisModuleEvent, _: u64, data: *mut c_void) {
    // SAFETY: this is what the server hands over with this event; the context has a client of its own.
    unsafe {
        let swap = &*data.cast::<raw::RedisModuleSwapDbInfo>();
        for db in [swap.dbnum_first, swap.dbnum_second] {
            for spot in PLACES.with_borrow(|places| places.spots_of(db)) {
                raw::RedisModule_SelectDb.unwrap()(ctx, db);
                stir(ctx, db, &spot.base, true);
            }
        }
    }
}

/// Whole Unix milliseconds by the server's own clock.
pub fn clock() -> i64 {
    // SAFETY: takes nothing and reads a number.
    unsafe { raw::RedisModule_CachedMicroseconds.unwrap()() / 1000 }
}

/// Has a timer run for the earliest time that somebody waits for at a queue.
pub fn keep_time(ctx: *mut raw::RedisModuleCtx, spot: &Spot) {
    let change = PLACES.with_borrow_mut(|places| places.retime(spot));
    stop(ctx, change.stop);
    if let Some((number, at)) = change.start {
        let wait_ms = (at - clock()).max(1);
        // SAFETY: the context is that of a callback. What the timer carries is a number and nothing to be freed.
        let timer =
            unsafe { raw::RedisModule_CreateTimer.unwrap()(ctx, wait_ms, Some(on_time), number as *mut c_void) };
        PLACES.with_borrow_mut(|places| places.timed(spot, timer, at));
    }
}

/// Stops a timer. One that is left running would keep the module from being unloaded.
pub fn stop(ctx: *mut raw::RedisModuleCtx, timer: Option<Timer>) {
    if let Some(timer) = timer {
        // SAFETY: the context is that of a callback; a timer that is over is an error without effect.
        unsafe { raw::RedisModule_StopTimer.unwrap()(ctx, timer, std::ptr::null_mut()) };
    }
}

unsafe extern "C" fn on_time(ctx: *mut raw::RedisModuleCtx, data: *mut c_void) {
    let Some(spot) = PLACES.with_borrow(|places| places.spot_of(data as usize)) else {
        return;
    };
    PLACES.with_borrow_mut(|places| places.rang(&spot));
    // SAFETY: the context of a timer has a client of its own.
    unsafe {
        raw::RedisModule_SelectDb.unwrap()(ctx, spot.db);
        stir(ctx, spot.db, &spot.base, true);
    }
}
