//! Makes the commands of the module, and tells the server what it must know of each: where its keys stand, which ACL
//! category it is in, and what it does.

use std::ffi::{CStr, c_int};
use std::mem::{size_of, zeroed};

use valkey_module::raw;

use crate::runtime::whole;
use crate::server::argument;
use crate::verb::Handler;

const OK: c_int = raw::REDISMODULE_OK as c_int;

/// The ACL category of all commands of the module, beside `read` and `write`.
const CATEGORY: &CStr = c"echomq";

/// The release of the wire that has the commands.
const SINCE: &CStr = c"4.0.0";

/// How a server shall know a command.
pub struct Command {
    pub name: &'static CStr,
    pub summary: &'static CStr,
    pub handler: Handler,
    pub reads: bool,
    pub blocks: bool,
    pub has_keys: bool,
}

/// Makes the ACL category, which older servers do not have.
///
/// # Safety
///
/// While the module is loaded, with the context of that; so for all functions of this file.
pub unsafe fn category(ctx: *mut raw::RedisModuleCtx) {
    // SAFETY: the name lives as long as the program. A category that exists already is as good.
    unsafe {
        if let Some(add) = raw::RedisModule_AddACLCategory {
            add(ctx, CATEGORY.as_ptr());
        }
    }
}

/// Makes one command; whether the server has taken it.
///
/// # Safety
///
/// As for [`category`].
pub unsafe fn command(ctx: *mut raw::RedisModuleCtx, command: &Command) -> bool {
    // An act applies the guards itself and replicates what it did, so it is no write command to the server.
    let flags = match (command.reads, command.blocks) {
        (true, _) => c"readonly getkeys-api",
        (false, true) => c"may-replicate blocking getkeys-api",
        (false, false) => c"may-replicate getkeys-api",
    };
    let flags = if command.has_keys { flags } else { c"readonly" };
    // SAFETY: all texts live as long as the program, and the server copies the rest.
    unsafe {
        let create = raw::RedisModule_CreateCommand.unwrap();
        if create(ctx, command.name.as_ptr(), Some(command.handler), flags.as_ptr(), 0, 0, 0) != OK {
            return false;
        }
        let made = raw::RedisModule_GetCommand.unwrap()(ctx, command.name.as_ptr());
        if made.is_null() {
            return false;
        }
        categorize(made, command.reads);
        inform(made, command)
    }
}

unsafe fn categorize(made: *mut raw::RedisModuleCommand, reads: bool) {
    let categories = if reads { c"echomq read" } else { c"echomq write" };
    // SAFETY: the command was made just now. A server without the call lets every user of the module's commands in.
    unsafe {
        if let (Some(_), Some(set)) = (raw::RedisModule_AddACLCategory, raw::RedisModule_SetCommandACLCategories) {
            set(made, categories.as_ptr());
        }
    }
}

unsafe fn inform(made: *mut raw::RedisModuleCommand, command: &Command) -> bool {
    let version = raw::RedisModuleCommandInfoVersion {
        version: 1,
        sizeof_historyentry: size_of::<raw::RedisModuleCommandHistoryEntry>(),
        sizeof_keyspec: size_of::<raw::RedisModuleCommandKeySpec>(),
        sizeof_arg: size_of::<raw::RedisModuleCommandArg>(),
    };
    // SAFETY: zero is a value of every field and ends the list of key specs; the server copies all.
    unsafe {
        let mut specs: [raw::RedisModuleCommandKeySpec; 2] = zeroed();
        specs[0] = keys_by_number(command.reads);
        let mut info: raw::RedisModuleCommandInfo = zeroed();
        info.version = &version;
        info.summary = command.summary.as_ptr();
        info.since = SINCE.as_ptr();
        if command.has_keys {
            info.key_specs = specs.as_mut_ptr();
        }
        raw::RedisModule_SetCommandInfo.unwrap()(made, &info) == OK
    }
}

/// The first argument is the number of keys, which follow it.
unsafe fn keys_by_number(reads: bool) -> raw::RedisModuleCommandKeySpec {
    // SAFETY: zero is a value of every field.
    let mut spec: raw::RedisModuleCommandKeySpec = unsafe { zeroed() };
    spec.flags = u64::from(access(reads));
    spec.begin_search_type = raw::RedisModuleKeySpecBeginSearchType_REDISMODULE_KSPEC_BS_INDEX;
    spec.bs.index.pos = 1;
    spec.find_keys_type = raw::RedisModuleKeySpecFindKeysType_REDISMODULE_KSPEC_FK_KEYNUM;
    spec.fk.keynum.keynumidx = 0;
    spec.fk.keynum.firstkey = 1;
    spec.fk.keynum.keystep = 1;
    spec
}

/// Answers a server that asks where the keys of a call stand; false when it is a call.
///
/// A cluster of Valkey 8.0 asks in this way alone: what it is told by a specification serves `COMMAND` and access lists,
/// and a call whose keys it does not know is served by any node.
///
/// # Safety
///
/// In the handler of a command that has keys, with what it was given.
pub unsafe fn told_keys(ctx: *mut raw::RedisModuleCtx, given: &[*mut raw::RedisModuleString], reads: bool) -> bool {
    // SAFETY: the context is that of the command, and every place that is told lies within its words.
    unsafe {
        if raw::RedisModule_IsKeysPositionRequest.unwrap()(ctx) == 0 {
            return false;
        }
        let count = given.get(1).and_then(|word| whole(argument(*word).0)).unwrap_or(0);
        if (0..=given.len() as i64 - 2).contains(&count) {
            for at in 0..count as c_int {
                raw::RedisModule_KeyAtPosWithFlags.unwrap()(ctx, at + 2, access(reads) as c_int);
            }
        }
    }
    true
}

/// What a command does with its keys.
fn access(reads: bool) -> u32 {
    if reads {
        raw::REDISMODULE_CMD_KEY_RO | raw::REDISMODULE_CMD_KEY_ACCESS
    } else {
        raw::REDISMODULE_CMD_KEY_RW | raw::REDISMODULE_CMD_KEY_ACCESS | raw::REDISMODULE_CMD_KEY_UPDATE
    }
}
