//! Finds characters in bytes that are mostly UTF-8.
//!
//! Every byte belongs to exactly one character: a valid one, or a sequence that a lossy decoder
//! replaces by one U+FFFD.

/// The bytes of a character that continues in the next chunk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unfinished {
    bytes: [u8; 4],
    len: usize,
}

/// The result of one more byte of an unfinished character.
pub(crate) enum Utf8Step {
    /// The character needs more bytes.
    Open,
    /// The character is complete, and the byte is part of it.
    Whole,
    /// The character is broken, and the byte is not part of it.
    Broken,
}

impl Unfinished {
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds `byte`, unless it shows that the character is broken.
    pub(crate) fn step(&mut self, byte: u8) -> Utf8Step {
        self.bytes[self.len] = byte;
        match std::str::from_utf8(&self.bytes[..self.len + 1]) {
            Ok(_) => {
                self.len += 1;
                Utf8Step::Whole
            }
            Err(error) if error.error_len().is_none() => {
                self.len += 1;
                Utf8Step::Open
            }
            Err(_) => Utf8Step::Broken,
        }
    }

    /// Completes the character with the start of `bytes`. Returns the number of characters that
    /// ended (none or one) and the rest of the bytes.
    pub(crate) fn complete<'a>(&mut self, bytes: &'a [u8]) -> (u64, &'a [u8]) {
        if self.is_empty() {
            return (0, bytes);
        }
        for (at, &byte) in bytes.iter().enumerate() {
            match self.step(byte) {
                Utf8Step::Open => continue,
                Utf8Step::Whole => {
                    self.clear();
                    return (1, &bytes[at + 1..]);
                }
                Utf8Step::Broken => {
                    self.clear();
                    return (1, &bytes[at..]);
                }
            }
        }
        (0, &[])
    }

    /// Takes an unfinished character off the end of `bytes` and returns the bytes before it.
    pub(crate) fn hold_back<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (before, unfinished) = bytes.split_at(bytes.len() - unfinished_len(bytes));
        if !unfinished.is_empty() {
            self.bytes[..unfinished.len()].copy_from_slice(unfinished);
            self.len = unfinished.len();
        }
        before
    }
}

/// Returns the number of bytes at the end of `bytes` that begin an incomplete character.
pub(super) fn unfinished_len(bytes: &[u8]) -> usize {
    for len in 1..=bytes.len().min(3) {
        let at = bytes.len() - len;
        if !is_continuation(bytes[at]) {
            let open = std::str::from_utf8(&bytes[at..]).is_err_and(|e| e.error_len().is_none());
            return if open { len } else { 0 };
        }
    }
    0
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Returns the length of the character that `bytes` begins with, and whether it is valid.
fn first_char(bytes: &[u8]) -> (usize, bool) {
    match std::str::from_utf8(&bytes[..bytes.len().min(4)]) {
        Ok(text) => (text.chars().next().map_or(0, char::len_utf8), true),
        Err(error) if error.valid_up_to() > 0 => first_char(&bytes[..error.valid_up_to()]),
        Err(error) => (error.error_len().unwrap_or(bytes.len()), false),
    }
}

/// Returns the last character boundary at or before `at`.
pub(crate) fn floor_char(bytes: &[u8], at: usize) -> usize {
    if at >= bytes.len() {
        return bytes.len();
    }
    for start in (at.saturating_sub(3)..at).rev() {
        if !is_continuation(bytes[start]) {
            let (len, _) = first_char(&bytes[start..]);
            return if start + len > at { start } else { at };
        }
    }
    at
}

/// Returns the first character boundary at or after `at`.
pub(crate) fn ceil_char(bytes: &[u8], at: usize) -> usize {
    let floor = floor_char(bytes, at);
    if floor >= at {
        return floor;
    }
    floor + first_char(&bytes[floor..]).0
}

/// Counts the characters of `bytes`.
pub(crate) fn count_chars(bytes: &[u8]) -> u64 {
    let mut chars = 0;
    for chunk in bytes.utf8_chunks() {
        chars += bytecount::num_chars(chunk.valid().as_bytes()) as u64;
        chars += u64::from(!chunk.invalid().is_empty());
    }
    chars
}

/// Returns the end of the first `n` characters of `bytes`.
pub(crate) fn nth_char(bytes: &[u8], n: u64) -> usize {
    let plain = usize::try_from(n).unwrap_or(usize::MAX).min(bytes.len());
    if bytes[..plain].is_ascii() {
        return plain;
    }
    let (mut at, mut left) = (0, n);
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            if left == 0 {
                return at;
            }
            at += char.len_utf8();
            left -= 1;
        }
        if !chunk.invalid().is_empty() {
            if left == 0 {
                return at;
            }
            at += chunk.invalid().len();
            left -= 1;
        }
    }
    at
}

/// Returns the beginning of the last `n` characters of `bytes`.
pub(crate) fn nth_char_from_end(bytes: &[u8], n: u64) -> usize {
    let plain = usize::try_from(n).unwrap_or(usize::MAX).min(bytes.len());
    if bytes[bytes.len() - plain..].is_ascii() {
        return bytes.len() - plain;
    }
    let mut at = bytes.len();
    for _ in 0..n {
        if at == 0 {
            break;
        }
        at = floor_char(bytes, at - 1);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ends of all characters, found one by one from the start.
    fn naive_boundaries(bytes: &[u8]) -> Vec<usize> {
        let mut ends = vec![0];
        for chunk in bytes.utf8_chunks() {
            for char in chunk.valid().chars() {
                ends.push(ends[ends.len() - 1] + char.len_utf8());
            }
            if !chunk.invalid().is_empty() {
                ends.push(ends[ends.len() - 1] + chunk.invalid().len());
            }
        }
        ends
    }

    proptest::proptest! {
        #[test]
        fn boundaries_agree_with_the_naive_twin(
            parts in proptest::collection::vec(
                proptest::sample::select(vec![
                    &b"a"[..], "é".as_bytes(), "→".as_bytes(), "🚀".as_bytes(), b"\n",
                    b"\x80", b"\xff", b"\xe2\x82", b"\xf0\x9f\x9a", b"\xc0",
                ]),
                0..12,
            )
        ) {
            let bytes = parts.concat();
            let ends = naive_boundaries(&bytes);
            assert_eq!(count_chars(&bytes), ends.len() as u64 - 1);
            for at in 0..=bytes.len() {
                let floor = *ends.iter().filter(|&&end| end <= at).max().unwrap();
                let ceil = *ends.iter().filter(|&&end| end >= at).min().unwrap();
                assert_eq!(floor_char(&bytes, at), floor, "floor {at} of {bytes:?}");
                assert_eq!(ceil_char(&bytes, at), ceil, "ceil {at} of {bytes:?}");
            }
            for n in 0..ends.len() {
                assert_eq!(nth_char(&bytes, n as u64), ends[n]);
                assert_eq!(nth_char_from_end(&bytes, n as u64), ends[ends.len() - 1 - n]);
            }
        }
    }
}
