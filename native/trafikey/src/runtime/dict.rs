//! Dictionaries by text: a table of open addresses in the arena.

use std::cell::RefCell;

use bumpalo::Bump;
use bumpalo::collections::Vec;

use super::Text;

/// A shared dictionary of the act.
pub struct Dict<'a, T>(pub &'a RefCell<Table<'a, T>>);

impl<T> Clone for Dict<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Dict<'_, T> {}

impl<'a, T: Copy> Dict<'a, T> {
    pub fn get(self, key: Text) -> Option<T> {
        self.0.borrow().value_of(key.0)
    }

    pub fn set(self, key: Text<'a>, value: T) {
        self.0.borrow_mut().set(key.0, value);
    }
}

/// A place of the table that holds no entry.
const FREE: u32 = u32::MAX;

/// Entries in the order in which they came, each with its hash, and where it stands by that.
pub struct Table<'a, T> {
    entries: Vec<'a, (usize, &'a [u8], T)>,
    places: Vec<'a, u32>,
}

impl<'a, T: Copy> Table<'a, T> {
    pub fn new(arena: &'a Bump) -> Self {
        Table { entries: Vec::new_in(arena), places: Vec::new_in(arena) }
    }

    /// The number of an entry, by its key and the hash of that.
    fn find(&self, key: &[u8], hash: usize) -> Option<usize> {
        if self.places.is_empty() {
            return None;
        }
        let mask = self.places.len() - 1;
        let mut place = hash & mask;
        while self.places[place] != FREE {
            let at = self.places[place] as usize;
            if self.entries[at].0 == hash && self.entries[at].1 == key {
                return Some(at);
            }
            place = (place + 1) & mask;
        }
        None
    }

    /// The value of a key.
    pub fn value_of(&self, key: &[u8]) -> Option<T> {
        self.find(key, hash(key)).map(|at| self.entries[at].2)
    }

    pub fn set(&mut self, key: &'a [u8], value: T) {
        let hash = hash(key);
        if let Some(at) = self.find(key, hash) {
            self.entries[at].2 = value;
            return;
        }
        // At most half of the places are taken.
        if (self.entries.len() + 1) * 2 > self.places.len() {
            self.grow();
        }
        self.occupy(hash, self.entries.len());
        self.entries.push((hash, key, value));
    }

    fn grow(&mut self) {
        let size = (self.places.len() * 2).max(16);
        self.places.clear();
        self.places.resize(size, FREE);
        for at in 0..self.entries.len() {
            self.occupy(self.entries[at].0, at);
        }
    }

    fn occupy(&mut self, hash: usize, at: usize) {
        let mask = self.places.len() - 1;
        let mut place = hash & mask;
        while self.places[place] != FREE {
            place = (place + 1) & mask;
        }
        self.places[place] = at as u32;
    }
}

/// Eight bytes at a time, multiplied and folded: the low bits choose the place.
fn hash(key: &[u8]) -> usize {
    let mut hash = key.len() as u64;
    let mut eights = key.chunks_exact(8);
    for eight in &mut eights {
        hash = fold(hash ^ u64::from_le_bytes(eight.try_into().unwrap_or_default()));
    }
    for byte in eights.remainder() {
        hash = (hash << 8) ^ (hash >> 56) ^ u64::from(*byte);
    }
    fold(hash) as usize
}

fn fold(value: u64) -> u64 {
    let product = u128::from(value) * 0x9e37_79b9_7f4a_7c15_u128;
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::text;

    #[test]
    fn a_dictionary_finds_what_was_written_last_for_a_key() {
        let arena = Bump::new();
        let dict = Dict(arena.alloc(RefCell::new(Table::new(&arena))));
        assert_eq!(dict.get(text!(b"a")), None);
        for number in 0..1000_i64 {
            dict.set(Text(arena.alloc_slice_copy(number.to_string().as_bytes())), number);
        }
        dict.set(text!(b"7"), -7);
        assert_eq!(dict.get(text!(b"999")), Some(999));
        assert_eq!(dict.get(text!(b"7")), Some(-7));
        assert_eq!(dict.get(text!(b"1000")), None);
    }
}
