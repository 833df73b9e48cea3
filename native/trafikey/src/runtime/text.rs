//! Byte strings.

/// A byte string that lives as long as the act. Its order is that of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text<'a>(pub &'a [u8]);

/// A byte string of the program itself. A macro, since acts have variables of that name.
macro_rules! text {
    ($bytes:literal) => {
        $crate::runtime::Text($bytes)
    };
}

pub(crate) use text;

impl<'a> Text<'a> {
    pub fn len(self) -> i64 {
        self.0.len() as i64
    }

    /// The bytes from one position to another; a negative one counts from the end.
    pub fn slice(self, from: i64, to: i64) -> Text<'a> {
        let start = self.place(from);
        let end = self.place(to);
        if start >= end { Text(&[]) } else { Text(&self.0[start..end]) }
    }

    /// The bytes from a position to the end.
    pub fn from(self, from: i64) -> Text<'a> {
        Text(&self.0[self.place(from)..])
    }

    fn place(self, at: i64) -> usize {
        let size = self.len();
        let place = if at < 0 { size + at } else { at };
        place.clamp(0, size) as usize
    }

    /// Where another text first stands in this one, -1 for nowhere.
    pub fn index_of(self, other: Text) -> i64 {
        if other.0.is_empty() {
            return 0;
        }
        if let [only] = other.0 {
            return self.0.iter().position(|byte| byte == only).map_or(-1, |at| at as i64);
        }
        self.0.windows(other.0.len()).position(|window| window == other.0).map_or(-1, |at| at as i64)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn slices_count_from_either_end_and_stay_within_the_text() {
        let key = text!(b"emq:{q}:pending");
        assert!(key.slice(0, -7) == text!(b"emq:{q}:"));
        assert!(key.from(-7) == text!(b"pending"));
        assert!(key.from(40) == text!(b""));
        assert!(key.slice(3, 2) == text!(b""));
    }

    #[test]
    fn texts_are_ordered_by_their_bytes() {
        assert!(text!(b"") < text!(b"\0"));
        assert!(text!(b"JOBZ") < text!(b"JOBa"));
        assert!(text!(b"JOB") < text!(b"JOB0"));
        assert!(text!(b"\x7f") < text!(b"\x80"));
        assert!(text!(b"JOB0") <= text!(b"JOB0"));
    }

    #[test]
    fn a_text_is_found_at_its_first_place() {
        assert_eq!(text!(b"abcabc").index_of(text!(b"bc")), 1);
        assert_eq!(text!(b"abc").index_of(text!(b"")), 0);
        assert_eq!(text!(b"abc").index_of(text!(b"z")), -1);
        assert_eq!(text!(b"").index_of(text!(b"abc")), -1);
    }
}
