//! The braced grammar on this half of the wire: what may be a queue's base key, a name, a branded id, an integer.
//!
//! Free of the server's types, so that it can be tested alone.

/// The longest lane, deduplication id or the like, in bytes.
const NAME_MAX: usize = 256;

const BRANDED_LEN: usize = 14;
const NAMESPACE_LEN: usize = 3;

/// The digits of 2^63 - 1. Digits are ordered as their bytes, so payloads compare as text.
const BRANDED_PAYLOAD_MAX: &[u8] = b"AzL8n0Y58m7";

/// Digits of the longest integer that the wire carries, 2^53 - 1.
const INTEGER_DIGITS_MAX: usize = 16;

fn is_plain(bytes: &[u8]) -> bool {
    !bytes.iter().any(|byte| matches!(byte, b'{' | b'}' | 0))
}

/// The queue name and the type of a key: what stands between `emq:{` and the first brace that closes, and what follows
/// `}:`. The name may be empty here; it holds no brace and no NUL.
pub fn split_queue_key(key: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = key.strip_prefix(b"emq:{")?;
    let close = rest.iter().position(|byte| *byte == b'}')?;
    let (queue, tail) = rest.split_at(close);
    let key_type = tail.strip_prefix(b"}:")?;
    is_plain(queue).then_some((queue, key_type))
}

/// Whether a text is the base key of a queue. Its name is not empty: a hashtag of nothing would spread one queue over
/// all slots.
pub fn is_base(text: &[u8]) -> bool {
    matches!(split_queue_key(text), Some((queue, b"")) if !queue.is_empty())
}

/// Whether a text may name a lane or the like.
pub fn is_name(text: &[u8]) -> bool {
    !text.is_empty() && text.len() <= NAME_MAX && is_plain(text)
}

/// Whether a text is a branded id: three capitals and eleven base-62 digits of a number below 2^63.
pub fn is_branded(text: &[u8]) -> bool {
    if text.len() != BRANDED_LEN {
        return false;
    }
    let (namespace, payload) = text.split_at(NAMESPACE_LEN);
    namespace.iter().all(u8::is_ascii_uppercase)
        && payload.iter().all(u8::is_ascii_alphanumeric)
        && payload <= BRANDED_PAYLOAD_MAX
}

/// Whether a text is the canonical decimal text of an integer in a range.
pub fn is_integer(text: &[u8], min: i64, max: i64) -> bool {
    let (is_negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > INTEGER_DIGITS_MAX || !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    // A leading zero, and the zero that has a sign, are other texts for a number that has one already.
    if digits[0] == b'0' && text.len() > 1 {
        return false;
    }
    let size = digits.iter().fold(0_i64, |number, digit| number * 10 + i64::from(digit - b'0'));
    let value = if is_negative { -size } else { size };
    value >= min && value <= max
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_split_at_its_first_closing_brace() {
        assert_eq!(split_queue_key(b"emq:{orders}:pending"), Some((&b"orders"[..], &b"pending"[..])));
        assert_eq!(split_queue_key(b"emq:{a:b}:job:JOB0Nb1VTbfnu4"), Some((&b"a:b"[..], &b"job:JOB0Nb1VTbfnu4"[..])));
        assert_eq!(split_queue_key(b"emq:{}:pending"), Some((&b""[..], &b"pending"[..])));
        for key in [&b"emq:{a}b}:pending"[..], b"emq:{a{b}:pending", b"emq:{a\0}:pending", b"emq:{a}pending", b"emq:a"]
        {
            assert_eq!(split_queue_key(key), None);
        }
        assert_eq!(split_queue_key(b"mq:{orders}:pending"), None);
    }

    #[test]
    fn a_base_names_a_queue_and_nothing_else() {
        assert!(is_base(b"emq:{orders}:"));
        for key in [&b"emq:{}:"[..], b"emq:{orders}:pending", b"emq:{a}b}:", b"emq:{orders}"] {
            assert!(!is_base(key));
        }
    }

    #[test]
    fn branded_ids_are_fourteen_bytes_below_the_largest() {
        assert!(is_branded(b"JOB0Nb1VTbfnu4"));
        assert!(is_branded(b"JOBAzL8n0Y58m7"));
        for id in [&b"JOBAzL8n0Y58m8"[..], b"JoB0Nb1VTbfnu4", b"JOB0Nb1VTbfnu", b"JOB0Nb1VTbfn-4"] {
            assert!(!is_branded(id));
        }
    }

    #[test]
    fn integers_are_canonical_and_in_range() {
        assert!(is_integer(b"0", 0, 10) && is_integer(b"10", 0, 10) && is_integer(b"-3", -5, 0));
        for text in [&b""[..], b"-", b"-0", b"01", b"11", b"1.0", b" 1", b"+1", b"12345678901234567"] {
            assert!(!is_integer(text, 0, 10));
        }
    }

    #[test]
    fn names_hold_no_brace_and_no_nul_and_have_an_end() {
        assert!(is_name(b"lane one") && is_name(&[b'x'; NAME_MAX]));
        for text in [&b""[..], b"a{", b"}", b"a\0b", &[b'x'; NAME_MAX + 1]] {
            assert!(!is_name(text));
        }
    }
}
