//! Characters and lines: the places where text may be cut. Only this module slices text.

mod clean;
mod defuse;
pub(crate) mod lines;
pub(crate) mod mapped;
mod parameters;
mod sink;
pub(crate) mod swar;
pub(crate) mod utf8;

/// Drops an incomplete character at the end of `bytes`.
///
/// ```
/// use overspill_core::internal::text::whole_chars;
///
/// assert_eq!(whole_chars(&"né".as_bytes()[..2]), b"n");
/// assert_eq!(whole_chars(b"n\xff"), b"n\xff");
/// ```
pub fn whole_chars(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len() - utf8::unfinished_len(bytes)]
}

/// Converts bytes into text. Copies nothing if they are valid UTF-8.
pub(crate) fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Returns a number with its unit, in the singular for 1.
///
/// ```
/// use overspill_core::internal::text::counted;
///
/// assert_eq!(counted(1, "line"), "1 line");
/// assert_eq!(counted(1234, "line"), "1,234 lines");
/// ```
pub fn counted(n: u64, unit: &str) -> String {
    format!("{} {unit}{}", commas(n), if n == 1 { "" } else { "s" })
}

/// Returns a number with a comma between each three digits.
pub(crate) fn commas(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Keeps `text` on one line by making control characters visible.
pub(crate) fn one_line(text: &str) -> String {
    let visible = |char: char| match u32::from(char) {
        control @ 0..0x20 => char::from_u32(0x2400 + control).unwrap_or('\u{FFFD}'),
        _ if char.is_control() || clean::reorders_text(char) => '\u{FFFD}',
        _ => char,
    };
    text.chars().map(visible).collect()
}

pub use clean::{Cleaned, clean};
pub(crate) use clean::{Cleaner, LONGEST_ERASURE};
pub(crate) use defuse::defuse;
pub use defuse::defused;
pub(crate) use sink::{CursorMotion, Sink, TeeSink};
pub(crate) use utf8::{ceil_char, count_chars, floor_char, nth_char, nth_char_from_end};
