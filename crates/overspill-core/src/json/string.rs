//! Reads the inside of strings: plain text and escapes.

/// A one in each byte, and a one in the highest bit of each byte.
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The character that replaces half of a surrogate pair without the other half.
pub(super) const LOST: char = char::REPLACEMENT_CHARACTER;

/// The position inside an escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    /// After a backslash. `high` is the first half of a surrogate pair just before it.
    Backslash { high: Option<u16> },
    /// After `\u`: the number of digits so far, and their value.
    Digits { count: u8, value: u16, high: Option<u16> },
    /// After the first half of a surrogate pair.
    High(u16),
}

/// The result of one byte of an escape.
pub(super) struct Step {
    /// The escape goes on; otherwise plain text follows.
    pub(super) next: Option<Escape>,
    /// The first half of a surrogate pair came before, but no second half follows.
    pub(super) is_half_lost: bool,
    /// The character that is now complete.
    pub(super) char: Option<char>,
    /// The byte belongs to the escape. Otherwise it is the next byte to read.
    pub(super) took: bool,
}

impl Escape {
    /// Takes one byte of the escape.
    pub(super) fn step(self, byte: u8) -> Result<Step, &'static str> {
        let step = |next| Step { next, is_half_lost: false, char: None, took: true };
        Ok(match self {
            Escape::High(high) if byte == b'\\' => {
                step(Some(Escape::Backslash { high: Some(high) }))
            }
            Escape::High(_) => Step { is_half_lost: true, took: false, ..step(None) },
            Escape::Backslash { high } if byte == b'u' => {
                step(Some(Escape::Digits { count: 0, value: 0, high }))
            }
            Escape::Backslash { high } => {
                let says = simple(byte).ok_or("an escape that JSON does not have")?;
                let char = Some(char::from(says[0]));
                Step { is_half_lost: high.is_some(), char, ..step(None) }
            }
            Escape::Digits { count, value, high } => {
                let digit = char::from(byte).to_digit(16).ok_or("expected a hexadecimal digit")?;
                let value = value << 4 | digit as u16;
                match (high, value) {
                    _ if count < 3 => step(Some(Escape::Digits { count: count + 1, value, high })),
                    (_, 0xD800..=0xDBFF) => {
                        Step { is_half_lost: high.is_some(), ..step(Some(Escape::High(value))) }
                    }
                    (Some(high), 0xDC00..=0xDFFF) => {
                        Step { char: Some(paired(high, value)), ..step(None) }
                    }
                    _ => {
                        let char = char::from_u32(value.into()).unwrap_or(LOST);
                        Step { is_half_lost: high.is_some(), char: Some(char), ..step(None) }
                    }
                }
            }
        })
    }
}

fn paired(high: u16, low: u16) -> char {
    let code = 0x10000 + ((u32::from(high) - 0xD800) << 10) + (u32::from(low) - 0xDC00);
    char::from_u32(code).unwrap_or(LOST)
}

/// Returns the text of an escape of two bytes.
#[inline]
pub(super) fn simple(byte: u8) -> Option<&'static [u8]> {
    Some(match byte {
        b'n' => b"\n",
        b't' => b"\t",
        b'r' => b"\r",
        b'b' => b"\x08",
        b'f' => b"\x0c",
        b'"' => b"\"",
        b'\\' => b"\\",
        b'/' => b"/",
        _ => return None,
    })
}

/// Returns the number of bytes before a quote, a backslash or a control byte.
#[inline]
pub(super) fn plain_len(text: &[u8]) -> usize {
    // Most strings are short.
    let (words, rest) = text.as_chunks::<8>();
    for (at, word) in words.iter().take(2).enumerate() {
        let found = specials(*word);
        if found != 0 {
            return at * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    if words.len() > 2 {
        return 16 + long_plain_len(&text[16..]);
    }
    text.len() - rest.len() + rest.iter().position(is_special).unwrap_or(rest.len())
}

fn long_plain_len(text: &[u8]) -> usize {
    let len = memchr::memchr2(b'"', b'\\', text).unwrap_or(text.len());
    let plain = &text[..len];
    if has_control(plain) { plain.iter().position(is_special).unwrap_or(len) } else { len }
}

/// Tells whether one of the bytes is a control byte. Eight bytes at once are fast in a debug build,
/// too.
fn has_control(text: &[u8]) -> bool {
    let (words, rest) = text.as_chunks::<8>();
    let mut any = 0;
    for word in words {
        let word = u64::from_le_bytes(*word);
        any |= word.wrapping_sub(ONES * 0x20) & !word;
    }
    any & HIGH != 0 || rest.iter().any(|byte| *byte < 0x20)
}

#[inline]
fn is_special(byte: &u8) -> bool {
    *byte < 0x20 || *byte == b'"' || *byte == b'\\'
}

/// Returns the highest bit of each special byte. The lowest bit that is set is right; bits above it
/// may be wrong.
#[inline]
fn specials(bytes: [u8; 8]) -> u64 {
    let word = u64::from_le_bytes(bytes);
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let quote = zero(word ^ (ONES * u64::from(b'"')));
    (control | quote | zero(word ^ (ONES * u64::from(b'\\')))) & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_len_ends_at_special_bytes_at_any_place() {
        for special in [b'"', b'\\', b'\n', 0, 0x1f] {
            for at in 0..150 {
                let mut text = [b'x'; 160];
                text[at / 2] = b'\x7f';
                text[at / 3] = 0xff;
                text[at] = special;
                assert_eq!(plain_len(&text), at);
                assert_eq!(plain_len(&text[..at]), at);
            }
        }
        assert_eq!(plain_len("é→🚀 and so on".as_bytes()), 19);
    }
}
