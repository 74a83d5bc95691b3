//! Makes raw terminal output readable, line by line and chunk by chunk.
//!
//! Drops colours and other escape sequences. Drops text that a carriage return or backspaces
//! overwrite, so that a progress bar leaves its last state. Shows other control bytes as pictures
//! (`␀`). Replaces characters that change the direction of text, and bytes that are not UTF-8, by
//! U+FFFD.
//!
//! Line feeds are never added or removed, and no state carries over from one line to the next: a
//! line is cleaned in the same way wherever reading begins.

use super::mapped::MappedText;
use super::parameters::{LONGEST_PARAMETERS, Parameters};
use super::sink::Sink;
use super::utf8::{Unfinished, Utf8Step};
use crate::{Cleaning, LineRule, Policy};

/// The streaming cleaner. The comment of the module describes its rules.
#[derive(Debug, Clone)]
pub(crate) struct Cleaner {
    /// The offset of the next byte in the original.
    at: u64,
    state: State,
    /// The offset of a carriage return, if no visible text follows it yet.
    returned: Option<u64>,
    /// The number of backspaces since the last visible text.
    backspaces: u64,
    /// The number of characters of the line that backspaces can erase.
    erasable: u64,
    returns_end_lines: bool,
    cleaning: Cleaning,
}

#[derive(Debug, Clone)]
enum State {
    Ground,
    /// Inside a character.
    Char(Unfinished),
    /// After ESC.
    Escape,
    /// After ESC and an intermediate byte: one final byte follows.
    EscapeMore,
    /// After ESC `[`: parameter bytes, until a final one.
    Csi(Parameters),
    /// After ESC `]` and similar: inside a string of this many bytes so far, until BEL or ESC `\`.
    String(u16),
}

/// A string sequence of at least this length in bytes counts as never closed. Its text must not
/// vanish.
const LONGEST_STRING: u16 = 4096;

const BLOCK: usize = 64;

/// The number of bytes beyond ASCII that are checked at a time. With more, text that alternates
/// with colours would be checked again and again.
const WIDE: usize = 64;

/// The largest number of characters that backspaces can erase. It limits the part of a line in
/// memory.
pub(crate) const LONGEST_ERASURE: u64 = 1024;

impl Cleaner {
    /// Starts at the start of a line, `at` bytes into the original.
    pub(crate) fn new(at: u64, policy: &Policy) -> Cleaner {
        Cleaner {
            at,
            state: State::Ground,
            returned: None,
            backspaces: 0,
            erasable: 0,
            returns_end_lines: policy.lines == LineRule::Universal,
            cleaning: policy.cleaning,
        }
    }

    /// Returns the number of bytes of the original so far.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Cleans the next chunk.
    pub(crate) fn push(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        let mut rest = chunk;
        while let Some(&byte) = rest.first() {
            let taken = match &mut self.state {
                State::Ground => self.ground(rest, sink),
                State::Char(_) => self.within_char(byte, sink),
                State::Escape => self.escape(byte, sink),
                State::EscapeMore => self.escape_more(byte),
                State::Csi(_) => self.csi(byte, sink),
                State::String(_) => self.string(byte),
            };
            rest = &rest[taken..];
            self.at += taken as u64;
        }
    }

    /// Ends the output.
    pub(crate) fn finish(&mut self, sink: &mut impl Sink) {
        match std::mem::replace(&mut self.state, State::Ground) {
            State::Char(unfinished) => self.broken_char(&unfinished, sink),
            State::Escape => self.picture(self.at - 1, 0x1b, sink),
            State::Ground | State::EscapeMore | State::Csi(_) | State::String(_) => {}
        }
        self.end_line_by_return(sink);
    }

    /// Takes plain text up to the first special byte, or that byte.
    fn ground(&mut self, rest: &[u8], sink: &mut impl Sink) -> usize {
        let plain = match self.cleaning {
            Cleaning::Readable => plain_len(rest),
            Cleaning::Off => ascii_len(rest),
        };
        if plain > 0 {
            self.keep(&rest[..plain], sink);
            return plain;
        }
        if self.cleaning == Cleaning::Off {
            return self.wide(rest, sink);
        }
        match rest[0] {
            b'\r' => {
                // Two carriage returns in a row: under `Universal` each of them ends a line.
                self.end_line_by_return(sink);
                self.returned = Some(self.at);
            }
            0x08 => self.backspaces += 1,
            0x1b => self.state = State::Escape,
            byte if byte < 0x80 => self.picture(self.at, byte, sink),
            _ => return self.wide(rest, sink),
        }
        1
    }

