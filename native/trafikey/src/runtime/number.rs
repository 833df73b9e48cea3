//! Whole numbers: division as both other engines have it, and decimal text.

/// The quotient, rounded down.
pub fn floor_div(left: i64, right: i64) -> i64 {
    let quotient = left / right;
    if left % right != 0 && (left < 0) != (right < 0) { quotient - 1 } else { quotient }
}

/// The quotient, rounded up.
pub fn ceil_div(left: i64, right: i64) -> i64 {
    let quotient = left / right;
    if left % right != 0 && (left < 0) == (right < 0) { quotient + 1 } else { quotient }
}

/// Bytes that the longest decimal text of a number takes.
pub const DECIMAL_MAX: usize = 20;

/// Writes the decimal text of a number into a buffer and answers the part that holds it.
pub fn decimal(number: i64, buffer: &mut [u8; DECIMAL_MAX]) -> &[u8] {
    let mut rest = number.unsigned_abs();
    let mut at = DECIMAL_MAX;
    loop {
        at -= 1;
        buffer[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        at -= 1;
        buffer[at] = b'-';
    }
    &buffer[at..]
}

/// The number that a decimal text stands for; nothing for any other text, and for more digits than a number holds.
pub fn whole(text: &[u8]) -> Option<i64> {
    let (sign, digits) = match text.split_first() {
        Some((b'-', rest)) => (-1, rest),
        _ => (1, text),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut number = 0_i64;
    for byte in digits {
        if !byte.is_ascii_digit() {
            return None;
        }
        number = number * 10 + i64::from(byte - b'0');
    }
    Some(sign * number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_rounded_toward_the_end_that_they_name() {
        assert_eq!((floor_div(7, 2), floor_div(-7, 2), floor_div(6, 2)), (3, -4, 3));
        assert_eq!((ceil_div(7, 2), ceil_div(-7, 2), ceil_div(6, 2)), (4, -3, 3));
    }

    #[test]
    fn numbers_and_their_texts_stand_for_one_another() {
        for number in [0, 7, -7, 9_007_199_254_740_993, i64::MIN] {
            assert_eq!(decimal(number, &mut [0; DECIMAL_MAX]), number.to_string().as_bytes());
        }
        assert_eq!(whole(b"-42"), Some(-42));
        assert_eq!(whole(b"007"), Some(7));
        for other in [&b""[..], b"-", b"1.5", b" 1", b"0x10", b"9999999999999999999"] {
            assert_eq!(whole(other), None);
        }
    }
}
