//! A parked client, from when it is parked to its reply.
//!
//! The server calls back for one of four reasons: the client's key was signalled, its time is over, it is gone or was
//! turned away, and at last to free what was kept for it. Each leaves the queue in order: who is gone is called no more,
//! and a call that it can no longer answer goes to the next.

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use bumpalo::Bump;
use valkey_module::raw;

use super::is_idle;
use super::places::{Kind, Places, Spot, Ticket};
use super::stir::{PLACES, clock, keep_time, key_of, listen, signal, stir, stop, trying};
use crate::guard;
use crate::keyspace;
use crate::runtime::{Act, Arg, Text, Value, text};
use crate::server::{Fault, OwnedString, Server};
use crate::verb::{Verb, act, finish, reply, reply_error, with_arena};

const SERVED: c_int = raw::REDISMODULE_OK as c_int;
const STAYS: c_int = raw::REDISMODULE_ERR as c_int;

/// Where a call may not block: in a transaction, in a script, and where whoever calls forbids it.
const NO_WAIT: u32 =
    raw::REDISMODULE_CTX_FLAGS_MULTI | raw::REDISMODULE_CTX_FLAGS_LUA | raw::REDISMODULE_CTX_FLAGS_DENY_BLOCKING;

/// How soon a client tries again that was called while the server takes no writes, in ms: nobody tells of the end of a
/// `CLIENT PAUSE`.
const PAUSED_MS: i64 = 10;

/// Acts that one try runs while they change what waits and claim nothing.
const TRIES_MAX: usize = 8;

/// Arguments of a turn before its settlements.
const TURN_ARGS: usize = 3;

/// A call that may wait.
pub struct Call<'b, 'a> {
    pub kind: Kind,
    pub keys: &'b [Text<'a>],
    pub args: &'b [Text<'a>],
    pub most_ms: i64,
}

/// What is kept for a parked client.
struct Parked {
    verb: &'static Verb,
    kind: Kind,
    spot: Spot,
    ticket: Ticket,
    keys: Vec<Vec<u8>>,
    /// The arguments without what the first act has settled.
    args: Vec<Vec<u8>>,
    /// Whether the worker has told of itself, so that the reply says whether it is to take no jobs.
    is_told: bool,
}

/// Runs the act of a call that may wait, and answers it or parks its client.
pub fn answer(ctx: *mut raw::RedisModuleCtx, arena: &Bump, verb: &'static Verb, call: &Call) {
    let base = call.keys.last().copied().unwrap_or(text!(b""));
    let before = amounts(ctx, arena, base);
    match act(ctx, arena, verb, call.keys, call.args) {
        Ok(value) if call.most_ms > 0 && is_idle(call.kind, call.args, value) => {
            let has_moved = amounts(ctx, arena, base) != before;
            park(ctx, arena, verb, call, value, has_moved);
        }
        outcome => finish(ctx, outcome),
    }
}

/// How much waits in the queue and in its schedule. An act that claims nothing and changes this has come to the end of
/// its budget among ids without rows, names that go into lanes, or jobs that fell due; another one may find work.
fn amounts(ctx: *mut raw::RedisModuleCtx, arena: &Bump, base: Text) -> [i64; 3] {
    if !keyspace::is_base(base.0) {
        return [0; 3];
    }
    let server = Server::new(ctx, arena, false, base);
    let key = |key_type: Text<'static>| [Arg::Text(server.concat(&[base, key_type]))];
    let found = [
        server.zcard(&key(text!(b"pending"))),
        server.llen(&key(text!(b"ring"))),
        server.zcard(&key(text!(b"schedule"))),
    ];
    server.end();
    found.map(|count| count.unwrap_or(0))
}

