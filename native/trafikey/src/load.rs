//! What the server calls when it loads the module: every verb becomes a command.

use std::ffi::{CStr, c_int};

use valkey_module::raw;

use crate::act::verbs::VERBS;
use crate::register::Command;
use crate::server::argument;
use crate::verb::handle_fence;
use crate::{block, clock, fence, guard, register};

const NAME: &CStr = c"trafikey";

/// The version of the module: that of the package, as one number.
const VERSION: c_int = 100;

const OK: c_int = raw::REDISMODULE_OK as c_int;
const FAILED: c_int = raw::REDISMODULE_ERR as c_int;

/// `loadmodule trafikey.so [wire-version <version>] [clock-key <key>]`
///
/// The second is for tests: acts take the instant from a key instead of the server's clock.
///
/// # Safety
///
/// For the server to call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn RedisModule_OnLoad(
    ctx: *mut raw::RedisModuleCtx,
    argv: *mut *mut raw::RedisModuleString,
    argc: c_int,
) -> c_int {
    // SAFETY: the server hands over its context and as many arguments as it says.
    let is_loaded = unsafe {
        raw::Export_RedisModule_Init(ctx, NAME.as_ptr(), VERSION, raw::REDISMODULE_APIVER_1 as c_int) == OK
            && read_arguments(std::slice::from_raw_parts(argv, argc as usize))
            && begin(ctx)
    };
    if is_loaded { OK } else { FAILED }
}

/// Takes over what the module is loaded with; false for what it does not know.
unsafe fn read_arguments(given: &[*mut raw::RedisModuleString]) -> bool {
    given.chunks(2).all(|pair| {
        // SAFETY: the arguments live while the module is loaded, and are copied.
        let words: Vec<&[u8]> = pair.iter().map(|word| unsafe { argument(*word) }.0).collect();
        match words[..] {
            [b"wire-version", version] => fence::set_own(version),
            [b"clock-key", key] => clock::set_key(key),
            _ => return false,
        }
        true
    })
}

/// Makes the commands and listens to the server.
unsafe fn begin(ctx: *mut raw::RedisModuleCtx) -> bool {
    // SAFETY: the module is being loaded.
    unsafe {
        // A key that was only looked at is no change to those who watch it: what has changed is told by the acts.
        let options = raw::REDISMODULE_OPTION_NO_IMPLICIT_SIGNAL_MODIFIED;
        raw::RedisModule_SetModuleOptions.unwrap()(ctx, options as c_int);
        register::category(ctx);
        block::begin();
        fence::begin(ctx);
        raw::RedisModule_RegisterInfoFunc.unwrap()(ctx, Some(fence::inform)) == OK
            && guard::listen(ctx)
            && commands().all(|command| register::command(ctx, &command))
    }
}

fn commands() -> impl Iterator<Item = Command> {
    let fence = Command {
        name: c"emq.fence",
        summary: c"Tells whether the server speaks a version of the wire.",
        handler: handle_fence,
        reads: true,
        blocks: false,
        has_keys: false,
    };
    let verbs = VERBS.iter().map(|verb| Command {
        name: verb.name,
        summary: verb.summary,
        handler: verb.handler,
        reads: verb.reads,
        blocks: verb.blocks.is_some(),
        has_keys: true,
    });
    std::iter::once(fence).chain(verbs)
}
