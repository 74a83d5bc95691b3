//! Recognizes time stamps at the start of a line. The score ignores them.

/// The largest number of bytes of a time stamp, without a bracket and a blank after it.
pub(super) const LONGEST: usize = 48;

/// Returns the number of bytes of the time stamp at the start of `line`, with the blank after it.
///
/// A stamp begins with a digit, perhaps in a bracket. It consists of digits and the characters
/// between them in dates and times, and it has at least four digits and two separators.
pub(crate) fn len(line: &[u8]) -> usize {
    let bracket = usize::from(line.first() == Some(&b'['));
    if !line.get(bracket).is_some_and(u8::is_ascii_digit) {
        return 0;
    }
    let (mut at, mut digits, mut separators) = (bracket, 0, 0);
    for &byte in line.iter().take(LONGEST).skip(bracket) {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'-' | b':' | b'/' => separators += 1,
            b'.' | b',' | b'T' | b'Z' | b'+' => {}
            // A date and a time are one stamp.
            b' ' if separators > 0 && line.get(at + 1).is_some_and(u8::is_ascii_digit) => {}
            _ => break,
        }
        at += 1;
    }
    if digits < 4 || separators < 2 {
        return 0;
    }
    let closed = match line.get(at) {
        Some(b']') if bracket == 1 => at + 1,
        None | Some(b' ' | b'\t') if bracket == 0 => at,
        _ => return 0,
    };
    // One blank belongs to the stamp. More blanks are the indentation of the line.
    closed + usize::from(line.get(closed).is_some_and(|byte| matches!(byte, b' ' | b'\t')))
}

#[cfg(test)]
mod tests {
    #[test]
    fn time_stamps_are_distinguished_from_other_numbers() {
        let stamped = [
            "2024-05-01T12:00:00.1234567Z error",
            "2024-05-01 12:00:00,123 error",
            "[2024-05-01 12:00:00] error",
            "[12:34:56] error",
            "12:34:56.789 error",
            "2024/05/01 12:34:56 error",
        ];
        for line in stamped {
            assert_eq!(&line[super::len(line.as_bytes())..], "error", "{line}");
        }
        for line in ["12 passed", "[1/3] x", "127.0.0.1 - x", "3:14: x", "[12%] x", "1-2-3", ""] {
            assert_eq!(super::len(line.as_bytes()), 0, "{line}");
        }
        let deep = b"2024-05-01T12:00:00Z     at main";
        assert_eq!(&deep[super::len(deep)..], b"    at main");
    }
}
