//! What the commands by the interfaces of keys share: opening a key of a type, and telling what was done to it.

use std::ffi::{CStr, c_int};

use valkey_module::raw;

use super::Server;
use super::fault::Fault;
use super::keys::Handle;
use super::strings::{OwnedString, Strings, bytes_of};
use crate::runtime::{Act, Arg, Text};

/// The kinds of values that a key may hold, as the server numbers them.
pub(super) const EMPTY: c_int = raw::REDISMODULE_KEYTYPE_EMPTY as c_int;
const STRING: c_int = raw::REDISMODULE_KEYTYPE_STRING as c_int;
pub(super) const LIST: c_int = raw::REDISMODULE_KEYTYPE_LIST as c_int;
pub(super) const HASH: c_int = raw::REDISMODULE_KEYTYPE_HASH as c_int;
const SET: c_int = raw::REDISMODULE_KEYTYPE_SET as c_int;
pub(super) const ZSET: c_int = raw::REDISMODULE_KEYTYPE_ZSET as c_int;
const STREAM: c_int = raw::REDISMODULE_KEYTYPE_STREAM as c_int;

/// An open key, and its place among the open keys.
#[derive(Clone, Copy)]
pub(super) struct Open {
    at: usize,
    pub handle: Handle,
    pub kind: c_int,
}

impl Open {
    pub fn is_empty(self) -> bool {
        self.kind == EMPTY
    }
}

/// The key that an argument names.
pub(super) fn key_of<'a>(args: &[Arg<'a>]) -> Text<'a> {
    match args[0] {
        Arg::Text(text) | Arg::Word(text) => text,
        Arg::Int(_) => panic!("a key is a text"),
    }
}

pub(super) fn kind_of(handle: Handle) -> c_int {
    // SAFETY: the handle is open.
    unsafe { raw::RedisModule_KeyType.unwrap()(handle.key) }
}

impl<'a> Server<'a> {
    /// Opens a key that holds nothing or a value of a kind.
    pub(super) fn open(&self, name: Text<'a>, kind: c_int) -> Act<Open> {
        let open = self.open_any(name);
        if open.kind != kind && open.kind != EMPTY { Err(Fault::wrong_type()) } else { Ok(open) }
    }

    pub(super) fn open_any(&self, name: Text<'a>) -> Open {
        let (at, handle) = self.keys.borrow_mut().open(self.ctx, name);
        Open { at, handle, kind: kind_of(handle) }
    }

    /// The arguments of a command as strings of the server, the first of them the name under which its key is open.
    pub(super) fn strings_of(&self, open: Open, args: &[Arg<'a>]) -> Strings<'a> {
        let mut strings = Strings::new(self.arena, args.len());
        strings.push_kept(open.handle.name);
        for arg in &args[1..] {
            strings.push(arg);
        }
        strings
    }

    /// What kind of value a key holds, by its name on the wire.
    pub fn holds(&self, key: Text<'a>) -> Act<Text<'a>> {
        let name: &'static [u8] = match self.open_any(key).kind {
            EMPTY => b"none",
            STRING => b"string",
            LIST => b"list",
            HASH => b"hash",
            SET => b"set",
            ZSET => b"zset",
            STREAM => b"stream",
            _ => b"module",
        };
        Ok(Text(name))
    }

    /// Tells of a change: to those who watch the key, to those who listen for its event, to replicas and the log.
    pub(super) fn tell(&self, open: Open, class: c_int, event: &CStr, command: &CStr, strings: &Strings) {
        self.note(open, class, event);
        self.replicate(command, strings);
    }

    /// Tells of a change to those of this server: who watches the key, and who listens for its event.
    pub(super) fn note(&self, open: Open, class: c_int, event: &CStr) {
        self.keys.borrow_mut().note_written(open.at);
        self.notify(open, class, event);
    }

    /// Tells that a key is gone because its last member is.
    pub(super) fn tell_if_gone(&self, open: Open) {
        if kind_of(open.handle) == EMPTY {
            self.notify(open, raw::REDISMODULE_NOTIFY_GENERIC, c"del");
        }
    }

    fn notify(&self, open: Open, class: c_int, event: &CStr) {
        // SAFETY: the context is that of the command, and the name lives as long as the key is open.
        unsafe { raw::RedisModule_NotifyKeyspaceEvent.unwrap()(self.ctx, class, event.as_ptr(), open.handle.name) };
    }

    pub(super) fn replicate(&self, command: &CStr, strings: &Strings) {
        let strings = strings.pointers();
        let (ctx, name) = (self.ctx, command.as_ptr());
        /// One call whose format names each string.
        macro_rules! replicate {
            ($($format:literal $($string:ident)+,)+) => {
                // SAFETY: the format asks for as many strings as follow, or for an array of strings and its size; the
                // server takes references of its own.
                unsafe {
                    let replicate = raw::RedisModule_Replicate.unwrap();
                    match *strings {
                        $([$($string),+] => replicate(ctx, name, $format.as_ptr(), $($string),+),)+
                        _ => replicate(ctx, name, c"v".as_ptr(), strings.as_ptr(), strings.len()),
                    }
                }
            };
        }
        // The server makes room for what a format names at once, and for an array anew: a quarter of a short call.
        replicate! {
            c"s" a,
            c"ss" a b,
            c"sss" a b c,
            c"ssss" a b c d,
            c"sssss" a b c d e,
            c"ssssss" a b c d e f,
            c"sssssss" a b c d e f g,
            c"ssssssss" a b c d e f g h,
            c"sssssssss" a b c d e f g h i,
        };
    }

    /// A copy of a string that the server has made for this act, which is freed.
    pub(super) fn take(&self, string: *mut raw::RedisModuleString) -> Text<'a> {
        let owned = OwnedString(string);
        // SAFETY: it lives until the end of this function, and is copied.
        self.keep(unsafe { bytes_of(owned.0) })
    }

    /// Closes what is open; the end of an act.
    pub fn end(&self) {
        self.keys.borrow_mut().close_all(self.ctx);
    }
}
