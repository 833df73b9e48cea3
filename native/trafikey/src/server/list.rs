//! Lists of the server.

use std::ffi::{CStr, c_int};

use valkey_module::raw;

use super::Server;
use super::direct::{LIST, key_of};
use crate::runtime::{Act, Arg};

impl<'a> Server<'a> {
    pub fn llen(&self, args: &[Arg<'a>]) -> Act<i64> {
        let open = self.open(key_of(args), LIST)?;
        // SAFETY: the key is open.
        Ok(unsafe { raw::RedisModule_ValueLength.unwrap()(open.handle.key) } as i64)
    }

    pub fn lpush(&self, args: &[Arg<'a>]) -> Act<i64> {
        self.push_at(raw::REDISMODULE_LIST_HEAD as c_int, c"lpush", c"LPUSH", args)
    }

    pub fn rpush(&self, args: &[Arg<'a>]) -> Act<i64> {
        self.push_at(raw::REDISMODULE_LIST_TAIL as c_int, c"rpush", c"RPUSH", args)
    }

    fn push_at(&self, end: c_int, event: &CStr, command: &CStr, args: &[Arg<'a>]) -> Act<i64> {
        let open = self.open(key_of(args), LIST)?;
        self.begin_writing()?;
        let strings = self.strings_of(open, args);
        for item in &strings.pointers()[1..] {
            // SAFETY: the key is open and no other value than a list.
            unsafe { raw::RedisModule_ListPush.unwrap()(open.handle.key, end, *item) };
        }
        self.tell(open, raw::REDISMODULE_NOTIFY_LIST, event, command, &strings);
        self.llen(&args[..1])
    }
}
