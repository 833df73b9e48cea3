//! The floor of a native act: a module whose one command has the effects of a `TURN` on the keys of plain jobs, by bare
//! calls of the server's interface.
//!
//! It exists to be measured: what `EMQ.TURN` takes beyond it is what our own code takes, and what it takes itself no
//! native act can save. It reads of a row what a plain job has, writes the same rows and sets, replicates what it did,
//! and answers id, token, payload and name. It leaves out all else: the version and the guards, every check of
//! arguments, types and leases, tokens, results, fields that a plain job lacks, lanes, schedules and parents, events,
//! waking, and telling those who watch keys.
//!
//! `npm run bench:acts` builds and loads it where the module itself was built. It is no part of the module.

#![deny(unsafe_op_in_unsafe_fn)]

use std::ffi::{CStr, c_int, c_longlong};
use std::ptr::null_mut;
use std::sync::OnceLock;

use valkey_module::raw;

type Text = *mut raw::RedisModuleString;
type Key = *mut raw::RedisModuleKey;

const OK: c_int = raw::REDISMODULE_OK as c_int;
const FAILED: c_int = raw::REDISMODULE_ERR as c_int;
const NONE: c_int = raw::REDISMODULE_HASH_NONE as c_int;
const OPEN: c_int = (raw::REDISMODULE_READ | raw::REDISMODULE_WRITE) as c_int;
const END: Text = null_mut();

/// What a settlement and a claim read of a row.
const SETTLED: [&str; 2] = ["attempts", "state"];
const CLAIMED: [&str; 4] = ["state", "attempts", "payload", "name"];

/// Strings that every call uses, made once.
struct Kept {
    settled: [Text; 4],
    claimed: [Text; 4],
    owner: Text,
    active: Text,
}

// SAFETY: only the thread that runs commands uses them.
unsafe impl Send for Kept {}
// SAFETY: as above.
unsafe impl Sync for Kept {}

static KEPT: OnceLock<Kept> = OnceLock::new();

/// # Safety
///
/// While a command runs or the module is loaded; so for all functions of this file.
unsafe fn text(bytes: &[u8]) -> Text {
    // SAFETY: the bytes are copied; without a context the server keeps no account of the string.
    unsafe { raw::RedisModule_CreateString.unwrap()(null_mut(), bytes.as_ptr().cast(), bytes.len()) }
}

/// The strings of so many fields, with nothing after them.
unsafe fn fields(names: &[&str]) -> [Text; 4] {
    let mut made = [END; 4];
    for (place, name) in made.iter_mut().zip(names) {
        // SAFETY: while the module is loaded.
        *place = unsafe { text(name.as_bytes()) };
    }
    made
}

unsafe fn bytes<'a>(text: Text) -> &'a [u8] {
    let mut length = 0;
    // SAFETY: the string lives longer than its bytes are looked at, and nobody writes to it.
    unsafe { std::slice::from_raw_parts(raw::RedisModule_StringPtrLen.unwrap()(text, &mut length).cast(), length) }
}

unsafe fn free(texts: &[Text]) {
    for text in texts.iter().filter(|text| !text.is_null()) {
        // SAFETY: the string was made without a context or handed over, and is used no more.
        unsafe { raw::RedisModule_FreeString.unwrap()(null_mut(), *text) };
    }
}

/// A whole number; 0 for nothing and for any other text.
unsafe fn whole(text: Text) -> c_longlong {
    let mut number = 0;
    if !text.is_null() {
        // SAFETY: the string lives.
        unsafe { raw::RedisModule_StringToLongLong.unwrap()(text, &mut number) };
    }
    number
}

/// The names of the rows of jobs.
unsafe fn rows_of(base: Text, ids: &[Text]) -> Vec<Text> {
    // SAFETY: the strings live as long as the call.
    ids.iter().map(|id| unsafe { text(&[bytes(base), b"job:", bytes(*id)].concat()) }).collect()
}

unsafe fn open(ctx: *mut raw::RedisModuleCtx, name: Text) -> Key {
    // SAFETY: the context is that of the command; who opens a key closes it.
    unsafe { raw::RedisModule_OpenKey.unwrap()(ctx, name, OPEN).cast() }
}

