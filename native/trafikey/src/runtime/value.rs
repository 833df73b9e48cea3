//! What a command takes and what an act answers.

use super::{List, Text};

/// An argument of a command.
#[derive(Clone, Copy)]
pub enum Arg<'a> {
    Text(Text<'a>),
    /// A text of the program itself.
    Word(Text<'static>),
    Int(i64),
}

/// A reply, or a part of one.
#[derive(Clone, Copy)]
pub enum Value<'a> {
    Nil,
    Int(i64),
    Text(Text<'a>),
    /// A refusal; its first word is its class.
    Error(Text<'a>),
    List(List<'a, Value<'a>>),
    Texts(List<'a, Text<'a>>),
    Ints(List<'a, i64>),
    Options(List<'a, Option<Text<'a>>>),
    Lists(List<'a, List<'a, Value<'a>>>),
}

impl<'a> Value<'a> {
    pub fn is_nil(self) -> bool {
        matches!(self, Value::Nil)
    }

    /// As an argument of a command.
    pub fn arg(self) -> Arg<'a> {
        match self {
            Value::Int(number) => Arg::Int(number),
            other => Arg::Text(other.text()),
        }
    }

    /// The number that it is; anything else is an error of the program and ends the act.
    pub fn int(self) -> i64 {
        match self {
            Value::Int(number) => number,
            _ => panic!("a value is no number"),
        }
    }

    /// The text that it is; anything else is an error of the program and ends the act.
    pub fn text(self) -> Text<'a> {
        match self {
            Value::Text(text) => text,
            _ => panic!("a value is no text"),
        }
    }

    /// The list that it is; anything else is an error of the program and ends the act.
    pub fn members(self) -> List<'a, Value<'a>> {
        match self {
            Value::List(list) => list,
            _ => panic!("a value is no list"),
        }
    }
}

/// Texts and numbers are equal by what they say; lists are not compared.
impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Int(left), Value::Int(right)) => left == right,
            (Value::Text(left), Value::Text(right)) => left == right,
            (Value::Nil, Value::Nil) => true,
            _ => false,
        }
    }
}

impl<'a> From<Text<'a>> for Value<'a> {
    fn from(text: Text<'a>) -> Self {
        Value::Text(text)
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Value::Int(number)
    }
}

impl<'a, T> From<Option<T>> for Value<'a>
where
    Value<'a>: From<T>,
{
    fn from(option: Option<T>) -> Self {
        option.map_or(Value::Nil, Value::from)
    }
}

impl<'a> From<List<'a, Value<'a>>> for Value<'a> {
    fn from(list: List<'a, Value<'a>>) -> Self {
        Value::List(list)
    }
}

impl<'a> From<List<'a, Text<'a>>> for Value<'a> {
    fn from(list: List<'a, Text<'a>>) -> Self {
        Value::Texts(list)
    }
}

impl<'a> From<List<'a, i64>> for Value<'a> {
    fn from(list: List<'a, i64>) -> Self {
        Value::Ints(list)
    }
}

impl<'a> From<List<'a, Option<Text<'a>>>> for Value<'a> {
    fn from(list: List<'a, Option<Text<'a>>>) -> Self {
        Value::Options(list)
    }
}

impl<'a> From<List<'a, List<'a, Value<'a>>>> for Value<'a> {
    fn from(list: List<'a, List<'a, Value<'a>>>) -> Self {
        Value::Lists(list)
    }
}
