//! The server as an act sees it: its primitives, its commands, and the arena that everything it makes lives in.

mod call;
mod commands;
mod direct;
mod fault;
mod hash;
mod json;
mod keys;
mod list;
mod sorted_set;
mod strings;
mod whole_keys;

use std::cell::{Cell, RefCell};

use bumpalo::Bump;
use bumpalo::collections::Vec;
use valkey_module::raw;

pub use fault::Fault;
use keys::OpenKeys;
pub use strings::{OwnedString, argument, bytes_of};

use crate::clock;
use crate::fence;
use crate::guard;
use crate::keyspace;
use crate::runtime::{Act, Arg, Dict, List, Text, Value, decimal, whole};

/// One act of the server.
pub struct Server<'a> {
    pub(crate) ctx: *mut raw::RedisModuleCtx,
    pub(crate) arena: &'a Bump,
    /// Whether a server that is short of memory refuses the act.
    grows: bool,
    /// Whether the act has begun to write, so that every guard has passed.
    is_writing: Cell<bool>,
    /// Whether the wire's version stands in the keyspace, so that nobody has to claim it.
    pub(crate) is_marked: Cell<bool>,
    /// The clock of the act, 0 until it was asked for.
    instant: Cell<i64>,
    /// The first declared key, which the guards are asked for.
    anchor: Text<'a>,
    keys: RefCell<OpenKeys<'a>>,
}

impl<'a> Server<'a> {
    pub fn new(ctx: *mut raw::RedisModuleCtx, arena: &'a Bump, grows: bool, anchor: Text<'a>) -> Self {
        Server {
            ctx,
            arena,
            grows,
            is_writing: Cell::new(false),
            is_marked: Cell::new(false),
            instant: Cell::new(0),
            anchor,
            keys: RefCell::new(OpenKeys::new(arena)),
        }
    }

    /// A struct of the act.
    pub fn make<T>(&self, value: T) -> &'a T {
        self.arena.alloc(value)
    }

    /// A list of the act.
    pub fn list<T: Copy>(&self, items: &[T]) -> List<'a, T> {
        let mut list = Vec::with_capacity_in(items.len(), self.arena);
        list.extend_from_slice_copy(items);
        List(self.arena.alloc(RefCell::new(list)))
    }

    /// A list of the act that is empty and has room for so many.
    pub fn sized_list<T: Copy>(&self, capacity: usize) -> List<'a, T> {
        List(self.arena.alloc(RefCell::new(Vec::with_capacity_in(capacity, self.arena))))
    }

    /// A dictionary of the act.
    pub fn dict<T: Copy>(&self) -> Dict<'a, T> {
        Dict(self.arena.alloc(RefCell::new(crate::runtime::Table::new(self.arena))))
    }

    /// Texts one after another.
    pub fn concat(&self, parts: &[Text]) -> Text<'a> {
        let size = parts.iter().map(|part| part.0.len()).sum();
        let mut joined = Vec::with_capacity_in(size, self.arena);
        for part in parts {
            joined.extend_from_slice_copy(part.0);
        }
        Text(joined.into_bump_slice())
    }

    /// Bytes that are to live as long as the act.
    pub fn keep(&self, bytes: &[u8]) -> Text<'a> {
        Text(self.arena.alloc_slice_copy(bytes))
    }

    /// Fixed arguments, and those of a list after them.
    pub fn spread<T: Copy>(&self, fixed: &[Arg<'a>], list: List<'a, T>) -> &'a [Arg<'a>]
    where
        Value<'a>: From<T>,
    {
        let mut args = Vec::with_capacity_in(fixed.len() + list.len() as usize, self.arena);
        args.extend_from_slice_copy(fixed);
        for item in list.iter() {
            args.push(Value::from(item).arg());
        }
        args.into_bump_slice()
    }

    /// The server's clock in whole Unix milliseconds; the same for the whole act.
    pub fn now(&self) -> i64 {
        if self.instant.get() == 0 {
            self.instant.set(clock::now(self));
        }
        self.instant.get()
    }

    /// The number that a text stands for. Text that is no number ends the act, as in the other engines.
    pub fn num(&self, text: Text) -> Act<i64> {
        if let Some(number) = whole(text.0) {
            return Ok(number);
        }
        let number = std::str::from_utf8(text.0).ok().and_then(|text| text.trim().parse::<f64>().ok());
        match number {
            Some(number) if !number.is_nan() => Ok(number as i64),
            _ => Err(Fault::new(b"ERR a number was expected")),
        }
    }

    pub fn int(&self, text: Text, min: i64, max: i64) -> bool {
        keyspace::is_integer(text.0, min, max)
    }

    pub fn base(&self, text: Text) -> bool {
        keyspace::is_base(text.0)
    }

    pub fn branded(&self, text: Text) -> bool {
        keyspace::is_branded(text.0)
    }

    pub fn name(&self, text: Text) -> bool {
        keyspace::is_name(text.0)
    }

    /// The byte at a place, empty beyond the end.
    pub fn char(&self, text: Text<'a>, at: i64) -> Text<'a> {
        text.slice(at, at + 1)
    }

    /// The decimal text of a number.
    pub fn text(&self, number: i64) -> Text<'a> {
        self.keep(decimal(number, &mut [0; crate::runtime::DECIMAL_MAX]))
    }

    /// The text as a JSON string with its quotes.
    pub fn json(&self, text: Text) -> Text<'a> {
        json::encode(self.arena, text.0)
    }

    /// The refusal of a client of another wire, empty for none: the last question of every check.
    pub fn fence(&self) -> Text<'a> {
        fence::compare(self)
    }

    /// Passes the guards of the server, and claims the wire's version, before the first write of an act.
    pub(crate) fn begin_writing(&self) -> Act<()> {
        if self.is_writing.get() {
            return Ok(());
        }
        guard::pass(self, self.grows, self.anchor)?;
        self.is_writing.set(true);
        fence::claim(self)
    }
}