/// Values of fields of a row; who reads them frees them.
unsafe fn read(row: Key, fields: &[Text; 4]) -> [Text; 4] {
    let mut values = [END; 4];
    let [a, b, c, d] = *fields;
    let [e, f, g, h] = values.each_mut().map(|place| &raw mut *place);
    // SAFETY: the row is open and a hash or nothing; fields and places for values follow, and the first field that is
    // nothing ends them.
    unsafe {
        raw::RedisModule_HashGet.unwrap()(row, NONE, a, e, b, f, c, g, d, h, END);
    }
    values
}

/// Replicates a command: a key or nothing, and further strings.
unsafe fn replicate(ctx: *mut raw::RedisModuleCtx, command: &CStr, key: Text, words: &[Text]) {
    let command = command.as_ptr();
    // SAFETY: the formats ask for a string, and for an array of strings and its size.
    unsafe {
        let tell = raw::RedisModule_Replicate.unwrap();
        if key.is_null() {
            tell(ctx, command, c"v".as_ptr(), words.as_ptr(), words.len());
        } else {
            tell(ctx, command, c"sv".as_ptr(), key, words.as_ptr(), words.len());
        }
    }
}

/// Reads what a settlement asks for, ends leases and deletes rows.
unsafe fn settle(ctx: *mut raw::RedisModuleCtx, kept: &Kept, (name, active): (Text, Key), base: Text, ids: &[Text]) {
    // SAFETY: the set is open and a sorted set or nothing, and each row is closed once.
    unsafe {
        let rows = rows_of(base, ids);
        for (row, id) in rows.iter().zip(ids) {
            let row = open(ctx, *row);
            free(&read(row, &kept.settled));
            raw::RedisModule_ZsetRem.unwrap()(active, *id, null_mut());
            raw::RedisModule_UnlinkKey.unwrap()(row);
            raw::RedisModule_CloseKey.unwrap()(row);
        }
        if !ids.is_empty() {
            replicate(ctx, c"ZREM", name, ids);
            replicate(ctx, c"DEL", END, &rows);
        }
        free(&rows);
    }
}

/// The first members of a set; who asks frees them.
unsafe fn first_of(set: Key, want: usize) -> Vec<Text> {
    let mut ids = Vec::with_capacity(want);
    // SAFETY: the key is open and a sorted set unless it is nothing; the range ends before anybody writes to it.
    unsafe {
        if raw::RedisModule_KeyType.unwrap()(set) != raw::REDISMODULE_KEYTYPE_EMPTY as c_int {
            raw::RedisModule_ZsetFirstInScoreRange.unwrap()(set, f64::NEG_INFINITY, f64::INFINITY, 0, 0);
            while ids.len() < want && raw::RedisModule_ZsetRangeEndReached.unwrap()(set) == 0 {
                ids.push(raw::RedisModule_ZsetRangeCurrentElement.unwrap()(set, null_mut()));
                raw::RedisModule_ZsetRangeNext.unwrap()(set);
            }
            raw::RedisModule_ZsetRangeStop.unwrap()(set);
        }
    }
    ids
}

/// Takes the first members out of a set and closes it; many are cheapest by one range, which the server takes out.
unsafe fn take(ctx: *mut raw::RedisModuleCtx, (name, set): (Text, Key), ids: &[Text]) {
    // SAFETY: the set is open and not used after it is closed; the format asks for a string, a text and a number.
    unsafe {
        if let [id] = ids {
            raw::RedisModule_ZsetRem.unwrap()(set, *id, null_mut());
            replicate(ctx, c"ZREM", name, ids);
        }
        raw::RedisModule_CloseKey.unwrap()(set);
        if ids.len() > 1 {
            let (command, last) = (c"ZREMRANGEBYRANK".as_ptr(), ids.len() as c_longlong - 1);
            let reply = raw::RedisModule_Call.unwrap()(ctx, command, c"!scl".as_ptr(), name, c"0".as_ptr(), last);
            raw::RedisModule_FreeCallReply.unwrap()(reply);
        }
    }
}

