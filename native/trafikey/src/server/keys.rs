//! The keys that an act has open.
//!
//! An act asks for the same few keys again and again, so each is opened once. Two handles of one key would not see what
//! the other does, hence one handle a key; and before a command runs by the call interface, the keys that it names are
//! closed. The others stay open, since a command touches no key that it does not name.

use bumpalo::Bump;
use bumpalo::collections::Vec;
use valkey_module::raw;

use super::strings::OwnedString;
use crate::runtime::{Table, Text};

/// An open key.
#[derive(Clone, Copy)]
pub struct Handle {
    pub name: *mut raw::RedisModuleString,
    pub key: *mut raw::RedisModuleKey,
}

impl Handle {
    /// What stands in the place of a key that was closed before the act's end.
    const CLOSED: Handle = Handle { name: std::ptr::null_mut(), key: std::ptr::null_mut() };

    fn is_closed(self) -> bool {
        self.name.is_null()
    }
}

/// All open keys of an act.
pub struct OpenKeys<'a> {
    arena: &'a Bump,
    table: Table<'a, usize>,
    handles: Vec<'a, Handle>,
    /// Those that were written to, for those who watch keys.
    written: Vec<'a, bool>,
}

impl<'a> OpenKeys<'a> {
    pub fn new(arena: &'a Bump) -> Self {
        OpenKeys { arena, table: Table::new(arena), handles: Vec::new_in(arena), written: Vec::new_in(arena) }
    }

    /// The handle of a key, opened when it is not open yet.
    pub fn open(&mut self, ctx: *mut raw::RedisModuleCtx, name: Text<'a>) -> (usize, Handle) {
        let place = self.table.value_of(name.0);
        if let Some(at) = place.filter(|at| !self.handles[*at].is_closed()) {
            return (at, self.handles[at]);
        }
        let string = std::mem::ManuallyDrop::new(OwnedString::new(name.0)).0;
        let mode = (raw::REDISMODULE_READ | raw::REDISMODULE_WRITE) as i32;
        // SAFETY: the context is that of the running command, and the name lives until the key is closed.
        let key = unsafe { raw::RedisModule_OpenKey.unwrap()(ctx, string, mode) };
        let handle = Handle { name: string, key };
        if let Some(at) = place {
            self.handles[at] = handle;
            return (at, handle);
        }
        let at = self.handles.len();
        self.table.set(name.0, at);
        self.handles.push(handle);
        self.written.push(false);
        (at, handle)
    }

    /// Whether a key is open already.
    pub fn find(&self, name: Text) -> Option<Handle> {
        self.table.value_of(name.0).map(|at| self.handles[at]).filter(|handle| !handle.is_closed())
    }

    pub fn note_written(&mut self, at: usize) {
        self.written[at] = true;
    }

    /// Closes a key if it is open.
    pub fn close(&mut self, ctx: *mut raw::RedisModuleCtx, name: Text) {
        if let Some(at) = self.table.value_of(name.0) {
            self.close_at(ctx, at);
        }
    }

    /// Closes all keys.
    pub fn close_all(&mut self, ctx: *mut raw::RedisModuleCtx) {
        if self.handles.is_empty() {
            return;
        }
        for at in 0..self.handles.len() {
            self.close_at(ctx, at);
        }
        *self = OpenKeys::new(self.arena);
    }

    /// Closes one of the keys, and tells those who watch it if it was written to.
    fn close_at(&mut self, ctx: *mut raw::RedisModuleCtx, at: usize) {
        let handle = std::mem::replace(&mut self.handles[at], Handle::CLOSED);
        if handle.is_closed() {
            return;
        }
        // SAFETY: each handle was opened in this act, and is closed once, since nothing stands in its place now.
        unsafe {
            raw::RedisModule_CloseKey.unwrap()(handle.key);
            if std::mem::take(&mut self.written[at]) {
                raw::RedisModule_SignalModifiedKey.unwrap()(ctx, handle.name);
            }
            raw::RedisModule_FreeString.unwrap()(std::ptr::null_mut(), handle.name);
        }
    }
}
