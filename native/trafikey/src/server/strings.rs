//! Strings of the server, owned for as long as a command needs them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::mem::ManuallyDrop;

use valkey_module::raw;

use crate::runtime::{Arg, DECIMAL_MAX, Text, decimal};

/// A string of the server that is freed when it goes.
pub struct OwnedString(pub *mut raw::RedisModuleString);

impl OwnedString {
    pub fn new(bytes: &[u8]) -> Self {
        // SAFETY: the server copies the bytes; without a context it keeps no account of the string.
        OwnedString(unsafe {
            raw::RedisModule_CreateString.unwrap()(std::ptr::null_mut(), bytes.as_ptr().cast(), bytes.len())
        })
    }

    /// A further reference to a string that lives.
    pub fn shared(string: *mut raw::RedisModuleString) -> Self {
        // SAFETY: the caller holds a reference of its own.
        unsafe { raw::RedisModule_RetainString.unwrap()(std::ptr::null_mut(), string) };
        OwnedString(string)
    }

    pub fn of(arg: &Arg) -> Self {
        match arg {
            Arg::Text(text) => OwnedString::new(text.0),
            Arg::Word(word) => OwnedString::of_word(word.0),
            Arg::Int(number) => OwnedString::new(decimal(*number, &mut [0; DECIMAL_MAX])),
        }
    }
}

thread_local! {
    /// The words of the program that were used, by where they stand, each with a string that is never freed.
    static WORDS: RefCell<Words> = RefCell::default();
}

type Words = HashMap<(usize, usize), *mut raw::RedisModuleString, BuildHasherDefault<PlaceHasher>>;

/// Hashes a place in memory: its own number is spread well enough by one multiplication.
#[derive(Default)]
struct PlaceHasher(u64);

impl Hasher for PlaceHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_usize(&mut self, part: usize) {
        self.0 = (self.0 ^ part as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }
}

impl OwnedString {
    /// A further reference to the string of a word.
    fn of_word(word: &'static [u8]) -> Self {
        WORDS.with_borrow_mut(|words| {
            let place = (word.as_ptr() as usize, word.len());
            let kept = *words.entry(place).or_insert_with(|| ManuallyDrop::new(OwnedString::new(word)).0);
            OwnedString::shared(kept)
        })
    }
}

impl Drop for OwnedString {
    fn drop(&mut self) {
        // SAFETY: this is the only owner of one reference.
        unsafe { raw::RedisModule_FreeString.unwrap()(std::ptr::null_mut(), self.0) }
    }
}

/// The bytes of a string of the server.
///
/// # Safety
///
/// The string must live, and must not be changed, as long as the bytes are used.
pub unsafe fn bytes_of<'b>(string: *const raw::RedisModuleString) -> &'b [u8] {
    let mut size = 0;
    // SAFETY: the caller answers for the string.
    unsafe {
        let start = raw::RedisModule_StringPtrLen.unwrap()(string, &mut size);
        std::slice::from_raw_parts(start.cast(), size)
    }
}

/// The text of an argument of the running command.
///
/// # Safety
///
/// As for [`bytes_of`], for as long as the act lasts.
pub unsafe fn argument<'a>(string: *const raw::RedisModuleString) -> Text<'a> {
    // SAFETY: the caller answers for it.
    Text(unsafe { bytes_of(string) })
}
