//! What stands around every act: its arguments are split, it is run, and its answer goes to the client.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use bumpalo::Bump;
use valkey_module::raw;

use crate::act::verbs::VERBS;
use crate::block::{self, Kind, Wait};
use crate::fence;
use crate::register;
use crate::runtime::{Act, List, Text, Value, whole};
use crate::server::{Server, argument};

/// One act.
pub type ActOf = for<'a> fn(&Server<'a>, List<'a, Text<'a>>, List<'a, Text<'a>>) -> Act<Value<'a>>;

/// A verb of the wire.
pub struct Verb {
    /// The name of its command.
    pub name: &'static CStr,
    pub verb: &'static str,
    pub summary: &'static CStr,
    /// Whether it only reads.
    pub reads: bool,
    /// Whether a server that is short of memory refuses it.
    pub grows: bool,
    /// How many keys it declares at least.
    pub keys: i64,
    /// How many arguments it takes at least.
    pub args: i64,
    /// Whether it takes more arguments than those.
    pub has_more: bool,
    /// What it waits for when it is told to block; nothing for a verb that never does.
    pub blocks: Option<Kind>,
    pub act: ActOf,
    pub handler: Handler,
}

pub type Handler = unsafe extern "C" fn(*mut raw::RedisModuleCtx, *mut *mut raw::RedisModuleString, c_int) -> c_int;

/// What an arena may keep for the next act; a larger one is given back.
const ARENA_KEPT_BYTES: usize = 1 << 20;

thread_local! {
    static ARENA: RefCell<Bump> = RefCell::new(Bump::with_capacity(16 * 1024));
}

/// The handler of the verb at a place of the table.
///
/// # Safety
///
/// For the server to call, with what it gives to the handler of a command.
pub unsafe extern "C" fn handle<const AT: usize>(
    ctx: *mut raw::RedisModuleCtx,
    argv: *mut *mut raw::RedisModuleString,
    argc: c_int,
) -> c_int {
    // SAFETY: the server hands over as many strings as it says.
    let given = unsafe { std::slice::from_raw_parts(argv, argc as usize) };
    let verb = &VERBS[AT];
    // SAFETY: as for this function.
    if unsafe { register::told_keys(ctx, given, verb.reads) } {
        return raw::REDISMODULE_OK as c_int;
    }
    with_arena(|arena| answer(ctx, verb, arena, given));
    raw::REDISMODULE_OK as c_int
}

/// Runs with an empty arena. An act that is called by a script within another act would find it taken.
pub fn with_arena<T>(run: impl FnOnce(&Bump) -> T) -> T {
    ARENA.with(|kept| match kept.try_borrow_mut() {
        Ok(mut arena) => {
            let result = run(&arena);
            if arena.allocated_bytes() > ARENA_KEPT_BYTES {
                *arena = Bump::with_capacity(16 * 1024);
            } else {
                arena.reset();
            }
            result
        }
        Err(_) => run(&Bump::new()),
    })
}

fn answer(ctx: *mut raw::RedisModuleCtx, verb: &'static Verb, arena: &Bump, given: &[*mut raw::RedisModuleString]) {
    // A panic is a fault of this module: it ends the act, and the server goes on.
    let outcome = catch_unwind(AssertUnwindSafe(|| run(ctx, verb, arena, given)));
    if outcome.is_err() {
        reply_error(ctx, format!("ERR EMQ.{} failed by a fault of the module", verb.verb).as_bytes());
    }
}

/// The words of a command behind its name.
fn words_of<'a>(arena: &'a Bump, given: &[*mut raw::RedisModuleString]) -> &'a [Text<'a>] {
    // SAFETY: the arguments of a command live, unchanged, until it has returned, and the arena is emptied then.
    arena.alloc_slice_fill_iter(given[1..].iter().map(|word| unsafe { argument(*word) }))
}

/// The handler of `EMQ.FENCE 0 <version>`: whether a client speaks the version of this server.
///
/// # Safety
///
/// As for [`handle`].
pub unsafe extern "C" fn handle_fence(
    ctx: *mut raw::RedisModuleCtx,
    argv: *mut *mut raw::RedisModuleString,
    argc: c_int,
) -> c_int {
    // SAFETY: as there.
    let given = unsafe { std::slice::from_raw_parts(argv, argc as usize) };
    with_arena(|arena| match words_of(arena, given) {
        [Text(b"0"), version] => {
            let server = Server::new(ctx, arena, false, Text(b""));
            reply(ctx, fence::verify(&server, *version));
            server.end();
        }
        [_, _] => reply_error(ctx, b"ERR EMQ.FENCE takes 0 keys"),
        _ => reply_error(ctx, b"ERR wrong number of arguments for 'EMQ.FENCE' command"),
    });
    raw::REDISMODULE_OK as c_int
}

