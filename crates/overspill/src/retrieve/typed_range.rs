//! Parses ranges as a reader types them, and as marks print them.

use crate::Part;

/// The signs between the two numbers of a range.
const SIGNS: [&str; 6] = ["..", ":", "–", "—", "-", ","];

impl Part {
    /// Parses a range of lines: `A-B`, `A:B`, `A..B`, `A,B`, `A+N`, `:B`, `A:`, one line `A`, or
    /// `-N` for the last lines. The range in a mark has one of these forms.
    pub fn of_lines(typed: &str) -> Option<Part> {
        let typed = typed.trim();
        if let Some(count) = typed.strip_prefix('-') {
            return number(count).map(Part::Tail);
        }
        if let Some((from, count)) = typed.split_once('+') {
            let (from, count) = (number(from)?, number(count)?);
            return (count > 0).then(|| Part::Lines(from, from.saturating_add(count - 1)));
        }
        match number(typed) {
            Some(line) => Some(Part::Lines(line, line)),
            None => bounds(typed, 1).map(|(from, to)| Part::Lines(from, to)),
        }
    }

    /// Parses a range of bytes, from one offset up to another, in the same forms except `A` and
    /// `-N`.
    pub fn of_bytes(typed: &str) -> Option<Part> {
        let typed = Some(typed.trim()).filter(|typed| !typed.starts_with('-'))?;
        if let Some((from, count)) = typed.split_once('+') {
            let (from, count) = (number(from)?, number(count)?);
            return Some(Part::Bytes(from..from.saturating_add(count)));
        }
        bounds(typed, 0).map(|(from, to)| Part::Bytes(from..to))
    }
}

/// Parses two numbers with a sign between them. The smaller one comes first. Either may be missing.
fn bounds(typed: &str, first: u64) -> Option<(u64, u64)> {
    let (from, to) = SIGNS.iter().find_map(|sign| typed.split_once(sign))?;
    if from.trim().is_empty() && to.trim().is_empty() {
        return None;
    }
    let from = if from.trim().is_empty() { first } else { number(from)? };
    let to = if to.trim().is_empty() { u64::MAX } else { number(to)? };
    (from <= to).then_some((from, to))
}

fn number(typed: &str) -> Option<u64> {
    let typed = typed.trim();
    typed.bytes().all(|byte| byte.is_ascii_digit()).then(|| typed.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_of_lines_is_read_in_every_form() {
        for typed in ["3-9", "3–9", "3:9", "3..9", "3,9", "3+7", " 3 - 9 "] {
            assert_eq!(Part::of_lines(typed), Some(Part::Lines(3, 9)), "{typed}");
        }
        assert_eq!(Part::of_lines(":9"), Some(Part::Lines(1, 9)));
        assert_eq!(Part::of_lines("9:"), Some(Part::Lines(9, u64::MAX)));
        assert_eq!(Part::of_lines("9"), Some(Part::Lines(9, 9)));
        assert_eq!(Part::of_lines("-9"), Some(Part::Tail(9)));
        for typed in ["", ":", "9-3", "a-b", "3-9-1", "3+0", "+3", "3:-9"] {
            assert_eq!(Part::of_lines(typed), None, "{typed}");
        }
    }

    #[test]
    fn range_of_bytes_ends_before_its_end() {
        assert_eq!(Part::of_bytes("3-9"), Some(Part::Bytes(3..9)));
        assert_eq!(Part::of_bytes("3+6"), Some(Part::Bytes(3..9)));
        assert_eq!(Part::of_bytes(":9"), Some(Part::Bytes(0..9)));
        assert_eq!((Part::of_bytes("-9"), Part::of_bytes("9")), (None, None));
    }
}
