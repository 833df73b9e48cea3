//! The commands of the server that acts use, each with the reply that the server's Lua gives.
//!
//! Those that bound how fast a queue is go through the interfaces of keys, in the files beside this one; the others
//! through the call interface. Both replicate what they did, and tell those who listen for changes of keys.

use std::ffi::CStr;

use super::{Fault, Server};
use crate::runtime::{Act, Arg, List, Text, Value, whole};

type Args<'b, 'a> = &'b [Arg<'a>];

/// Entries of a stream: the id of each, and its fields and values in turn.
type Entries<'a> = List<'a, (Text<'a>, List<'a, Text<'a>>)>;

/// Commands that answer a number.
macro_rules! numbers {
    ($($name:ident $command:literal)*) => {
        impl<'a> Server<'a> {
            $(pub fn $name(&self, args: Args<'_, 'a>) -> Act<i64> {
                self.writing_number($command, args)
            })*
        }
    };
}

/// Commands that answer a text or nothing.
macro_rules! texts {
    ($($name:ident $command:literal)*) => {
        impl<'a> Server<'a> {
            $(pub fn $name(&self, args: Args<'_, 'a>) -> Act<Option<Text<'a>>> {
                Ok(match self.writing($command, args)? {
                    Value::Text(text) => Some(text),
                    _ => None,
                })
            })*
        }
    };
}

/// Commands that answer a list of texts.
macro_rules! lists {
    ($($name:ident $command:literal)*) => {
        impl<'a> Server<'a> {
            $(pub fn $name(&self, args: Args<'_, 'a>) -> Act<List<'a, Text<'a>>> {
                self.texts_of(self.run($command, args)?)
            })*
        }
    };
}

numbers! {
    pexpire c"PEXPIRE"
    pexpireat c"PEXPIREAT"
    lrem c"LREM"
    sadd c"SADD"
    srem c"SREM"
    publish c"PUBLISH"
    xtrim c"XTRIM"
}

texts! {
    lmove c"LMOVE"
    lpop c"LPOP"
}

lists! {
    hgetall c"HGETALL"
    hkeys c"HKEYS"
    lrange c"LRANGE"
    smembers c"SMEMBERS"
    zrevrange c"ZREVRANGE"
}

impl<'a> Server<'a> {
    /// Runs a command that may write.
    pub(super) fn writing(&self, command: &CStr, args: Args<'_, 'a>) -> Act<Value<'a>> {
        self.begin_writing()?;
        self.run(command, args)
    }

    pub(super) fn writing_number(&self, command: &CStr, args: Args<'_, 'a>) -> Act<i64> {
        number_of(self.writing(command, args)?)
    }

    /// One of several commands that answer a number.
    pub fn number(&self, command: Text, args: Args<'_, 'a>) -> Act<i64> {
        match command.0 {
            b"DEL" => self.del(args),
            b"UNLINK" => self.unlink(args),
            _ => Err(Fault::new(b"ERR no such command in an act")),
        }
    }

    pub fn get(&self, args: Args<'_, 'a>) -> Act<Option<Text<'a>>> {
        Ok(match self.run(c"GET", args)? {
            Value::Text(text) => Some(text),
            _ => None,
        })
    }

    pub fn lindex(&self, args: Args<'_, 'a>) -> Act<Option<Text<'a>>> {
        Ok(match self.run(c"LINDEX", args)? {
            Value::Text(text) => Some(text),
            _ => None,
        })
    }

    pub fn set(&self, args: Args<'_, 'a>) -> Act<()> {
        self.writing(c"SET", args).map(|_| ())
    }

    pub fn ltrim(&self, args: Args<'_, 'a>) -> Act<()> {
        self.writing(c"LTRIM", args).map(|_| ())
    }

    pub fn pttl(&self, args: Args<'_, 'a>) -> Act<i64> {
        number_of(self.run(c"PTTL", args)?)
    }

    pub fn scard(&self, args: Args<'_, 'a>) -> Act<i64> {
        number_of(self.run(c"SCARD", args)?)
    }

    pub fn sismember(&self, args: Args<'_, 'a>) -> Act<i64> {
        number_of(self.run(c"SISMEMBER", args)?)
    }

    pub fn zcount(&self, args: Args<'_, 'a>) -> Act<i64> {
        number_of(self.run(c"ZCOUNT", args)?)
    }

    pub fn zrank(&self, args: Args<'_, 'a>) -> Act<Option<i64>> {
        Ok(match self.run(c"ZRANK", args)? {
            Value::Int(rank) => Some(rank),
            _ => None,
        })
    }

    pub fn lpos(&self, args: Args<'_, 'a>) -> Act<List<'a, i64>> {
        let places = self.list(&[]);
        for place in self.members_of(self.run(c"LPOS", args)?)?.iter() {
            places.push(number_of(place)?);
        }
        Ok(places)
    }

    pub fn hscan(&self, args: Args<'_, 'a>) -> Act<(Text<'a>, List<'a, Text<'a>>)> {
        self.page_of(self.run(c"HSCAN", args)?)
    }

    pub fn sscan(&self, args: Args<'_, 'a>) -> Act<(Text<'a>, List<'a, Text<'a>>)> {
        self.page_of(self.run(c"SSCAN", args)?)
    }

    pub fn xadd(&self, args: Args<'_, 'a>) -> Act<Text<'a>> {
        Ok(self.writing(c"XADD", args)?.text())
    }

    pub fn xrange(&self, args: Args<'_, 'a>) -> Act<Entries<'a>> {
        self.entries_of(self.run(c"XRANGE", args)?)
    }

    pub fn xrevrange(&self, args: Args<'_, 'a>) -> Act<Entries<'a>> {
        self.entries_of(self.run(c"XREVRANGE", args)?)
    }

    fn entries_of(&self, value: Value<'a>) -> Act<Entries<'a>> {
        let entries = self.list(&[]);
        for entry in self.members_of(value)?.iter() {
            entries.push(self.page_of(entry)?);
        }
        Ok(entries)
    }

    /// The cursor and the members of one page.
    fn page_of(&self, value: Value<'a>) -> Act<(Text<'a>, List<'a, Text<'a>>)> {
        let parts = self.members_of(value)?;
        Ok((parts.get(0).text(), self.texts_of(parts.get(1))?))
    }

    fn members_of(&self, value: Value<'a>) -> Act<List<'a, Value<'a>>> {
        match value {
            Value::List(list) => Ok(list),
            _ => Ok(self.list(&[])),
        }
    }

    pub(super) fn texts_of(&self, value: Value<'a>) -> Act<List<'a, Text<'a>>> {
        let texts = self.list(&[]);
        for member in self.members_of(value)?.iter() {
            texts.push(member.text());
        }
        Ok(texts)
    }
}

/// The number of a reply.
pub(super) fn number_of(value: Value) -> Act<i64> {
    match value {
        Value::Int(number) => Ok(number),
        _ => Err(Fault::new(b"ERR a command has not answered a number")),
    }
}

/// An argument as a whole number.
pub(super) fn whole_of(arg: &Arg) -> Option<i64> {
    match arg {
        Arg::Int(number) => Some(*number),
        Arg::Text(text) | Arg::Word(text) => whole(text.0),
    }
}