fn run(ctx: *mut raw::RedisModuleCtx, verb: &'static Verb, arena: &Bump, given: &[*mut raw::RedisModuleString]) {
    let words = words_of(arena, given);
    let Some((count, rest)) = words.split_first() else {
        return reply_error(ctx, format!("ERR wrong number of arguments for 'EMQ.{}' command", verb.verb).as_bytes());
    };
    let count = match whole(count.0) {
        Some(count) if count >= 0 && count as usize <= rest.len() => count as usize,
        _ => return reply_error(ctx, format!("ERR EMQ.{} takes {} keys", verb.verb, verb.keys).as_bytes()),
    };
    let (keys, args) = rest.split_at(count);
    match block::split(verb, keys, args) {
        Wait::No => finish(ctx, act(ctx, arena, verb, keys, args)),
        Wait::Unreadable => reply_error(ctx, format!("ERR EMQ.{} bad argument block_ms", verb.verb).as_bytes()),
        Wait::Most(kind, args, most_ms) => block::answer(ctx, arena, verb, &block::Call { kind, keys, args, most_ms }),
    }
}

/// Runs an act on its keys and arguments.
pub fn act<'a>(
    ctx: *mut raw::RedisModuleCtx,
    arena: &'a Bump,
    verb: &Verb,
    keys: &[Text<'a>],
    args: &[Text<'a>],
) -> Act<Value<'a>> {
    let anchor = keys.first().copied().unwrap_or(Text(b""));
    let server = Server::new(ctx, arena, verb.grows, anchor);
    let outcome = (verb.act)(&server, server.list(keys), server.list(args));
    server.end();
    outcome
}

/// Sends what an act has come to.
pub fn finish(ctx: *mut raw::RedisModuleCtx, outcome: Act<Value>) {
    match outcome {
        Ok(value) => reply(ctx, value),
        Err(fault) => reply_error(ctx, fault.text()),
    }
}

/// Sends an answer.
pub fn reply(ctx: *mut raw::RedisModuleCtx, value: Value) {
    match value {
        Value::Nil => reply_null(ctx),
        Value::Int(number) => reply_number(ctx, number),
        Value::Text(text) => reply_text(ctx, text),
        Value::Error(text) => reply_error(ctx, text.0),
        Value::List(list) => reply_list(ctx, list),
        Value::Texts(list) => reply_list(ctx, list),
        Value::Ints(list) => reply_list(ctx, list),
        Value::Options(list) => reply_list(ctx, list),
        Value::Lists(list) => reply_list(ctx, list),
    }
}

fn reply_null(ctx: *mut raw::RedisModuleCtx) {
    // SAFETY: the context is that of the command, here and below.
    unsafe { raw::RedisModule_ReplyWithNull.unwrap()(ctx) };
}

fn reply_number(ctx: *mut raw::RedisModuleCtx, number: i64) {
    // SAFETY: as above.
    unsafe { raw::RedisModule_ReplyWithLongLong.unwrap()(ctx, number) };
}

fn reply_text(ctx: *mut raw::RedisModuleCtx, text: Text) {
    if text.0.is_empty() {
        // SAFETY: as above. The server has this reply ready, and much of what a claim answers is empty.
        unsafe { raw::RedisModule_ReplyWithEmptyString.unwrap()(ctx) };
        return;
    }
    // SAFETY: the server copies the bytes.
    unsafe { raw::RedisModule_ReplyWithStringBuffer.unwrap()(ctx, text.0.as_ptr().cast(), text.0.len()) };
}

fn reply_list<'a, T: Copy>(ctx: *mut raw::RedisModuleCtx, list: List<'a, T>)
where
    Value<'a>: From<T>,
{
    // SAFETY: as above; as many elements follow as it is told.
    unsafe { raw::RedisModule_ReplyWithArray.unwrap()(ctx, list.len()) };
    for item in list.iter() {
        reply(ctx, Value::from(item));
    }
}

/// Sends an error. It must be one line.
pub fn reply_error(ctx: *mut raw::RedisModuleCtx, text: &[u8]) {
    let line: Vec<u8> = text.iter().map(|byte| if matches!(byte, 0 | b'\r' | b'\n') { b' ' } else { *byte }).collect();
    let line = CString::new(line).unwrap_or_default();
    // SAFETY: the text ends with a NUL and is copied.
    unsafe { raw::RedisModule_ReplyWithError.unwrap()(ctx, line.as_ptr()) };
}
