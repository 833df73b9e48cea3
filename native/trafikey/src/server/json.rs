//! Text as JSON, the same bytes on every engine.

use bumpalo::Bump;
use bumpalo::collections::Vec;

use crate::runtime::Text;

/// What stands for each part that is no UTF-8.
const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

const HEX: &[u8; 16] = b"0123456789abcdef";

/// The text as a JSON string with its quotes. Control characters are escaped.
pub fn encode<'a>(arena: &'a Bump, bytes: &[u8]) -> Text<'a> {
    let mut out = Vec::with_capacity_in(bytes.len() + 2, arena);
    out.push(b'"');
    for chunk in bytes.utf8_chunks() {
        for byte in chunk.valid().bytes() {
            escape(byte, &mut out);
        }
        if !chunk.invalid().is_empty() {
            out.extend_from_slice_copy(REPLACEMENT);
        }
    }
    out.push(b'"');
    Text(out.into_bump_slice())
}

fn escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        8 => b'b',
        9 => b't',
        10 => b'n',
        12 => b'f',
        13 => b'r',
        b'"' | b'\\' => byte,
        0..=31 => {
            out.extend_from_slice_copy(b"\\u00");
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 15)]);
            return;
        }
        _ => {
            out.push(byte);
            return;
        }
    };
    out.push(b'\\');
    out.push(short);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(bytes: &[u8]) -> std::vec::Vec<u8> {
        encode(&Bump::new(), bytes).0.to_vec()
    }

    #[test]
    fn control_characters_and_quotes_are_escaped() {
        assert_eq!(encoded(b"a\"\\\n\x01\x1f\x7f"), b"\"a\\\"\\\\\\n\\u0001\\u001f\x7f\"");
    }

    #[test]
    fn each_maximal_part_that_is_no_utf8_becomes_one_replacement() {
        assert_eq!(encoded(b"\xe2\x82a"), "\"\u{fffd}a\"".as_bytes());
        assert_eq!(encoded(b"\xff\xfe"), "\"\u{fffd}\u{fffd}\"".as_bytes());
        assert_eq!(encoded("é€😀".as_bytes()), "\"é€😀\"".as_bytes());
    }
}
