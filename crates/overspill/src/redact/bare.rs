//! Values without quotes: where they end, and which of them look like chance made them.

use std::ops::Range;

use super::context::{Came, LONGEST};
use super::names::in_name;
use super::runs::{Class, count};

/// A value goes on for at most so many bytes after the first sign that may end it.
const WIDENED: usize = 256;

impl Came<'_> {
    /// Returns where a value ends that has signs such as `&`, `;` or a quote in it. The name begins at
    /// `start`, and the value up to the first such sign is `value`. `Err` means that the bytes that
    /// follow decide.
    pub(super) fn widened(&self, start: usize, value: &Range<usize>) -> Result<usize, ()> {
        let (blank, goes_on) = self.class(value.start, Class::Wide, LONGEST);
        if goes_on {
            return Err(());
        }
        let near = blank.min(value.end + WIDENED);
        if near <= value.end {
            return Ok(value.end);
        }
        count(near - value.end);
        let line = self.line_before(start, 128);
        let in_query = self.last(start).is_some_and(|byte| b"?&".contains(&byte));
        let in_string = line.iter().any(|byte| b"\"'`".contains(byte));
        let near_text = &self.text[..near];
        let last_sign = memchr::memrchr(b'=', &near_text[value.end..]);
        let last_sign = last_sign.map_or(0, |at| value.end + at);
        let last_letter = near_text[value.end..].iter().rposition(u8::is_ascii_alphanumeric);
        let last_letter = last_letter.map_or(0, |at| value.end + at);
        let mut end = value.end;
        while end < near {
            let rest = &near_text[end + 1..];
            let next = rest.first().copied().unwrap_or(b' ');
            let ends = match self.text[end] {
                b'&' => in_query || is_parameter(rest),
                b';' => {
                    in_string
                        || last_sign > end
                        || self.byte(blank).is_some_and(|byte| byte == b' ')
                        || last_letter <= end
                }
                quote @ (b'"' | b'\'' | b'`') => {
                    line.contains(&quote) || b" ,:;}])>&|\\".contains(&next) || last_letter <= end
                }
                b'\\' => in_string || b" nrtux0\"'\\/".contains(&next),
                _ => false,
            };
            if ends {
                break;
            }
            end += 1;
        }
        let tail = &self.text[value.end..end];
        let trailing = tail.iter().rev().take_while(|byte| b",)]}.;\"'".contains(byte)).count();
        Ok(end - trailing)
    }
}

/// Tells whether the text after a `&` is no part of a value: `name=…`, `amp;`, or the rest of `&&`.
fn is_parameter(rest: &[u8]) -> bool {
    let name = rest.iter().take_while(|byte| in_name(**byte) || b"%[]".contains(byte)).count();
    rest.starts_with(b"amp;")
        || rest.get(name) == Some(&b'=')
        || matches!(rest, [b'&'] | [b'"' | b'\'' | b')', ..])
}

/// Tells whether `value` mixes letters, digits and symbols as no expression of source text does.
pub(super) fn is_strong(value: &[u8]) -> bool {
    let is_symbol = |byte: &u8| b"!@#$%^&*~?+".contains(byte);
    let kind = |byte: &u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let is_plain =
        |byte: &u8| byte.is_ascii_alphanumeric() || is_symbol(byte) || b"_-.".contains(byte);
    let is_code = value.windows(2).any(|pair| pair == b"&&" || pair == b"?.");
    if !(12..=128).contains(&value.len()) || !value.iter().all(is_plain) || is_code {
        return false;
    }
    let has = |of: fn(&u8) -> bool| usize::from(value.iter().any(of));
    let letters = has(u8::is_ascii_lowercase) + has(u8::is_ascii_uppercase);
    // A reference, a pointer or a negation begins with a symbol.
    let is_marked = matches!(value, [b'&' | b'*' | b'!', ..]);
    let has_symbol = value.iter().skip(usize::from(is_marked)).any(is_symbol);
    let kinds = letters + has(u8::is_ascii_digit) + usize::from(has_symbol);
    let changes = value.windows(2).filter(|pair| kind(&pair[0]) != kind(&pair[1])).count();
    // Names of types change between small and capital letters often enough.
    let is_dense = match has_symbol {
        true => changes * 5 >= value.len() * 2 - 2,
        false => changes * 2 >= value.len(),
    };
    kinds >= 3 && letters > 0 && is_dense
}
