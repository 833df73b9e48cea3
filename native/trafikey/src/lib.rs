//! `trafikey`: the native half of EchoMQ, a module of Valkey that serves every act as a command `EMQ.<VERB>`.
//!
//! The acts themselves are generated from the same source as the Lua form (`act/`); this crate gives them the server:
//! keys and replies (`server/`), the few types that they are written with (`runtime/`), and what stands around each
//! act, from the split of its arguments to its reply (`verb.rs`).

#![deny(unsafe_op_in_unsafe_fn)]

#[allow(clippy::all, dead_code, unused_mut, unused_variables, unused_imports, unused_parens)]
#[rustfmt::skip]
mod act;
mod block;
mod clock;
mod fence;
mod guard;
mod keyspace;
mod load;
mod register;
mod runtime;
mod server;
mod verb;

#[cfg(not(feature = "system-alloc"))]
#[global_allocator]
static ALLOCATOR: valkey_module::alloc::ValkeyAlloc = valkey_module::alloc::ValkeyAlloc;
