//! The types that the generated acts are written with.
//!
//! All that an act makes lives in one arena, `'a`, and is handed on by reference: each type is `Copy`, and an object or
//! a list that two places hold is one object. The arena is emptied when the act has answered.

// Acts are generated, and at times none of them needs what the generator may write.
#[allow(dead_code)]
mod dict;
#[allow(dead_code)]
mod list;
mod number;
mod text;
#[allow(dead_code)]
mod value;

pub use std::cell::Cell;

pub use crate::server::{Fault, Server};
pub use dict::{Dict, Table};
pub use list::List;
pub use number::{DECIMAL_MAX, ceil_div, decimal, floor_div, whole};
pub use text::Text;
pub(crate) use text::text;
pub use value::{Arg, Value};

/// What a step gives that calls the server: its answer, or the error that ends the act.
pub type Act<T> = Result<T, Fault>;

/// Binds a struct to its act where none of its fields does.
pub struct Here<'a>(std::marker::PhantomData<Cell<&'a ()>>);

impl Here<'_> {
    pub fn new() -> Self {
        Here(std::marker::PhantomData)
    }
}
