//! Lists that grow, and that all who hold one share.

use std::cell::RefCell;

use bumpalo::collections::Vec;

use super::{Text, Value};
use crate::server::Server;

/// A shared list of the act.
pub struct List<'a, T>(pub &'a RefCell<Vec<'a, T>>);

impl<T> Clone for List<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<'_, T> {}

impl<'a, T: Copy> List<'a, T> {
    pub fn len(self) -> i64 {
        self.0.borrow().len() as i64
    }

    /// The element at a place; a place beyond the end is an error of the program and ends the act.
    pub fn get(self, at: i64) -> T {
        self.0.borrow()[at as usize]
    }

    /// Writes the element at a place, which may be the one after the last.
    pub fn set(self, at: i64, value: T) {
        let mut items = self.0.borrow_mut();
        let place = at as usize;
        if place == items.len() { items.push(value) } else { items[place] = value }
    }

    pub fn push(self, value: T) {
        self.0.borrow_mut().push(value);
    }

    /// The elements one by one, those appended meanwhile included.
    pub fn iter(self) -> Members<'a, T> {
        Members { list: self, at: 0 }
    }
}

impl<'a, T: Copy> List<'a, Option<T>> {
    /// The element at a place; nothing beyond the end.
    pub fn pick(self, at: i64) -> Option<T> {
        self.0.borrow().get(at as usize).copied().flatten()
    }
}

impl<'a, T: Copy> List<'a, T>
where
    Value<'a>: From<T>,
{
    /// A copy whose elements are values.
    pub fn values(self, s: &Server<'a>) -> List<'a, Value<'a>> {
        let copy = s.list(&[]);
        for item in self.iter() {
            copy.push(Value::from(item));
        }
        copy
    }
}

impl<'a> List<'a, Text<'a>> {
    /// A copy whose elements may be absent.
    pub fn options(self, s: &Server<'a>) -> List<'a, Option<Text<'a>>> {
        let copy = s.list(&[]);
        for item in self.iter() {
            copy.push(Some(item));
        }
        copy
    }
}

/// Goes through a list.
pub struct Members<'a, T> {
    list: List<'a, T>,
    at: usize,
}

impl<T: Copy> Iterator for Members<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let item = self.list.0.borrow().get(self.at).copied();
        self.at += 1;
        item
    }
}
