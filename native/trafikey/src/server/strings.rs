//! Strings of the server, owned for as long as a command needs them.

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

    pub fn of(arg: &Arg) -> Self {
        match arg {
            Arg::Text(text) => OwnedString::new(text.0),
            Arg::Int(number) => OwnedString::new(decimal(*number, &mut [0; DECIMAL_MAX])),
        }
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
