//! Values without quotes: where they end, and which of them look like chance made them.

use std::ops::Range;

use super::context::{Came, LONGEST};
use super::names::in_name;

/// A value is judged by so many of its first bytes. Without this limit, the rest of a long line
/// would be judged again at each name in it.
const JUDGED: usize = 256;
/// A value goes on for at most so many bytes after the first sign that may end it.
const WIDENED: usize = 256;

/// Which bytes a value without quotes has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// All but blanks, quotes, `;`, `&` and backslashes.
    Plain,
    /// All but blanks and `<`.
    Markup,
    /// All but blanks.
    Wide,
}

impl Class {
    fn has(self, byte: u8) -> bool {
        let is_shown = byte > b' ' && byte != 0x7f;
        is_shown
            && match self {
                Class::Plain => !b"\"'`;&\\".contains(&byte),
                Class::Markup => byte != b'<',
                Class::Wide => true,
            }
    }
}

/// The last run of each class: its first byte and the byte after it. Without it, a run would be read
/// again for each name in it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RunMemo([(usize, usize); 3]);

#[cfg(test)]
thread_local! {
    /// How many bytes of values were read or judged.
    pub(super) static WORK: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts bytes that are read or judged. Only tests count.
fn count(_bytes: usize) {
    #[cfg(test)]
    WORK.with(|work| work.set(work.get() + _bytes));
}

/// Returns the part of a value that tells what it is.
pub(super) fn judged(text: &[u8]) -> &[u8] {
    let head = &text[..text.len().min(JUDGED)];
    count(head.len());
    head
}

impl Came<'_> {
    /// Returns where a value of this class ends, and whether the bytes that follow may continue it.
    pub(super) fn bare(&self, from: usize, class: Class) -> (usize, bool) {
        let mut memo = self.runs.get();
        let known = &mut memo.0[class as usize];
        if !(known.0..known.1).contains(&from) {
            let rest = self.text.get(from..).unwrap_or_default();
            let len = rest.iter().take_while(|byte| class.has(**byte)).count();
            count(len);
            *known = (from, from + len);
        }
        let end = known.1;
        self.runs.set(memo);
        match end - from >= LONGEST {
            true => (from + LONGEST, false),
            false => (end, end == self.text.len() && !self.is_all),
        }
    }

    /// Returns where a value ends that has signs such as `&`, `;` or a quote in it. The name begins at
    /// `start`, and the value up to the first such sign is `value`. `Err` means that the bytes that
    /// follow decide.
    pub(super) fn widened(&self, start: usize, value: &Range<usize>) -> Result<usize, ()> {
        let (blank, goes_on) = self.bare(value.start, Class::Wide);
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
        let mut end = value.end;
        while end < near {
            let rest = &self.text[end + 1..near];
            let next = rest.first().copied().unwrap_or(b' ');
            let ends = match self.text[end] {
                b'&' => in_query || is_parameter(rest),
                b';' => {
                    in_string
                        || rest.contains(&b'=')
                        || self.byte(blank).is_some_and(|byte| byte == b' ')
                        || !rest.iter().any(u8::is_ascii_alphanumeric)
                }
                quote @ (b'"' | b'\'' | b'`') => {
                    line.contains(&quote)
                        || b" ,:;}])>&|\\".contains(&next)
                        || !rest.iter().any(u8::is_ascii_alphanumeric)
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
