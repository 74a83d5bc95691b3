//! Extracts the text to save from the output of a terminal.

use memchr::memchr2;

/// Takes the output of a terminal and returns the text to save.
///
/// A terminal writes a carriage return before each line feed; the command did not. Programs such as
/// `vi` draw on a second screen, which disappears when they end, so it is left out.
#[derive(Debug, Default)]
pub(super) struct TerminalText {
    /// The last bytes, if their meaning depends on the next ones.
    held: Vec<u8>,
    on_second_screen: bool,
}

/// The escapes that switch the screen, and whether they switch to the second one.
const SWITCHES: [(&[u8], bool); 6] = [
    (b"\x1b[?1049h", true),
    (b"\x1b[?1049l", false),
    (b"\x1b[?1047h", true),
    (b"\x1b[?1047l", false),
    (b"\x1b[?47h", true),
    (b"\x1b[?47l", false),
];

impl TerminalText {
    /// Takes the next bytes, and returns their text.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut input = std::mem::take(&mut self.held);
        input.extend_from_slice(bytes);
        let mut text = Vec::with_capacity(input.len());
        let mut rest = &input[..];
        while let Some(at) = memchr2(b'\r', b'\x1b', rest) {
            self.keep(&rest[..at], &mut text);
            rest = &rest[at..];
            let switch = SWITCHES.iter().find(|(escape, _)| rest.starts_with(escape));
            let may_switch = || SWITCHES.iter().any(|(escape, _)| escape.starts_with(rest));
            if let Some((escape, is_second)) = switch {
                self.on_second_screen = *is_second;
                rest = &rest[escape.len()..];
            } else if rest == b"\r" || may_switch() {
                self.held = rest.to_vec();
                return text;
            } else {
                let is_line_end = rest.starts_with(b"\r\n");
                self.keep(&rest[..usize::from(!is_line_end)], &mut text);
                rest = &rest[1..];
            }
        }
        self.keep(rest, &mut text);
        text
    }

    /// Returns the bytes that were held back, at the end of the output.
    pub(super) fn end(&mut self) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        if self.on_second_screen { Vec::new() } else { held }
    }

    fn keep(&self, bytes: &[u8], text: &mut Vec<u8>) {
        if !self.on_second_screen {
            text.extend_from_slice(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(chunks: impl IntoIterator<Item = Vec<u8>>) -> String {
        let mut terminal = TerminalText::default();
        let mut all: Vec<u8> = chunks.into_iter().flat_map(|chunk| terminal.push(&chunk)).collect();
        all.extend(terminal.end());
        String::from_utf8(all).unwrap()
    }

    #[test]
    fn terminal_text_has_plain_line_feeds_and_no_second_screen() {
        for (output, expected) in [
            ("a\r\nb\r\n", "a\nb\n"),
            ("10%\r20%\r\n", "10%\r20%\n"),
            ("dos\r\r\n", "dos\r\n"),
            ("a\x1b[?1049h~\r\n~\x1b[?25l\x1b[?1049lb", "ab"),
            ("a\x1b[31mb\x1b[0m", "a\x1b[31mb\x1b[0m"),
            ("vi\x1b[?1049hleft open", "vi"),
            ("cut\x1b[?10", "cut\x1b[?10"),
            ("end\r", "end\r"),
        ] {
            assert_eq!(text_of([output.as_bytes().to_vec()]), expected, "{output:?}");
            let single = output.bytes().map(|byte| vec![byte]);
            assert_eq!(text_of(single), expected, "{output:?} byte by byte");
        }
    }
}