    /// Takes the text that begins with a byte beyond ASCII.
    fn wide(&mut self, rest: &[u8], sink: &mut impl Sink) -> usize {
        // A short look keeps the cost linear if valid and broken text alternate.
        let look = &rest[..rest.len().min(WIDE)];
        let (valid, broken) = match std::str::from_utf8(look) {
            Ok(text) => (text, None),
            Err(error) => {
                let (valid, after) = look.split_at(error.valid_up_to());
                let text = std::str::from_utf8(valid).unwrap_or_default();
                (text, Some((error.error_len(), after)))
            }
        };
        let clean = match self.cleaning {
            Cleaning::Readable => valid.find(needs_care).unwrap_or(valid.len()),
            Cleaning::Off => valid.len(),
        };
        if clean > 0 {
            self.keep(&rest[..clean], sink);
            return clean;
        }
        if let Some(char) = valid.chars().next() {
            // A C1 control, such as U+009B, or a change of direction, such as U+202E.
            self.replace(self.at, char.len_utf8(), "\u{FFFD}", sink);
            return char.len_utf8();
        }
        match broken {
            Some((Some(len), _)) => {
                self.replace(self.at, len, "\u{FFFD}", sink);
                len
            }
            Some((None, after)) => {
                let mut unfinished = Unfinished::default();
                unfinished.hold_back(after);
                self.state = State::Char(unfinished);
                after.len()
            }
            None => rest.len(),
        }
    }

    fn within_char(&mut self, byte: u8, sink: &mut impl Sink) -> usize {
        let State::Char(unfinished) = &mut self.state else { return 0 };
        match unfinished.step(byte) {
            Utf8Step::Open => 1,
            Utf8Step::Whole => {
                // A C1 control ends here as well. The ground state handles it.
                let whole = unfinished.clone();
                let before = whole.bytes().len() as u64 - 1;
                self.state = State::Ground;
                self.at -= before;
                self.wide(whole.bytes(), sink);
                self.at += before;
                1
            }
            Utf8Step::Broken => {
                let unfinished = unfinished.clone();
                self.state = State::Ground;
                self.broken_char(&unfinished, sink);
                0
            }
        }
    }

    fn broken_char(&mut self, unfinished: &Unfinished, sink: &mut impl Sink) {
        let len = unfinished.bytes().len();
        self.replace(self.at - len as u64, len, "\u{FFFD}", sink);
    }

    fn escape(&mut self, byte: u8, sink: &mut impl Sink) -> usize {
        self.state = match byte {
            b'[' => State::Csi(Parameters::default()),
            b']' | b'P' | b'X' | b'^' | b'_' => State::String(0),
            0x20..=0x2f => State::EscapeMore,
            0x30..=0x7e => State::Ground,
            _ => {
                // Not a sequence: the ESC is shown, and the byte is handled on its own.
                self.state = State::Ground;
                self.picture(self.at - 1, 0x1b, sink);
                return 0;
            }
        };
        1
    }

    fn escape_more(&mut self, byte: u8) -> usize {
        match byte {
            0x20..=0x2f => 1,
            _ => {
                self.state = State::Ground;
                usize::from((0x30..=0x7e).contains(&byte))
            }
        }
    }

    fn csi(&mut self, byte: u8, sink: &mut impl Sink) -> usize {
        let State::Csi(parameters) = &mut self.state else { return 0 };
        match byte {
            0x20..=0x3f if parameters.len < LONGEST_PARAMETERS => {
                parameters.push(byte);
                1
            }
            _ => {
                if byte == b'm' && parameters.is_red() {
                    sink.red();
                } else if let Some(motion) = parameters.motion(byte) {
                    sink.cursor(motion);
                }
                self.state = State::Ground;
                usize::from((0x40..=0x7e).contains(&byte))
            }
        }
    }