/// Parks the client of a call whose act has found nothing, `value` being what it would answer.
fn park(ctx: *mut raw::RedisModuleCtx, arena: &Bump, verb: &'static Verb, call: &Call, value: Value, has_moved: bool) {
    // SAFETY: the context is that of the command.
    let flags = unsafe { raw::RedisModule_GetContextFlags.unwrap()(ctx) } as u32;
    if flags & NO_WAIT != 0 || !listen(ctx) {
        return reply(ctx, value);
    }
    // Nobody waits for what the server would refuse.
    let server = Server::new(ctx, arena, false, call.keys[0]);
    if let Err(fault) = guard::pass(&server, false, call.keys[0]) {
        return finish(ctx, Err(fault));
    }
    let due_ms = due_after(&server, call.kind, base_of(call), value);
    server.end();
    let parked = enter(ctx, verb, call, value);
    let spot = parked.spot.clone();
    note_due(&parked, due_ms);
    let key = key_of(&spot.base, parked.ticket);
    // SAFETY: the context is that of the command; the key lives until the server has taken a reference of its own, and
    // the server gives back what it keeps, exactly once, to `on_free`.
    unsafe {
        let blocked = block(ctx, &key, call.most_ms, parked);
        raw::RedisModule_SetDisconnectCallback.unwrap()(blocked, Some(on_gone));
        if has_moved {
            stir(ctx, spot.db, &spot.base, true);
        }
    }
    keep_time(ctx, &spot);
}

/// # Safety
///
/// As in [`park`].
unsafe fn block(
    ctx: *mut raw::RedisModuleCtx,
    key: &OwnedString,
    most_ms: i64,
    parked: Box<Parked>,
) -> *mut raw::RedisModuleBlockedClient {
    let mut keys = [key.0];
    // SAFETY: the caller answers for it. The key never exists, hence the flag.
    unsafe {
        raw::RedisModule_BlockClientOnKeysWithFlags.unwrap()(
            ctx,
            Some(on_call),
            Some(on_timeout),
            Some(on_free),
            most_ms,
            keys.as_mut_ptr(),
            keys.len() as c_int,
            Box::into_raw(parked).cast(),
            raw::REDISMODULE_BLOCK_UNBLOCK_DELETED as c_int,
        )
    }
}

/// The base key, which every verb that blocks declares last.
fn base_of<'a>(call: &Call<'_, 'a>) -> Text<'a> {
    call.keys[call.keys.len() - 1]
}

fn enter(ctx: *mut raw::RedisModuleCtx, verb: &'static Verb, call: &Call, value: Value) -> Box<Parked> {
    let copy = |texts: &[Text]| texts.iter().map(|text| text.0.to_vec()).collect();
    // SAFETY: the context is that of the command.
    let db = unsafe { raw::RedisModule_GetSelectedDb.unwrap()(ctx) };
    let spot = Spot { db, base: base_of(call).0.to_vec() };
    let ticket = PLACES.with_borrow_mut(|places| places.enter(&spot, call.kind));
    let own = match call.kind {
        Kind::Whole => &call.args[..TURN_ARGS],
        Kind::Flat => call.args,
    };
    let is_told = matches!(value, Value::List(parts) if call.kind == Kind::Whole && parts.len() > 4);
    Box::new(Parked { verb, kind: call.kind, spot, ticket, keys: copy(call.keys), args: copy(own), is_told })
}

/// How long until time alone lets a claim go on, in ms; nothing for never. A turn has said it. Flat work hangs on the
/// first rest alone, since nobody who takes only flat work promotes what falls due.
fn due_after(s: &Server, kind: Kind, base: Text, value: Value) -> Option<i64> {
    let due_ms = match (kind, value) {
        (Kind::Whole, Value::List(parts)) => parts.get(1).int(),
        _ => rest_after(s, base).unwrap_or(-1),
    };
    (due_ms >= 0).then_some(due_ms)
}

fn rest_after(s: &Server, base: Text) -> Act<i64> {
    let rest = s.concat(&[base, text!(b"rest")]);
    if s.exists(&[Arg::Text(rest)])? == 0 {
        return Ok(-1);
    }
    let head = s.zrange(&[Arg::Text(rest), Arg::Int(0), Arg::Int(0), Arg::Word(text!(b"WITHSCORES"))])?;
    if head.len() == 0 { Ok(-1) } else { Ok((s.num(head.get(1))? - s.now()).max(0)) }
}