/// Writes the row of a claimed job and answers what its worker needs.
unsafe fn claim(ctx: *mut raw::RedisModuleCtx, kept: &Kept, name: Text, id: Text, worker: Text) {
    // SAFETY: the row is open and a hash or nothing, and pairs and the end follow.
    unsafe {
        let row = open(ctx, name);
        let values = read(row, &kept.claimed);
        let token = whole(values[1]) + 1;
        let next = raw::RedisModule_CreateStringFromLongLong.unwrap()(null_mut(), token);
        let [state, attempts, _, _] = kept.claimed;
        let (active, owner) = (kept.active, kept.owner);
        raw::RedisModule_HashSet.unwrap()(row, NONE, state, active, attempts, next, owner, worker, END);
        raw::RedisModule_CloseKey.unwrap()(row);
        replicate(ctx, c"HSET", name, &[state, active, attempts, next, owner, worker]);
        raw::RedisModule_ReplyWithString.unwrap()(ctx, id);
        raw::RedisModule_ReplyWithLongLong.unwrap()(ctx, token);
        for value in &values[2..] {
            if value.is_null() {
                raw::RedisModule_ReplyWithEmptyString.unwrap()(ctx);
            } else {
                raw::RedisModule_ReplyWithString.unwrap()(ctx, *value);
            }
        }
        free(&values);
        free(&[next]);
    }
}

/// `FLOOR.TURN pending active base worker score want [id ...]`: settles the jobs with these ids and claims others.
unsafe extern "C" fn turn(ctx: *mut raw::RedisModuleCtx, argv: *mut Text, argc: c_int) -> c_int {
    // SAFETY: the server hands over its context and as many arguments as it says; keys are closed once.
    unsafe {
        let given = std::slice::from_raw_parts(argv, argc as usize);
        let ([_, pending_name, active_name, base, worker, score, want, settled @ ..], Some(kept)) = (given, KEPT.get())
        else {
            return raw::RedisModule_WrongArity.unwrap()(ctx);
        };
        let (pending, active) = (open(ctx, *pending_name), open(ctx, *active_name));
        settle(ctx, kept, (*active_name, active), *base, settled);

        let ids = first_of(pending, whole(*want) as usize);
        let rows = rows_of(*base, &ids);
        raw::RedisModule_ReplyWithArray.unwrap()(ctx, ids.len() as i64 * 4);
        let leased = whole(*score) as f64;
        for (row, id) in rows.iter().zip(&ids) {
            claim(ctx, kept, *row, *id, *worker);
        }
        // From the last to the first: a short set is searched from its head, where each then finds its place at once.
        for id in ids.iter().rev() {
            raw::RedisModule_ZsetAdd.unwrap()(active, leased, *id, null_mut());
        }
        if !ids.is_empty() {
            let leases: Vec<Text> = ids.iter().rev().flat_map(|id| [*score, *id]).collect();
            replicate(ctx, c"ZADD", *active_name, &leases);
        }
        raw::RedisModule_CloseKey.unwrap()(active);
        take(ctx, (*pending_name, pending), &ids);
        free(&rows);
        free(&ids);
    }
    OK
}

/// # Safety
///
/// For the server to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn RedisModule_OnLoad(ctx: *mut raw::RedisModuleCtx, _: *mut Text, _: c_int) -> c_int {
    // SAFETY: the server hands over its context; names live as long as the program.
    let is_loaded = unsafe {
        let version = raw::REDISMODULE_APIVER_1 as c_int;
        raw::Export_RedisModule_Init(ctx, c"floor".as_ptr(), 1, version) == OK && {
            let [owner, active] = [text(b"owner"), text(b"active")];
            KEPT.get_or_init(|| Kept { settled: fields(&SETTLED), claimed: fields(&CLAIMED), owner, active });
            let create = raw::RedisModule_CreateCommand.unwrap();
            create(ctx, c"floor.turn".as_ptr(), Some(turn), c"write".as_ptr(), 1, 2, 1) == OK
        }
    };
    if is_loaded { OK } else { FAILED }
}