    fn string(&mut self, byte: u8) -> usize {
        let State::String(len) = &mut self.state else { return 0 };
        *len += 1;
        match byte {
            // ESC `\` ends the string. ESC and any other byte begins the next sequence.
            0x1b => self.state = State::Escape,
            0x07 => self.state = State::Ground,
            b'\n' => {
                self.state = State::Ground;
                return 0;
            }
            _ if *len >= LONGEST_STRING => self.state = State::Ground,
            _ => {}
        }
        1
    }

    fn picture(&mut self, at: u64, control: u8, sink: &mut impl Sink) {
        let picture = match control {
            0x7f => '\u{2421}',
            _ => char::from_u32(0x2400 + u32::from(control)).unwrap_or('\u{FFFD}'),
        };
        let mut buffer = [0; 4];
        let picture = picture.encode_utf8(&mut buffer);
        if matches!(control, 0x00 | 0x07) && self.cleaning == Cleaning::Readable {
            // These take no room on a terminal, so they overwrite nothing.
            self.end_line_by_return(sink);
            self.erasable = LONGEST_ERASURE.min(self.erasable + 1);
            sink.replace(at, 1, picture);
        } else {
            self.replace(at, 1, picture, sink);
        }
    }

    /// Shows text unchanged.
    fn keep(&mut self, text: &[u8], sink: &mut impl Sink) {
        self.show(text[0], sink);
        sink.keep(self.at, text);
        let line = match memchr::memrchr(b'\n', text) {
            None => text,
            Some(feed) => {
                self.erasable = 0;
                &text[feed + 1..]
            }
        };
        // Only as many characters as backspaces can erase are counted.
        let end = &line[line.len().saturating_sub(4 * LONGEST_ERASURE as usize)..];
        self.erasable = LONGEST_ERASURE.min(self.erasable + super::count_chars(end));
    }

    /// Shows one character for `len` bytes.
    fn replace(&mut self, at: u64, len: usize, text: &str, sink: &mut impl Sink) {
        self.show(0xff, sink);
        self.erasable = LONGEST_ERASURE.min(self.erasable + 1);
        sink.replace(at, len as u64, text);
    }

    /// Settles an earlier carriage return, because visible text or a line feed comes next.
    fn show(&mut self, next: u8, sink: &mut impl Sink) {
        if self.returned.is_none() && self.backspaces == 0 {
            return;
        }
        let is_pair = self.returned.is_some_and(|at| at + 1 == self.at);
        if next == b'\n' {
            self.backspaces = 0;
            // `Universal` takes CR and LF for two breaks if something stands between them.
            if is_pair || !self.returns_end_lines {
                self.returned = None;
            }
        }
        self.end_line_by_return(sink);
        let backspaces = std::mem::take(&mut self.backspaces).min(self.erasable);
        if self.returned.take().is_some() {
            self.erasable = 0;
            sink.restart_line();
        } else if backspaces > 0 {
            self.erasable -= backspaces;
            sink.erase(backspaces);
        }
    }

    fn end_line_by_return(&mut self, sink: &mut impl Sink) {
        if self.returns_end_lines
            && let Some(at) = self.returned.take()
        {
            self.backspaces = 0;
            self.erasable = 0;
            sink.replace(at, 1, "\n");
        }
    }
}

/// Returns the number of bytes at the start that are printable ASCII, tab or line feed.
fn plain_len(bytes: &[u8]) -> usize {
    let plain = |byte: u8| (0x20..0x7f).contains(&byte) | (byte == b'\t') | (byte == b'\n');
    let mut len = 0;
    // Whole blocks without an early exit: the compiler turns this into SIMD.
    while let Some(block) = bytes[len..].first_chunk::<BLOCK>() {
        if !block.iter().fold(true, |all, &byte| all & plain(byte)) {
            break;
        }
        len += BLOCK;
    }
    len + bytes[len..].iter().take_while(|&&byte| plain(byte)).count()
}

/// Returns the number of bytes at the start that are ASCII.
fn ascii_len(bytes: &[u8]) -> usize {
    let blocks = bytes.chunks_exact(BLOCK).take_while(|block| block.is_ascii()).count() * BLOCK;
    blocks + bytes[blocks..].iter().take_while(|byte| byte.is_ascii()).count()
}

