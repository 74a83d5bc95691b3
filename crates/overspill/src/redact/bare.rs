//! Finds the end of values without quotes, and tells which of them look random.

use std::ops::Range;

use super::context::{LONGEST, Window};
use super::names::in_name;
use super::runs::{Class, count};
use super::value::{contains, is_path};

/// The number of bytes by which a value may continue after the first character that may end it.
const WIDENED: usize = 256;

impl Window<'_> {
    /// Returns the end of a value that may contain characters such as `&`, `;` or a quote. The name
    /// begins at `start`, and `value` is the value up to the first such character. Returns `Err` if
    /// the answer depends on bytes that have not arrived yet.
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
                        || is_parameter(rest)
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

/// Tells whether the text after a `&` is not part of a value: `name=…`, `amp;`, or the rest of
/// `&&`.
fn is_parameter(rest: &[u8]) -> bool {
    let name = rest.iter().take_while(|byte| in_name(**byte) || b"%[]".contains(byte)).count();
    rest.starts_with(b"amp;")
        || rest.first().is_some_and(|byte| in_name(*byte)) && rest.get(name) == Some(&b'=')
        || matches!(rest, [b'&'] | [b'"' | b'\'' | b')', ..])
}

/// Tells whether `value` mixes letters, digits and symbols as no expression of source text does.
pub(super) fn is_strong(value: &[u8]) -> bool {
    let is_symbol = |byte: &u8| b"!@#$%^&*~?+".contains(byte);
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
    let changes = value.windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count();
    // Names of types often change between small and capital letters.
    let is_dense = match has_symbol {
        true => changes * 5 >= value.len() * 2 - 2,
        false => changes * 2 >= value.len(),
    };
    kinds >= 3 && letters > 0 && is_dense
}

/// Pairs of characters that are common in source text and rare in generated passwords.
const CODE: [&[u8]; 12] =
    [b"${", b"$(", b"{{", b"<%", b"%{", b"#{", b"::", b"->", b"=>", b"(?", b"0-9", b"//"];

/// Tells whether `value` looks like a generated password of letters, digits and all kinds of
/// punctuation. Source text has words, and brackets that match.
pub(super) fn is_generated(value: &[u8]) -> bool {
    let is_symbol = |byte: &u8| byte.is_ascii_punctuation() && !b"_-./:,".contains(byte);
    let has = |of: fn(&u8) -> bool| usize::from(value.iter().any(of));
    let symbols = b"!#$%&*+;=?@^|~".iter().filter(|symbol| value.contains(symbol)).count();
    let is_tag = value.starts_with(b"<") && value.contains(&b'>');
    let in_path = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-~+@".contains(byte);
    if !(10..=128).contains(&value.len())
        || !value.iter().all(|byte| byte.is_ascii_graphic() && !b"\"'`\\".contains(byte))
        || is_call(value)
        || is_tag
        || value.iter().all(in_path) && is_path(value)
        || CODE.iter().any(|pair| contains(value, pair))
        || has_matching_brackets(value) && symbols < 4
    {
        return false;
    }
    let letters = has(u8::is_ascii_lowercase) + has(u8::is_ascii_uppercase);
    let kinds = letters + has(u8::is_ascii_digit) + usize::from(value.iter().any(is_symbol));
    let changes = value.windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count();
    let in_words = |run: &[u8]| if run.len() >= 4 { run.len() } else { 0 };
    let words: usize = value.split(|byte| !byte.is_ascii_lowercase()).map(in_words).sum();
    kinds >= 3 && letters > 0 && words * 3 <= value.len() && changes * 5 >= value.len() * 2 - 2
}

/// Tells whether `value` has brackets, and every bracket has its counterpart.
fn has_matching_brackets(value: &[u8]) -> bool {
    let mut open = Vec::new();
    for byte in value {
        match byte {
            b'(' => open.push(b')'),
            b'[' | b'{' | b'<' => open.push(byte + 2),
            b')' | b']' | b'}' | b'>' if open.pop() != Some(*byte) => return false,
            _ => {}
        }
    }
    open.is_empty() && value.iter().any(|byte| b"([{<".contains(byte))
}

/// Tells whether `value` begins like an expression: `name(`, `Type<`, `self.`.
fn is_call(value: &[u8]) -> bool {
    let len = value.iter().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'_').count();
    let (name, rest) = value.split_at(len);
    let is_word = name.iter().skip(1).all(u8::is_ascii_lowercase)
        || !name.iter().any(u8::is_ascii_lowercase)
        || name.split(|byte| !byte.is_ascii_lowercase()).any(|run| run.len() >= 3);
    len >= 3 && is_word && rest.first().is_some_and(|byte| b"([<{.:?=!-&|".contains(byte))
}

/// Returns the kind of a character: small or capital letter, digit or symbol.
fn kind(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    }
}
