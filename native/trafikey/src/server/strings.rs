//! Strings of the server, owned for as long as a command needs them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::mem::ManuallyDrop;

use bumpalo::Bump;
use bumpalo::collections::Vec;
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
            Arg::Word(word) => OwnedString::shared(string_of_word(word.0)),
            Arg::Int(number) => OwnedString::new(decimal(*number, &mut [0; DECIMAL_MAX])),
        }
    }
}

/// Runs with an argument as a string of the server, which need not live longer.
pub fn with_string<T>(arg: &Arg, run: impl FnOnce(*mut raw::RedisModuleString) -> T) -> T {
    match arg {
        Arg::Word(word) => run(string_of_word(word.0)),
        other => run(OwnedString::of(other).0),
    }
}

/// The arguments of one command as strings of the server.
pub struct Strings<'a> {
    pointers: Vec<'a, *mut raw::RedisModuleString>,
    /// Those of them that go with this; the others are kept elsewhere.
    owned: Vec<'a, OwnedString>,
    /// The last number and its string, since scores of one call are mostly equal.
    last: Option<(i64, *mut raw::RedisModuleString)>,
}

impl<'a> Strings<'a> {
    pub fn new(arena: &'a Bump, capacity: usize) -> Self {
        Strings { pointers: Vec::with_capacity_in(capacity, arena), owned: Vec::new_in(arena), last: None }
    }

    pub fn pointers(&self) -> &[*mut raw::RedisModuleString] {
        &self.pointers
    }

    /// A string that lives longer than this.
    pub fn push_kept(&mut self, string: *mut raw::RedisModuleString) {
        self.pointers.push(string);
    }

    pub fn push(&mut self, arg: &Arg) {
        match (arg, self.last) {
            (Arg::Word(word), _) => self.push_kept(string_of_word(word.0)),
            (Arg::Int(digit @ 0..=9), _) => self.push_kept(string_of_word(&DIGITS[*digit as usize..][..1])),
            (Arg::Int(number), Some((last, string))) if *number == last => self.push_kept(string),
            _ => {
                let string = OwnedString::of(arg);
                if let Arg::Int(number) = arg {
                    self.last = Some((*number, string.0));
                }
                self.pointers.push(string.0);
                self.owned.push(string);
            }
        }
    }
}

thread_local! {
    /// The words of the program that were used, by where they stand, each with a string that is never freed.
    static WORDS: RefCell<Words> = RefCell::default();
}

type Words = HashMap<(usize, usize), *mut raw::RedisModuleString, BuildHasherDefault<PlaceHasher>>;

/// Attempts are mostly one of these.
static DIGITS: [u8; 10] = *b"0123456789";

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

/// The string of a word, which lives as long as the program.
fn string_of_word(word: &'static [u8]) -> *mut raw::RedisModuleString {
    WORDS.with_borrow_mut(|words| {
        let place = (word.as_ptr() as usize, word.len());
        *words.entry(place).or_insert_with(|| ManuallyDrop::new(OwnedString::new(word)).0)
    })
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