/// Tells whether a valid character must be replaced or handled.
fn needs_care(char: char) -> bool {
    // One comparison for most of the text: its characters have larger numbers.
    char <= '\u{2069}' && (char.is_control() && char != '\n' && char != '\t' || reorders_text(char))
}

/// Tells whether a character changes the order in which other characters are shown.
pub(crate) fn reorders_text(char: char) -> bool {
    matches!(char, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Cleaned text, and the ranges of the original that it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    /// The text that is shown: valid UTF-8 without control characters except tab and line feed, and
    /// without characters that change the direction of text.
    pub text: String,
    /// The bytes of the original that are shown unchanged, in order.
    pub unchanged: Vec<std::ops::Range<u64>>,
}

/// Cleans `bytes` as a preview is cleaned.
///
/// ```
/// use overspill_core::internal::text::clean;
///
/// let cleaned = clean(b" 10%\r100%\n\x1b[31mred\x1b[0m\0\n");
/// assert_eq!(cleaned.text, "100%\nred\u{2400}\n");
/// assert_eq!(cleaned.unchanged, [5..10, 15..18, 23..24]);
/// ```
pub fn clean(bytes: &[u8]) -> Cleaned {
    let mut all = All { done: MappedText::default(), line: MappedText::default() };
    let mut cleaner = Cleaner::new(0, &Policy::default());
    cleaner.push(bytes, &mut all);
    cleaner.finish(&mut all);
    all.done.append(&all.line);
    let unchanged = all.done.unchanged();
    Cleaned { text: String::from_utf8_lossy(&all.done.into_text()).into_owned(), unchanged }
}

/// Keeps the whole text. Only the current line can still be overwritten.
struct All {
    done: MappedText<'static>,
    line: MappedText<'static>,
}

impl Sink for All {
    fn keep(&mut self, at: u64, text: &[u8]) {
        let done = memchr::memrchr(b'\n', text).map_or(0, |feed| feed + 1);
        if done > 0 {
            self.done.append(&self.line);
            self.line.clear();
            self.done.push(at, &text[..done]);
        }
        self.line.push(at + done as u64, &text[done..]);
    }

    fn replace(&mut self, at: u64, len: u64, text: &str) {
        self.line.push_replaced(at, len, text);
        if text == "\n" {
            self.done.append(&self.line);
            self.line.clear();
        }
    }

    fn restart_line(&mut self) {
        self.line.clear();
    }

    fn erase(&mut self, chars: u64) {
        self.line.truncate(super::nth_char_from_end(self.line.text(), chars));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn cleans(raw: &[u8], text: &str) {
        assert_eq!(clean(raw).text, text, "{:?}", String::from_utf8_lossy(raw));
    }

    #[test]
    fn plain_text_stays_as_it_is() {
        cleans(b"", "");
        cleans("a\tb\n日本語 🚀\n".as_bytes(), "a\tb\n日本語 🚀\n");
        let long = "x".repeat(1000) + "é" + &"→".repeat(2000);
        cleans(long.as_bytes(), &long);
    }

    #[test]
    fn colours_and_other_sequences_are_dropped() {
        cleans(b"\x1b[1;31merror\x1b[0m: no\n", "error: no\n");
        cleans(b"\x1b]8;;http://x\x07link\x1b]8;;\x1b\\ end", "link end");
        cleans(b"\x1b(Bplain\x1b=\x1b[?25h", "plain");
        cleans(b"cut \x1b[31", "cut ");
    }

    #[test]
    fn text_that_is_not_a_sequence_is_shown() {
        cleans(b"a\x1b", "a␛");
        cleans(b"a\x1b\nb", "a␛\nb");
        cleans(b"\x1b[31\xc3\xa9", "é");
    }

    #[test]
    fn escape_sequence_ends_with_its_line() {
        cleans(b"\x1b]0;title never closed\nnext", "\nnext");
        cleans(b"\x1b[3\n1mx", "\n1mx");
    }

    #[test]
    fn endless_string_sequence_is_shown_as_text() {
        let raw = [b"\x1b]".as_slice(), &[b'x'; 5000]].concat();
        assert_eq!(clean(&raw).text.len(), 5000 - LONGEST_STRING as usize);
    }

    #[test]
    fn endless_sequence_does_not_swallow_the_text() {
        let raw = [b"\x1b[".as_slice(), &b"12345 67890; ".repeat(100)].concat();
        assert_eq!(clean(&raw).text.len(), 1300 - LONGEST_PARAMETERS as usize);
    }

    #[test]
    fn redrawn_line_leaves_its_last_state() {
        cleans(b"1%\r50%\r100%\ndone\n", "100%\ndone\n");
        cleans(b"first\nabc\r\x1b[K\r\n", "first\nabc\n");
        cleans(b"windows\r\nlines\r\n", "windows\nlines\n");
        cleans(b"last\r", "last");
        cleans(b"ERROR: disk failed\r\0\n", "ERROR: disk failed\u{2400}\n");
    }

    #[test]
    fn backspaced_text_is_overwritten() {
        cleans(b"done 10%\x08\x08\x0820%\x08\x08\x08\x08100%\n", "done100%\n");
        cleans("N\u{8}NA\u{8}AM\u{8}MÉ\u{8}É\n".as_bytes(), "NAMÉ\n");
        cleans(b"ab\x08\x08\x08\x08c\x08\n", "c\n");
        cleans(b"one\n\x08\x08two", "one\ntwo");
    }

    #[test]
    fn control_bytes_become_visible() {
        cleans(b"a\0b\x07c\x7fd", "a␀b␇c␡d");
        cleans("a\u{9b}31mb\u{85}".as_bytes(), "a\u{FFFD}31mb\u{FFFD}");
    }

    #[test]
    fn text_direction_characters_become_visible() {
        cleans("if \u{202e}x\u{2066} // \u{2069}".as_bytes(), "if \u{FFFD}x\u{FFFD} // \u{FFFD}");
        for char in
            "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{2067}\u{2068}".chars()
        {
            cleans(format!("a{char}b").as_bytes(), "a\u{FFFD}b");
        }
        // Joiners are part of words and emoji, and letters have a direction of their own.
        let text = "👩\u{200d}🚀 क\u{94d}\u{200d}ष می\u{200c}خواهم שלום \u{2060}\u{2028}‐‥\u{202f}";
        cleans(text.as_bytes(), text);
    }

    #[test]
    fn broken_utf8_is_replaced_as_a_lossy_decoder_does() {
        for raw in [
            &b"a\xffb"[..],
            b"\xe2\x82",
            b"\xe2\x82a",
            b"\xf0\x9f\x9a\xf0\x9f\x9a\x80",
            b"\x80\x80",
        ] {
            cleans(raw, &String::from_utf8_lossy(raw));
        }
    }

    proptest::proptest! {
        #[test]
        fn chunks_make_no_difference(
            parts in proptest::collection::vec(
                proptest::sample::select(vec![
                    &b"ab"[..], b"\n", b"\r", b"\r\n", b"\x1b[31m", b"\x1b]0;t\x07", b"\x1b", b"\x08",
                    "é".as_bytes(), "🚀".as_bytes(), b"\xe2\x82", b"\xff", b"\0", "\u{9b}".as_bytes(),
                ]),
                0..16,
            ),
            at in 0usize..64,
        ) {
            let raw = parts.concat();
            let at = at.min(raw.len());
            for rule in [LineRule::Terminated, LineRule::Universal] {
                let pushed = |chunks: &[&[u8]]| {
                    let mut all = All { done: MappedText::default(), line: MappedText::default() };
                    let policy = Policy { lines: rule, ..Policy::default() };
                    let mut cleaner = Cleaner::new(0, &policy);
                    chunks.iter().for_each(|chunk| cleaner.push(chunk, &mut all));
                    cleaner.finish(&mut all);
                    all.done.append(&all.line);
                    all.done
                };
                let bytewise: Vec<&[u8]> = raw.chunks(1).collect();
                let whole = pushed(&[&raw]);
                assert_eq!(pushed(&[&raw[..at], &raw[at..]]), whole);
                assert_eq!(pushed(&bytewise), whole);
                let text = String::from_utf8(whole.into_text()).unwrap();
                assert!(!text.contains(needs_care), "{text:?}");
                assert_eq!(
                    crate::measure::size::breaks(text.as_bytes(), LineRule::Terminated, None),
                    crate::measure::size::breaks(&raw, rule, None),
                    "line breaks of {raw:?} by {rule:?}"
                );
            }
        }
    }
}
