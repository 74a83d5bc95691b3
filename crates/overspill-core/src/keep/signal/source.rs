//! Tells source and file reads from logs, by the form of their lines.

use super::line::ScoredLines;

/// In source, one of so many lines at least ends as a statement or a block does.
const STATEMENTS: usize = 10;

/// In a numbered file, so many lines of ten at least have the number that follows the one before.
const NUMBERED: usize = 3;

/// Tells whether lines are source code or a file with numbered lines.
pub(super) fn is_source(lines: &ScoredLines) -> bool {
    let count = lines.lines.len();
    let (mut statements, mut numbered, mut before) = (0, 0, None);
    for line in &lines.lines {
        let text = lines.text(line).trim_ascii();
        statements += usize::from(matches!(text.last(), Some(b';' | b'{' | b'}' | b',' | b'(')));
        let number = number(text);
        let follows =
            before.zip(number).is_some_and(|(before, number): (u64, u64)| before + 1 == number);
        numbered += usize::from(follows);
        before = number;
    }
    statements * STATEMENTS >= count || numbered * 10 >= count * NUMBERED
}

/// In Markdown, one of so many lines at least is a heading, an item of a list, or begins in bold.
const MARKDOWN: usize = 5;

/// Tells whether lines are prose with Markdown, such as the report of another agent.
pub(super) fn is_markdown(lines: &ScoredLines) -> bool {
    let (mut headings, mut marks, mut all) = (0, 0, 0);
    for line in lines.lines.iter().filter(|line| !line.own.blank) {
        let text = lines.text(line).trim_ascii();
        let is_heading = text.starts_with(b"## ") || text.starts_with(b"### ");
        let starts: [&[u8]; 3] = [b"- ", b"* ", b"**"];
        headings += usize::from(is_heading);
        marks += usize::from(is_heading || starts.iter().any(|start| text.starts_with(start)));
        all += 1;
    }
    headings > 1 && marks * MARKDOWN >= all
}

/// Reads the number at the start of a line.
fn number(text: &[u8]) -> Option<u64> {
    // Longer numbers are no line numbers.
    let digits = text.iter().take(8).take_while(|byte| byte.is_ascii_digit());
    let mut digits = digits.peekable();
    digits.peek()?;
    Some(digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_at_the_start_are_read() {
        assert_eq!([number(b"12 x"), number(b"x"), number(b"")], [Some(12), None, None]);
    }
}