fn note_due(parked: &Parked, due_ms: Option<i64>) {
    let at = due_ms.map(|ms| clock() + ms);
    PLACES.with_borrow_mut(|places| places.note_due(&parked.spot, parked.kind, at));
}

/// Takes a client out of its queue, and has the next one answer a call that this one has not answered.
///
/// # Safety
///
/// With the context of a callback that has a client; so for all functions below.
unsafe fn leave(ctx: *mut raw::RedisModuleCtx, parked: &Parked) {
    let leave = |places: &mut Places<_>| places.leave(&parked.spot, parked.kind, parked.ticket);
    let (was_called, timer) = PLACES.with_borrow_mut(leave);
    stop(ctx, timer);
    if was_called {
        // SAFETY: the caller answers for it.
        unsafe { stir(ctx, parked.spot.db, &parked.spot.base, true) };
    }
}

/// What is kept for the client of a callback.
unsafe fn parked_of<'b>(ctx: *mut raw::RedisModuleCtx) -> &'b Parked {
    // SAFETY: this is what `block` has handed over, and it lives until `on_free`.
    unsafe { &*raw::RedisModule_GetBlockedClientPrivateData.unwrap()(ctx).cast::<Parked>() }
}

/// The key of a client was signalled: it tries, and stays where it is if it gets nothing.
unsafe extern "C" fn on_call(ctx: *mut raw::RedisModuleCtx, _: *mut *mut raw::RedisModuleString, _: c_int) -> c_int {
    // SAFETY: the server calls with the context of the client.
    let parked = unsafe { parked_of(ctx) };
    let tried = catch_unwind(AssertUnwindSafe(|| with_arena(|arena| attempt(ctx, arena, parked))));
    let outcome = tried.unwrap_or_else(|_| {
        reply_error(ctx, format!("ERR EMQ.{} failed by a fault of the module", parked.verb.verb).as_bytes());
        Outcome::Refused
    });
    // SAFETY: as above.
    unsafe {
        if outcome == Outcome::Nothing {
            keep_time(ctx, &parked.spot);
            let next = PLACES.with_borrow_mut(|places| places.pass(&parked.spot, parked.kind));
            signal(ctx, &parked.spot.base, next);
            return STAYS;
        }
        leave(ctx, parked);
        keep_time(ctx, &parked.spot);
        // If work is left, it is for the next one; and an error may be for everybody who waits, so the next one looks.
        stir(ctx, parked.spot.db, &parked.spot.base, outcome == Outcome::Refused);
    }
    SERVED
}

/// What came of a try: the client stays, has its reply, or has an error for one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Nothing,
    Served,
    Refused,
}

/// Runs the act of a parked client again.
fn attempt<'a>(ctx: *mut raw::RedisModuleCtx, arena: &'a Bump, parked: &'a Parked) -> Outcome {
    let answer = |places: &mut Places<_>| places.answer(&parked.spot, parked.kind);
    let must_look = PLACES.with_borrow_mut(answer);
    // SAFETY: takes nothing and answers whether writes must wait.
    if unsafe { raw::RedisModule_AvoidReplicaTraffic.unwrap()() } != 0 {
        note_due(parked, Some(PAUSED_MS));
        return Outcome::Nothing;
    }
    let keys: Vec<Text<'a>> = parked.keys.iter().map(|key| Text(key)).collect();
    let args: Vec<Text<'a>> = parked.args.iter().map(|arg| Text(arg)).collect();
    let server = Server::new(ctx, arena, false, keys[0]);
    let base = Text(&parked.spot.base);
    if !must_look && !has_work(&server, parked.kind, base) {
        return Outcome::Nothing;
    }
    if let Err(fault) = is_here(&server, &keys) {
        finish(ctx, Err(fault));
        return Outcome::Refused;
    }
    for _ in 0..TRIES_MAX {
        let before = amounts(ctx, arena, base);
        let outcome = trying(|| act(ctx, arena, parked.verb, &keys, &args));
        let Ok(value) = outcome else {
            finish(ctx, outcome);
            return Outcome::Refused;
        };
        if !is_idle(parked.kind, &args, value) {
            note_due(parked, due_after(&server, parked.kind, base, value));
            server.end();
            send(ctx, parked, value);
            return if matches!(value, Value::Error(_)) { Outcome::Refused } else { Outcome::Served };
        }
        if amounts(ctx, arena, base) == before {
            note_due(parked, due_after(&server, parked.kind, base, value));
            server.end();
            return Outcome::Nothing;
        }
    }
    // Others of the server come first, then it goes on.
    note_due(parked, Some(0));
    Outcome::Nothing
}

