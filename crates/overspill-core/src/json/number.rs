//! Reads numbers, in chunks.

use crate::text::swar;

/// The part of a number that was read last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    Minus,
    /// A zero, which no digit may follow.
    Zero,
    Integer,
    Point,
    Fraction,
    /// The letter before an exponent.
    E,
    /// The sign of an exponent.
    Sign,
    Exponent,
}

impl Number {
    /// Begins a number with its first byte.
    pub(super) fn begin(byte: u8) -> Option<Number> {
        match byte {
            b'-' => Some(Number::Minus),
            b'0' => Some(Number::Zero),
            b'1'..=b'9' => Some(Number::Integer),
            _ => None,
        }
    }

    /// Tells whether the number may end here.
    pub(super) fn may_end(self) -> bool {
        matches!(self, Number::Zero | Number::Integer | Number::Fraction | Number::Exponent)
    }

    /// Takes the bytes that belong to the number, and returns their number.
    pub(super) fn take(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        loop {
            if matches!(self, Number::Integer | Number::Fraction | Number::Exponent) {
                at += digits(&bytes[at..]);
            }
            *self = match (*self, bytes.get(at)) {
                (Number::Minus, Some(b'0')) => Number::Zero,
                (Number::Minus, Some(b'1'..=b'9')) => Number::Integer,
                (Number::Zero | Number::Integer, Some(b'.')) => Number::Point,
                (Number::Zero | Number::Integer | Number::Fraction, Some(b'e' | b'E')) => Number::E,
                (Number::Point, Some(b'0'..=b'9')) => Number::Fraction,
                (Number::E, Some(b'+' | b'-')) => Number::Sign,
                (Number::E | Number::Sign, Some(b'0'..=b'9')) => Number::Exponent,
                _ => return at,
            };
            at += 1;
        }
    }
}

/// Returns the length of a number that ends within `bytes`. Returns `None` if the number goes on or
/// has a mistake: [`Number::take`] handles these.
#[inline]
pub(super) fn whole_number(bytes: &[u8]) -> Option<usize> {
    // Most numbers are short integers.
    if let Some(eight) = bytes.first_chunk() {
        let len = digits_of(eight);
        let is_integer = len == 1 || (2..8).contains(&len) && eight[0] != b'0';
        if is_integer && !matches!(eight[len], b'.' | b'e' | b'E') {
            return Some(len);
        }
    }
    let digits_from = |from: usize| {
        let end = from + digits(bytes.get(from..)?);
        (from < end && end < bytes.len()).then_some(end)
    };
    let from = usize::from(bytes[0] == b'-');
    let mut end = digits_from(from)?;
    if end > from + 1 && bytes[from] == b'0' {
        return None;
    }
    if bytes[end] == b'.' {
        end = digits_from(end + 1)?;
    }
    if matches!(bytes[end], b'e' | b'E') {
        end = digits_from(end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-'))))?;
    }
    Some(end)
}

/// Returns the number of digits at the start of `bytes`.
#[inline]
fn digits(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(eight) = bytes[at..].first_chunk() {
        let len = digits_of(eight);
        at += len;
        if len < 8 {
            return at;
        }
    }
    at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Returns the number of digits at the start of eight bytes.
#[inline]
fn digits_of(bytes: &[u8; 8]) -> usize {
    let digits = swar::within(u64::from_le_bytes(*bytes), b'0', b'9');
    swar::others(digits).trailing_zeros() as usize / 8
}
