//! Hashes.

use std::ffi::c_int;

use valkey_module::raw;

use super::Server;
use super::commands::whole_of;
use super::direct::{HASH, Open, key_of};
use super::strings::{OwnedString, with_string};
use crate::runtime::{Act, Arg, DECIMAL_MAX, List, Text, decimal, text, whole};

/// Stands in the place of a value and has its field deleted.
const DELETE: *mut raw::RedisModuleString = std::ptr::without_provenance_mut(1);

const NONE: c_int = raw::REDISMODULE_HASH_NONE as c_int;
const EXISTS: c_int = raw::REDISMODULE_HASH_EXISTS as c_int;
const END: *mut raw::RedisModuleString = std::ptr::null_mut();

/// What the rows of jobs mostly hold beside their state.
const USUAL: [Text<'static>; 3] = [text!(b"payload"), text!(b"name"), text!(b"owner")];

impl<'a> Server<'a> {
    pub fn hget(&self, args: &[Arg<'a>]) -> Act<Option<Text<'a>>> {
        let open = self.open(key_of(args), HASH)?;
        Ok(self.field(open, &args[1]))
    }

    pub fn hmget(&self, args: &[Arg<'a>]) -> Act<List<'a, Option<Text<'a>>>> {
        let open = self.open(key_of(args), HASH)?;
        let asked = &args[1..];
        let fields = self.sized_list(asked.len());
        // A field that is not there is the dearest to look for. Words of one call differ, so as soon as all fields of
        // the hash are accounted for, the others are known to be absent.
        let counts = asked.iter().all(|field| matches!(field, Arg::Word(_)));
        let mut left = if counts { self.length(open) } else { usize::MAX };
        let mut may_be_usual = true;
        for (at, field) in asked.iter().enumerate() {
            if may_be_usual && (2..=USUAL.len()).contains(&left) && asked.len() - at > left {
                may_be_usual = false;
                if self.are_usual(open, asked, left) {
                    left = 0;
                }
            }
            let value = if left == 0 { None } else { self.field(open, field) };
            left -= usize::from(value.is_some());
            fields.push(value);
        }
        Ok(fields)
    }

    /// Whether so many fields of a hash, beside those that are asked for, are usual ones.
    fn are_usual(&self, open: Open, asked: &[Arg<'a>], count: usize) -> bool {
        let mut spare = USUAL.len() - count;
        for usual in USUAL {
            let is_asked = asked.iter().any(|arg| matches!(arg, Arg::Word(word) if *word == usual));
            if is_asked || !self.holds_field(open, &Arg::Word(usual)) {
                if spare == 0 {
                    return false;
                }
                spare -= 1;
            }
        }
        true
    }

    pub fn hexists(&self, args: &[Arg<'a>]) -> Act<i64> {
        let open = self.open(key_of(args), HASH)?;
        Ok(i64::from(!open.is_empty() && self.holds_field(open, &args[1])))
    }

    /// Whether a hash that is there has a field.
    fn holds_field(&self, open: Open, field: &Arg<'a>) -> bool {
        let mut is_there: c_int = 0;
        with_string(field, |field| {
            // SAFETY: the key is open and a hash; one field, one place for the answer, and the end follow.
            unsafe {
                raw::RedisModule_HashGet.unwrap()(open.handle.key, EXISTS, field, &raw mut is_there, END);
            }
        });
        is_there != 0
    }

    pub fn hlen(&self, args: &[Arg<'a>]) -> Act<i64> {
        let open = self.open(key_of(args), HASH)?;
        Ok(self.length(open) as i64)
    }

    fn length(&self, open: Open) -> usize {
        // SAFETY: the key is open.
        unsafe { raw::RedisModule_ValueLength.unwrap()(open.handle.key) }
    }

    fn field(&self, open: Open, field: &Arg<'a>) -> Option<Text<'a>> {
        if open.is_empty() {
            return None;
        }
        let mut value: *mut raw::RedisModuleString = std::ptr::null_mut();
        with_string(field, |field| {
            // SAFETY: the key is open and a hash; one field, one place for its value, and the end follow.
            unsafe {
                raw::RedisModule_HashGet.unwrap()(open.handle.key, NONE, field, &raw mut value, END);
            }
        });
        if value.is_null() { None } else { Some(self.take(value)) }
    }

    pub fn hset(&self, args: &[Arg<'a>]) -> Act<i64> {
        let open = self.open(key_of(args), HASH)?;
        self.begin_writing()?;
        let strings = self.strings_of(open, args);
        let mut added = 0;
        for pairs in strings.pointers()[1..].chunks(6) {
            // SAFETY: the key is open and no other value than a hash; whole pairs and the end follow.
            let updated = unsafe {
                let (set, key) = (raw::RedisModule_HashSet.unwrap(), open.handle.key);
                match *pairs {
                    [a, b, c, d, e, f] => set(key, NONE, a, b, c, d, e, f, END),
                    [a, b, c, d] => set(key, NONE, a, b, c, d, END),
                    [a, b] => set(key, NONE, a, b, END),
                    _ => panic!("fields and values come in pairs"),
                }
            };
            added += (pairs.len() / 2) as i64 - i64::from(updated);
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
        let strings = self.strings_of(open, args);
        let mut deleted = 0;
        for field in &strings.pointers()[1..] {
            // SAFETY: the key is open; it may have become empty by an earlier field, which the server allows.
            deleted +=
                i64::from(unsafe { raw::RedisModule_HashSet.unwrap()(open.handle.key, NONE, *field, DELETE, END) });
        }
        if deleted > 0 {
            self.tell(open, raw::REDISMODULE_NOTIFY_HASH, c"hdel", c"HDEL", &strings);
            self.tell_if_gone(open);
        }
        Ok(deleted)
    }

    /// Adds to a field that holds a number or is not there; any other is the server's to refuse.
    pub fn hincrby(&self, args: &[Arg<'a>]) -> Act<i64> {
        let open = self.open(key_of(args), HASH)?;
        let Some(sum) = self.sum(open, args) else {
            return self.writing_number(c"HINCRBY", args);
        };
        self.begin_writing()?;
        let strings = self.strings_of(open, args);
        let value = OwnedString::of(&Arg::Int(sum));
        // SAFETY: the key is open and no other value than a hash; one pair and the end follow.
        unsafe { raw::RedisModule_HashSet.unwrap()(open.handle.key, NONE, strings.pointers()[1], value.0, END) };
        self.tell(open, raw::REDISMODULE_NOTIFY_HASH, c"hincrby", c"HINCRBY", &strings);
        Ok(sum)
    }

    /// What a field comes to when a number is added; nothing unless both are numbers as the server writes them.
    fn sum(&self, open: Open, args: &[Arg<'a>]) -> Option<i64> {
        let before = match self.field(open, &args[1]) {
            Some(text) => whole(text.0).filter(|number| decimal(*number, &mut [0; DECIMAL_MAX]) == text.0)?,
            None => 0,
        };
        before.checked_add(whole_of(&args[2])?)
    }
}
