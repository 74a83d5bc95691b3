//! The size of an output in bytes, lines and characters, counted as it streams by.

use crate::text::utf8::Unfinished;

/// The rule for counting lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LineRule {
    /// A line feed ends a line. Text after the last line feed is one more line.
    ///
    /// `"a\nb\n"` and `"a\nb"` have two lines, `""` has none. This is the usual meaning of a line.
    #[default]
    Terminated,
    /// A line feed stands between two lines, as in `split('\n')`.
    ///
    /// `"a\nb\n"` has three lines, the last one empty, and `""` has one.
    Separated,
    /// Like [`LineRule::Terminated`], but a carriage return or CR LF ends a line as well.
    Universal,
}

/// The size of a byte string.
///
/// ```
/// use overspill_core::{LineRule, Size};
///
/// let size = Size::of("né\n".as_bytes(), LineRule::Terminated);
/// assert_eq!(size, Size { bytes: 4, lines: 1, chars: 3 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Size {
    /// The number of bytes.
    pub bytes: u64,
    /// The number of lines, by the [`LineRule`] of the count.
    pub lines: u64,
    /// The number of characters: Unicode scalar values, and one for each sequence of broken bytes
    /// that one U+FFFD would replace.
    pub chars: u64,
}

impl Size {
    /// Counts `bytes` in one go.
    pub fn of(bytes: &[u8], rule: LineRule) -> Size {
        let mut meter = Meter::new(rule);
        meter.push(bytes);
        meter.size()
    }
}

impl std::ops::Add for Size {
    type Output = Size;

    fn add(self, other: Size) -> Size {
        Size {
            bytes: self.bytes + other.bytes,
            lines: self.lines + other.lines,
            chars: self.chars + other.chars,
        }
    }
}

/// Counts a [`Size`] chunk by chunk. The chunking does not change the result.
#[derive(Debug, Clone)]
pub struct Meter {
    rule: LineRule,
    bytes: u64,
    breaks: u64,
    chars: u64,
    last: Option<u8>,
    unfinished: Unfinished,
}

/// The number of bytes counted at a time: a block stays in the first-level cache for its second
/// pass.
const BLOCK: usize = 16 * 1024;

impl Meter {
    /// Starts at zero.
    pub fn new(rule: LineRule) -> Meter {
        Meter { rule, bytes: 0, breaks: 0, chars: 0, last: None, unfinished: Unfinished::default() }
    }

    /// Counts the next chunk.
    pub fn push(&mut self, chunk: &[u8]) {
        for block in chunk.chunks(BLOCK) {
            self.bytes += block.len() as u64;
            self.breaks += breaks(block, self.rule, self.last);
            self.last = block.last().copied();
            self.count_chars(block);
        }
    }

    /// Returns the size so far.
    pub fn size(&self) -> Size {
        Size {
            bytes: self.bytes,
            lines: lines(self.breaks, self.last, self.rule),
            chars: self.chars + u64::from(!self.unfinished.is_empty()),
        }
    }

    /// Returns the number of line breaks so far, which is the index of the line of the next byte,
    /// counted from zero.
    pub(crate) fn breaks(&self) -> u64 {
        self.breaks
    }

    fn count_chars(&mut self, block: &[u8]) {
        if self.unfinished.is_empty() && block.is_ascii() {
            self.chars += block.len() as u64;
            return;
        }
        let (before, rest) = self.unfinished.complete(block);
        self.chars += before;
        let rest = self.unfinished.hold_back(rest);
        self.chars += crate::text::count_chars(rest);
    }
}

/// Counts the line breaks of `bytes`. `before` is the byte before them.
pub(crate) fn breaks(bytes: &[u8], rule: LineRule, before: Option<u8>) -> u64 {
    let feeds = bytecount::count(bytes, b'\n') as u64;
    if rule != LineRule::Universal {
        return feeds;
    }
    let returns = bytecount::count(bytes, b'\r') as u64;
    let pairs = memchr::memmem::find_iter(bytes, b"\r\n").count() as u64;
    let split_pair = before == Some(b'\r') && bytes.first() == Some(&b'\n');
    feeds + returns - pairs - u64::from(split_pair)
}

/// Returns the number of lines, given the number of breaks and the last byte.
fn lines(breaks: u64, last: Option<u8>, rule: LineRule) -> u64 {
    let open = match rule {
        LineRule::Separated => true,
        LineRule::Terminated => last.is_some_and(|byte| byte != b'\n'),
        LineRule::Universal => last.is_some_and(|byte| byte != b'\n' && byte != b'\r'),
    };
    breaks + u64::from(open)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn counts(text: &str, separated: u64, terminated: u64, universal: u64) {
        for (rule, lines) in [
            (LineRule::Separated, separated),
            (LineRule::Terminated, terminated),
            (LineRule::Universal, universal),
        ] {
            let expected =
                Size { bytes: text.len() as u64, lines, chars: text.chars().count() as u64 };
            assert_eq!(Size::of(text.as_bytes(), rule), expected, "{text:?} by {rule:?}");
            for at in 0..=text.len() {
                let mut meter = Meter::new(rule);
                meter.push(&text.as_bytes()[..at]);
                meter.push(&text.as_bytes()[at..]);
                assert_eq!(meter.size(), expected, "{text:?} by {rule:?}, split at {at}");
            }
        }
    }

    #[test]
    fn line_count_depends_on_the_line_rule() {
        counts("", 1, 0, 0);
        counts("a", 1, 1, 1);
        counts("a\n", 2, 1, 1);
        counts("a\nb", 2, 2, 2);
        counts("\n\n", 3, 2, 2);
        counts("a\r\nb\r\n", 3, 2, 2);
        counts("a\rb\r", 1, 1, 2);
        counts("a\r\r\n\n", 3, 2, 3);
        counts("né→🚀\u{2028}x", 1, 1, 1);
    }

    #[test]
    fn invalid_utf8_counts_like_its_replacement() {
        for bytes in [&b"\xff"[..], b"a\xe2\x82", b"\xe2\x82\xff\x80", b"\xf0\x9f\x9a\x80\x80"] {
            let replaced = String::from_utf8_lossy(bytes).chars().count() as u64;
            assert_eq!(Size::of(bytes, LineRule::Terminated).chars, replaced, "{bytes:?}");
        }
    }
}
