//! Whole keys: whether they exist, and their end.

use std::ffi::CStr;

use valkey_module::raw;

use super::Server;
use super::direct::{EMPTY, key_of, kind_of};
use super::strings::{OwnedString, Strings};
use crate::runtime::{Act, Arg, Text};

impl<'a> Server<'a> {
    pub fn exists(&self, args: &[Arg<'a>]) -> Act<i64> {
        let mut count = 0;
        for at in 0..args.len() {
            count += i64::from(self.is_there(key_of(&args[at..])));
        }
        Ok(count)
    }

    fn is_there(&self, name: Text<'a>) -> bool {
        if let Some(handle) = self.keys.borrow().find(name) {
            return kind_of(handle) != EMPTY;
        }
        let string = OwnedString::new(name.0);
        // SAFETY: the context is that of the command.
        unsafe { raw::RedisModule_KeyExists.unwrap()(self.ctx, string.0) == 1 }
    }

    pub fn del(&self, args: &[Arg<'a>]) -> Act<i64> {
        self.delete(c"DEL", args)
    }

    pub fn unlink(&self, args: &[Arg<'a>]) -> Act<i64> {
        self.delete(c"UNLINK", args)
    }

    fn delete(&self, command: &CStr, args: &[Arg<'a>]) -> Act<i64> {
        self.begin_writing()?;
        let mut gone = Strings::new(self.arena, args.len());
        for at in 0..args.len() {
            let name = key_of(&args[at..]);
            // Most of the keys that may go with a row are not there, and asking costs less than opening.
            if !self.is_there(name) {
                continue;
            }
            let open = self.open_any(name);
            if open.is_empty() {
                continue;
            }
            // SAFETY: the key is open for writing; the handle stays and is empty.
            unsafe { raw::RedisModule_UnlinkKey.unwrap()(open.handle.key) };
            self.note(open, raw::REDISMODULE_NOTIFY_GENERIC, c"del");
            gone.push_kept(open.handle.name);
        }
        let count = gone.pointers().len();
        if count > 0 {
            self.replicate(command, &gone);
        }
        Ok(count as i64)
    }

    /// The text at a key outside the queue, which is read at once and not kept open; nothing for no text.
    pub(crate) fn plain_text_at(&self, name: Text<'a>) -> Option<Text<'a>> {
        let string = OwnedString::new(name.0);
        // SAFETY: the key is closed before the name goes, and the bytes are copied while it is open.
        unsafe {
            let key = raw::RedisModule_OpenKey.unwrap()(self.ctx, string.0, raw::REDISMODULE_READ as i32);
            if key.is_null() {
                return None;
            }
            let mut size = 0;
            let start = raw::RedisModule_StringDMA.unwrap()(key, &mut size, raw::REDISMODULE_READ as i32);
            let text =
                if start.is_null() { None } else { Some(self.keep(std::slice::from_raw_parts(start.cast(), size))) };
            raw::RedisModule_CloseKey.unwrap()(key);
            text
        }
    }
}
