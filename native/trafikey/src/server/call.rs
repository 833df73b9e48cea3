//! Commands by the server's call interface: what the interfaces of keys do not offer, and what is seldom asked.

use std::ffi::CStr;

use valkey_module::raw;

use super::Server;
use super::fault::Fault;
use super::strings::OwnedString;
use crate::runtime::{Act, Arg, Text, Value};

/// Errors come as replies, and effects go to replicas and to the log.
const RUN: &CStr = c"!Ev";

/// As if a script called it: the guards of the server are asked, memory too, and then nothing is done.
const DRY: &CStr = c"EDSMv";

/// A reply of the server, freed when it goes.
struct Reply(*mut raw::RedisModuleCallReply);

impl Drop for Reply {
    fn drop(&mut self) {
        // SAFETY: this is the only owner; parts of a reply go with the whole.
        unsafe { raw::RedisModule_FreeCallReply.unwrap()(self.0) }
    }
}

impl<'a> Server<'a> {
    /// Runs one command and answers its reply.
    pub(crate) fn run(&self, command: &CStr, args: &[Arg]) -> Act<Value<'a>> {
        // What is open would not see what the command does. Whatever is a key of it is among its arguments.
        for arg in args {
            if let Arg::Text(name) | Arg::Word(name) = arg {
                self.keys.borrow_mut().close(self.ctx, *name);
            }
        }
        self.ask_apart(command, args)
    }

    /// Runs one command on a key that is no queue's, which leaves all that is open as it is.
    pub(crate) fn run_apart(&self, command: &CStr, args: &[Arg]) -> Act<()> {
        self.ask_apart(command, args).map(|_| ())
    }

    /// The same, for its reply.
    pub(crate) fn ask_apart(&self, command: &CStr, args: &[Arg]) -> Act<Value<'a>> {
        self.invoke(command, RUN, args).map(|reply| reply.unwrap_or(Value::Nil))
    }

    /// Whether the server would take a write, without making it.
    pub(crate) fn dry_run(&self, command: &CStr, args: &[Arg]) -> Act<()> {
        self.invoke(command, DRY, args).map(|_| ())
    }

    fn invoke(&self, command: &CStr, flags: &CStr, args: &[Arg]) -> Act<Option<Value<'a>>> {
        let owned: Vec<OwnedString> = args.iter().map(OwnedString::of).collect();
        let mut given: Vec<*mut raw::RedisModuleString> = owned.iter().map(|string| string.0).collect();
        // SAFETY: the flags ask for an array of strings and its size, and both live until the call is over.
        let reply = unsafe {
            raw::RedisModule_Call.unwrap()(self.ctx, command.as_ptr(), flags.as_ptr(), given.as_mut_ptr(), given.len())
        };
        if reply.is_null() {
            return Ok(None);
        }
        let reply = Reply(reply);
        match self.value_of(reply.0) {
            Value::Error(text) => Err(Fault::new(text.0)),
            value => Ok(Some(value)),
        }
    }

    /// A copy of a reply, or of a part of one, in the arena.
    fn value_of(&self, reply: *mut raw::RedisModuleCallReply) -> Value<'a> {
        // SAFETY: the reply lives, and each question fits its kind.
        unsafe {
            match raw::RedisModule_CallReplyType.unwrap()(reply) as isize {
                raw::REDISMODULE_REPLY_INTEGER => Value::Int(raw::RedisModule_CallReplyInteger.unwrap()(reply)),
                raw::REDISMODULE_REPLY_STRING => Value::Text(self.text_of(reply)),
                raw::REDISMODULE_REPLY_ERROR => Value::Error(self.text_of(reply)),
                raw::REDISMODULE_REPLY_ARRAY | raw::REDISMODULE_REPLY_SET => {
                    let size = raw::RedisModule_CallReplyLength.unwrap()(reply);
                    let list = self.list(&[]);
                    for at in 0..size {
                        list.push(self.value_of(raw::RedisModule_CallReplyArrayElement.unwrap()(reply, at)));
                    }
                    Value::List(list)
                }
                _ => Value::Nil,
            }
        }
    }

    fn text_of(&self, reply: *mut raw::RedisModuleCallReply) -> Text<'a> {
        let mut size = 0;
        // SAFETY: the reply lives and is a text; its bytes are copied at once.
        unsafe {
            let start = raw::RedisModule_CallReplyStringPtr.unwrap()(reply, &mut size);
            self.keep(std::slice::from_raw_parts(start.cast(), size))
        }
    }
}