/// Whether anything waits that a client could take.
fn has_work<'a>(s: &Server<'a>, kind: Kind, base: Text<'a>) -> bool {
    let pending = Arg::Text(s.concat(&[base, text!(b"pending")]));
    let ring = Arg::Text(s.concat(&[base, text!(b"ring")]));
    let count = if kind == Kind::Flat { s.exists(&[pending]) } else { s.exists(&[pending, ring]) };
    !matches!(count, Ok(0))
}

/// Passes where all keys are this node's, as the server asks before it runs a command. It is not asked for one that is
/// parked, and half a queue must not be written to while its slot moves.
fn is_here(s: &Server, keys: &[Text]) -> Act<()> {
    // SAFETY: the context is that of the callback.
    let flags = unsafe { raw::RedisModule_GetContextFlags.unwrap()(s.ctx) } as u32;
    if flags & raw::REDISMODULE_CTX_FLAGS_CLUSTER == 0 {
        return Ok(());
    }
    let keys: Vec<Arg> = keys.iter().map(|key| Arg::Text(*key)).collect();
    // The server's own text names no word of the wire.
    s.dry_run(c"DEL", &keys).map_err(|fault| {
        if fault.text().starts_with(b"ERR") { Fault::new(b"TRYAGAIN the slot of the queue moves") } else { fault }
    })
}

/// Sends a reply; one of a turn says whether its worker is to take no jobs, if it has told of itself.
fn send(ctx: *mut raw::RedisModuleCtx, parked: &Parked, value: Value) {
    if let (true, Value::List(parts)) = (parked.is_told, value) {
        parts.push(Value::Int(0));
    }
    reply(ctx, value);
}

/// The time of a client is over, or it was told so by `CLIENT UNBLOCK`.
unsafe extern "C" fn on_timeout(ctx: *mut raw::RedisModuleCtx, _: *mut *mut raw::RedisModuleString, _: c_int) -> c_int {
    // SAFETY: the server calls with the context of the client.
    let parked = unsafe { parked_of(ctx) };
    let due_at = PLACES.with_borrow_mut(|places| places.due_of(&parked.spot, parked.kind));
    // SAFETY: as above.
    unsafe { leave(ctx, parked) };
    let told = catch_unwind(AssertUnwindSafe(|| {
        with_arena(|arena| {
            let server = Server::new(ctx, arena, false, text!(b""));
            let nothing = || Value::List(server.list(&[]));
            let due_ms = due_at.map_or(-1, |at| (at - clock()).max(0));
            match parked.kind {
                Kind::Flat => reply(ctx, nothing()),
                Kind::Whole => {
                    let parts = [nothing(), Value::Int(due_ms), Value::Int(0), nothing()];
                    send(ctx, parked, Value::List(server.list(&parts)));
                }
            }
        });
    }));
    if told.is_err() {
        reply_error(ctx, b"ERR a wait ended by a fault of the module");
    }
    SERVED
}

/// A client is gone, or the server has turned it away.
unsafe extern "C" fn on_gone(ctx: *mut raw::RedisModuleCtx, _: *mut raw::RedisModuleBlockedClient) {
    // SAFETY: the server calls with the context of the client, which lives until this returns.
    unsafe { leave(ctx, parked_of(ctx)) };
}

/// Frees what was kept for a client that has left.
unsafe extern "C" fn on_free(_: *mut raw::RedisModuleCtx, data: *mut c_void) {
    // SAFETY: this is what `block` has handed over, and the server gives it back once.
    drop(unsafe { Box::from_raw(data.cast::<Parked>()) });
}
