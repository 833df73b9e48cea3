//! What the server calls when it loads the module: every verb becomes a command.

use std::ffi::{CStr, c_int};

use valkey_module::raw;

use crate::act::verbs::VERBS;
use crate::clock;
use crate::fence;
use crate::server::argument;
use crate::verb::{Handler, handle_fence};

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
    // SAFETY: the server hands over its context and as many arguments as it says, here and in each call below.
    unsafe {
        if raw::Export_RedisModule_Init(ctx, NAME.as_ptr(), VERSION, raw::REDISMODULE_APIVER_1 as c_int) != OK {
            return FAILED;
        }
        let given = std::slice::from_raw_parts(argv, argc as usize);
        for pair in given.chunks(2) {
            match pair {
                [name, value] if argument(*name).0 == b"wire-version" => fence::set_own(argument(*value).0),
                [name, value] if argument(*name).0 == b"clock-key" => clock::set_key(argument(*value).0),
                _ => return FAILED,
            }
        }
        let options = raw::REDISMODULE_OPTION_NO_IMPLICIT_SIGNAL_MODIFIED;
        raw::RedisModule_SetModuleOptions.unwrap()(ctx, options as c_int);
        if command(ctx, c"emq.fence", handle_fence, c"readonly fast") != OK {
            return FAILED;
        }
        for verb in &VERBS {
            // Its guards are its own and it replicates what it did, so it is no write command to the server.
            let flags = if verb.reads { c"readonly" } else { c"may-replicate" };
            if command(ctx, verb.name, verb.handler, flags) != OK {
                return FAILED;
            }
        }
    }
    OK
}

/// Makes a command.
///
/// # Safety
///
/// While the module is loaded, with the context of that.
unsafe fn command(ctx: *mut raw::RedisModuleCtx, name: &CStr, handler: Handler, flags: &CStr) -> c_int {
    // SAFETY: all texts live as long as the program.
    unsafe {
        raw::RedisModule_CreateCommand.unwrap()(
            ctx,
            name.as_ptr(),
            Some(handler),
            flags.as_ptr(),
            0,
            0,
            0,
        )
    }
}
