//! Private keys: PEM, OpenSSH, PGP and PuTTY, with or without their last line.

use super::context::{Came, Found};

/// The longest private key that is looked for.
pub(super) const LONGEST_KEY: usize = 16 << 10;

/// Lines of a key that are not secret.
const NOTES: [&[u8]; 6] =
    [b"Proc-Type:", b"DEK-Info:", b"Version:", b"Comment:", b"Hash:", b"Charset:"];
/// A shorter line is a word, or the last line of a key.
const LINE: usize = 16;

/// How far the lines of a key that has not ended were checked. A chunk checks only its own lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct CheckedKey {
    /// The place of the key in the text.
    body: usize,
    /// The first line that was not checked, after the beginning.
    at: usize,
    /// The end of the last line of the key, after the beginning.
    end: usize,
    is_key: bool,
    prefix: usize,
}

impl CheckedKey {
    /// Returns the same key after `len` bytes before it are gone.
    pub(super) fn moved(self, len: usize) -> Option<CheckedKey> {
        Some(CheckedKey { body: self.body.checked_sub(len)?, ..self })
    }
}

fn base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

impl Came<'_> {
    /// Finds the body of a private key; `from` is right after `-----BEGIN`.
    ///
    /// Every line is checked, so that source text that only names the marks stays, and the first line
    /// that is no part of a key decides.
    pub(super) fn pem(&self, from: usize) -> Found {
        let (end, goes_on) = self.run(from, |byte| byte != b'\n', 64);
        let mark = &self.text[from..end];
        let words: [&[u8]; 3] =
            [b"PRIVATE KEY-----", b"PRIVATE KEY BLOCK-----", b"PRIVATE KEY ----"];
        let found = words
            .iter()
            .find_map(|words| Some(from + memchr::memmem::find(mark, words)? + words.len()));
        match found {
            Some(body) => self.body(body),
            None if goes_on => Found::Undecided(self.text.len().min(from)),
            None => Found::Nothing,
        }
    }

    /// Finds the body of a PuTTY key; `from` is right after `Private-Lines:`.
    pub(super) fn putty(&self, from: usize) -> Found {
        let (body, goes_on) = self.run(from, |byte| b" 0123456789\r".contains(&byte), 16);
        if goes_on { Found::Undecided(from) } else { self.body(body) }
    }

    fn body(&self, body: usize) -> Found {
        let reach = self.text.len().min(body + LONGEST_KEY);
        let text = &self.text[body..reach];
        let checked = self.key.take().filter(|key| key.body == body);
        let CheckedKey { mut at, mut end, mut is_key, mut prefix, .. } =
            checked.unwrap_or(CheckedKey { body, at: 0, end: 0, is_key: false, prefix: 0 });
        let may_go_on = !self.is_all && reach < body + LONGEST_KEY;
        let mut is_cut = may_go_on;
        while at < text.len() {
            let line_end =
                memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |feed| at + feed + 1);
            let is_whole = line_end < text.len() || text.ends_with(b"\n");
            if !is_whole && may_go_on {
                break;
            }
            match Line::of(&text[at..line_end], at == 0) {
                Line::Empty => {}
                Line::Note => {}
                Line::Body { start, len, rest }
                    if len >= LINE || is_key && start.abs_diff(prefix) < 3 =>
                {
                    is_key |= len >= LINE;
                    prefix = start;
                    end = at + start + len;
                    if rest {
                        is_cut = false;
                        break;
                    }
                }
                Line::Body { .. } | Line::Other => {
                    is_cut = false;
                    break;
                }
            }
            at = line_end;
        }
        match is_key {
            _ if is_cut => {
                self.key.set(Some(CheckedKey { body, at, end, is_key, prefix }));
                Found::Undecided(body)
            }
            true => Found::secret(body..body + end),
            false => Found::Nothing,
        }
    }
}

enum Line {
    Empty,
    Note,
    /// Base64 after so many bytes of other text, such as the line number of `grep -n`. Something that is
    /// not part of the key may follow it.
    Body {
        start: usize,
        len: usize,
        rest: bool,
    },
    Other,
}

impl Line {
    /// The first line is what follows the mark, which may have all lines with `\n` between them.
    fn of(line: &[u8], is_first: bool) -> Line {
        let line = line.trim_ascii_end();
        let in_body = |byte: u8| base64(byte) || byte == b'\\';
        let is_glue = |byte: &u8| b" \t\"',;+\\`|>".contains(byte);
        if line.iter().all(is_glue) || line == b"\\n" || line == b"\\r\\n" {
            return Line::Empty;
        }
        let blanks = line.iter().take_while(|byte| b" \t\"'>|+".contains(byte)).count();
        if NOTES.iter().any(|note| line[blanks..].starts_with(note)) {
            return Line::Note;
        }
        if is_first {
            let start = line.iter().take_while(|byte| b" \t\"'".contains(byte)).count();
            let mut len = line[start..].iter().take_while(|byte| in_body(**byte)).count();
            // Lines that were joined have blanks between them.
            while len >= LINE && line.get(start + len) == Some(&b' ') {
                let next = &line[start + len + 1..];
                match next.iter().take_while(|byte| in_body(**byte)).count() {
                    0 => break,
                    more => len += 1 + more,
                }
            }
            // A backslash at the end belongs to a quote that follows.
            let slashes =
                line[start..start + len].iter().rev().take_while(|byte| **byte == b'\\').count();
            return match len - slashes {
                0 => Line::Other,
                len => Line::Body { start, len, rest: start + len < line.len() },
            };
        }
        // A run of base64 that ends the line, or one that begins it.
        let glue = line.iter().rev().take_while(|byte| is_glue(byte)).count();
        let glue = if line[..line.len() - glue].ends_with(b"\\n") { glue + 2 } else { glue };
        let inner = &line[..line.len().saturating_sub(glue)];
        let len = inner.iter().rev().take_while(|byte| in_body(**byte)).count();
        let start = inner.len() - len;
        if start <= 64 && len > 0 && is_apart(inner[..start].last()) {
            return Line::Body { start, len, rest: false };
        }
        let len = line[blanks..].iter().take_while(|byte| in_body(**byte)).count();
        let slashes =
            line[blanks..blanks + len].iter().rev().take_while(|byte| **byte == b'\\').count();
        match len - slashes {
            len if len >= LINE => Line::Body { start: blanks, len, rest: true },
            _ => Line::Other,
        }
    }
}

/// Tells whether base64 may begin after this byte: a mark of a line number, of a quote or of a log.
fn is_apart(last: Option<&u8>) -> bool {
    last.is_none_or(|byte| b" \t\"'>|+:-#/,".contains(byte) || !byte.is_ascii())
}
