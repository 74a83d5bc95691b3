//! Recognizes source code and numbered files by the form of their lines.

use super::line::ScoredLines;
use crate::keep::names::FULL_WEIGHT;

/// The largest number of lines in source for each line that ends like a statement or a block.
const STATEMENTS: usize = 10;

/// The smallest number of lines out of ten with consecutive numbers in a numbered file.
const NUMBERED: usize = 3;

/// Tells whether the lines are source code or a file with numbered lines.
pub(super) fn is_source(lines: &ScoredLines) -> bool {
    let count = lines.lines.len();
    let (mut statements, mut numbered, mut before) = (0, 0, None);
    for line in &lines.lines {
        let text = lines.text(line).trim_ascii();
        statements += usize::from(ends_statement(text));
        let number = number(text);
        let follows =
            before.zip(number).is_some_and(|(before, number): (u64, u64)| before + 1 == number);
        numbered += usize::from(follows);
        before = number;
    }
    statements * STATEMENTS >= count || numbered * 10 >= count * NUMBERED
}

/// Tells whether a line ends like a statement or a block. A value in braces on one line is not a
/// block.
fn ends_statement(text: &[u8]) -> bool {
    match text.last() {
        Some(b';' | b'{' | b',' | b'(') => true,
        Some(b'}') => !text.contains(&b'{'),
        _ => false,
    }
}

/// Reads the number at the start of a line.
fn number(text: &[u8]) -> Option<u64> {
    // Longer numbers are not line numbers.
    let digits = text.iter().take(8).take_while(|byte| byte.is_ascii_digit());
    let mut digits = digits.peekable();
    digits.peek()?;
    Some(digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0')))
}

/// The words that may come before the keyword of a definition.
const BEFORE_DEFINITION: [&[u8]; 11] = [
    b"pub ",
    b"pub(crate) ",
    b"export ",
    b"default ",
    b"async ",
    b"public ",
    b"private ",
    b"protected ",
    b"static ",
    b"abstract ",
    b"final ",
];

/// The keywords that begin a definition.
const DEFINITIONS: [&[u8]; 13] = [
    b"fn ",
    b"def ",
    b"class ",
    b"struct ",
    b"enum ",
    b"trait ",
    b"impl ",
    b"interface ",
    b"function ",
    b"func ",
    b"type ",
    b"mod ",
    b"const fn ",
];

/// Returns the weight of the names in a line. It is higher for definitions.
pub(super) fn weight(text: &[u8]) -> u8 {
    let mut text = without_number(text).trim_ascii_start();
    let imports: [&[u8]; 6] = [b"import ", b"from ", b"use ", b"#include ", b"using ", b"package "];
    if imports.iter().any(|start| text.starts_with(start)) {
        return FULL_WEIGHT / 2;
    }
    while let Some(rest) = BEFORE_DEFINITION.iter().find_map(|word| text.strip_prefix(*word)) {
        text = rest;
    }
    let is_definition = DEFINITIONS.iter().any(|start| text.starts_with(start));
    if is_definition { FULL_WEIGHT } else { FULL_WEIGHT / 2 }
}

/// Returns a line without the line number that `cat -n`, `nl` and file tools print before it.
pub(super) fn without_number(text: &[u8]) -> &[u8] {
    let inner = text.trim_ascii_start();
    let digits = inner.iter().take(8).take_while(|byte| byte.is_ascii_digit()).count();
    let rest = &inner[digits..];
    let separators: [&[u8]; 4] = [b"\t", "→".as_bytes(), b": ", b"|"];
    let after = separators.iter().find_map(|separator| rest.strip_prefix(*separator));
    after.filter(|_| digits > 0).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_number_at_the_start_is_read() {
        assert_eq!([number(b"12 x"), number(b"x"), number(b"")], [Some(12), None, None]);
    }
}
