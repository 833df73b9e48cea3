//! Hashes.

use std::ffi::c_int;

use valkey_module::raw;

use super::Server;
use super::direct::{HASH, Open, key_of, strings_of};
use super::strings::OwnedString;
use crate::runtime::{Act, Arg, List, Text};

/// Stands in the place of a value and has its field deleted.
const DELETE: *mut raw::RedisModuleString = std::ptr::without_provenance_mut(1);

const NONE: c_int = raw::REDISMODULE_HASH_NONE as c_int;
const END: *mut raw::RedisModuleString = std::ptr::null_mut();

impl<'a> Server<'a> {
    pub fn hget(&self, args: &[Arg<'a>]) -> Act<Option<Text<'a>>> {
        let open = self.open(key_of(args), HASH)?;
        Ok(self.field(open, &args[1]))
    }

    pub fn hmget(&self, args: &[Arg<'a>]) -> Act<List<'a, Option<Text<'a>>>> {
        let open = self.open(key_of(args), HASH)?;
        let fields = self.sized_list(args.len() - 1);
        for field in &args[1..] {
            fields.push(self.field(open, field));
        }
        Ok(fields)
    }

    pub fn hexists(&self, args: &[Arg<'a>]) -> Act<i64> {
        let open = self.open(key_of(args), HASH)?;
        Ok(i64::from(self.field(open, &args[1]).is_some()))
    }

    pub fn hlen(&self, args: &[Arg<'a>]) -> Act<i64> {
        let open = self.open(key_of(args), HASH)?;
        // SAFETY: the key is open.
        Ok(unsafe { raw::RedisModule_ValueLength.unwrap()(open.handle.key) } as i64)
    }

    fn field(&self, open: Open, field: &Arg<'a>) -> Option<Text<'a>> {
        if open.is_empty() {
            return None;
        }
        let field = OwnedString::of(field);
        let mut value: *mut raw::RedisModuleString = std::ptr::null_mut();
        // SAFETY: the key is open and a hash; one field, one place for its value, and the end follow.
        unsafe {
            raw::RedisModule_HashGet.unwrap()(open.handle.key, NONE, field.0, &mut value, END);
        }
        if value.is_null() { None } else { Some(self.take(value)) }
    }

    pub fn hset(&self, args: &[Arg<'a>]) -> Act<i64> {
        let open = self.open(key_of(args), HASH)?;
        self.begin_writing()?;
        let strings = strings_of(open, args);
        let mut added = 0;
        for pair in strings[1..].chunks_exact(2) {
            // SAFETY: the key is open and no other value than a hash; one pair and the end follow.
            let updated =
                unsafe { raw::RedisModule_HashSet.unwrap()(open.handle.key, NONE, pair[0].0, pair[1].0, END) };
            added += 1 - i64::from(updated);
        }
        self.tell(open, raw::REDISMODULE_NOTIFY_HASH, c"hset", c"HSET", &strings);
        Ok(added)
    }

    pub fn hdel(&self, args: &[Arg<'a>]) -> Act<i64> {
        let open = self.open(key_of(args), HASH)?;
        if open.is_empty() {
            return Ok(0);
        }
        self.begin_writing()?;
        let strings = strings_of(open, args);
        let mut deleted = 0;
        for field in &strings[1..] {
            // SAFETY: the key is open; it may have become empty by an earlier field, which the server allows.
            deleted +=
                i64::from(unsafe { raw::RedisModule_HashSet.unwrap()(open.handle.key, NONE, field.0, DELETE, END) });
        }
        if deleted > 0 {
            self.tell(open, raw::REDISMODULE_NOTIFY_HASH, c"hdel", c"HDEL", &strings);
            self.tell_if_gone(open);
        }
        Ok(deleted)
    }
}
