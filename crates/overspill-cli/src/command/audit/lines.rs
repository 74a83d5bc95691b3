//! Reads a file line by line. Memory does not grow with the file.

use std::io::{self, Read};

/// The number of bytes that are read at a time.
const BLOCK: usize = 1 << 20;
/// The largest number of bytes of a line. Longer lines are skipped.
pub(super) const LONGEST_LINE: usize = 64 << 20;

/// A line of a file.
pub(super) enum FileLine<'a> {
    /// A line without its line feed. `is_ended` is false for a last line without a line feed, which
    /// a host may still be writing.
    Text { text: &'a [u8], is_ended: bool },
    /// A line that is too long to be read.
    TooLong,
}

/// Calls `take` with each line of a file, and `came` with the number of bytes after each read.
pub(super) fn each_line(
    mut file: impl Read,
    mut take: impl FnMut(FileLine<'_>),
    mut came: impl FnMut(u64),
) -> io::Result<()> {
    let mut buffer: Vec<u8> = Vec::new();
    // The number of bytes in the buffer. The rest of it is room for the next read.
    let mut filled = 0;
    let mut is_skipped = false;
    loop {
        if buffer.len() < filled + BLOCK {
            buffer.resize(filled + BLOCK, 0);
        }
        let before = filled;
        let count = read(&mut file, &mut buffer[before..before + BLOCK])?;
        filled += count;
        came(count as u64);
        if count == 0 {
            break;
        }
        let mut from = 0;
        for feed in memchr::memchr_iter(b'\n', &buffer[before..filled]) {
            let end = before + feed;
            if is_skipped {
                is_skipped = false;
                take(FileLine::TooLong);
            } else {
                take(FileLine::Text { text: &buffer[from..end], is_ended: true });
            }
            from = end + 1;
        }
        if is_skipped {
            from = filled;
        }
        buffer.copy_within(from..filled, 0);
        filled -= from;
        if filled > LONGEST_LINE {
            is_skipped = true;
            (buffer, filled) = (Vec::new(), 0);
        }
    }
    if is_skipped {
        take(FileLine::TooLong);
    } else if filled > 0 {
        take(FileLine::Text { text: &buffer[..filled], is_ended: false });
    }
    Ok(())
}

fn read(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match file.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_any_length_are_read_whole() {
        let lines: Vec<String> =
            [3, 0, BLOCK - 4, BLOCK, 2 * BLOCK + 7].map(|len| "x".repeat(len)).to_vec();
        let text = lines.join("\n") + "\npart";
        let mut all = Vec::new();
        let mut bytes = 0;
        let take = |line: FileLine<'_>| match line {
            FileLine::Text { text, is_ended } => all.push((text.len(), is_ended)),
            FileLine::TooLong => panic!("no line is too long"),
        };
        each_line(text.as_bytes(), take, |count| bytes += count).unwrap();
        let mut expected: Vec<(usize, bool)> =
            lines.iter().map(|line| (line.len(), true)).collect();
        expected.push((4, false));
        assert_eq!((all, bytes), (expected, text.len() as u64));
    }

    #[test]
    fn line_that_is_too_long_is_skipped() {
        let long = io::repeat(b'x').take(LONGEST_LINE as u64 + 3 * BLOCK as u64);
        let file = (&b"one\n"[..]).chain(long).chain(&b"\ntwo\n"[..]);
        let mut all = Vec::new();
        let take = |line: FileLine<'_>| {
            all.push(match line {
                FileLine::Text { text, .. } => String::from_utf8(text.to_vec()).unwrap(),
                FileLine::TooLong => "too long".to_owned(),
            });
        };
        each_line(file, take, |_| {}).unwrap();
        assert_eq!(all, ["one", "too long", "two"]);
    }
}
