//! Finds private keys: PEM, OpenSSH, PGP and PuTTY, with or without their last line.

use std::ops::Range;

use super::context::{Found, Window};

/// The number of bytes of the longest private key that is found.
pub(super) const LONGEST_KEY: usize = 16 << 10;

/// The beginnings of lines of a key that are not secret.
const NOTES: [&[u8]; 6] =
    [b"Proc-Type:", b"DEK-Info:", b"Version:", b"Comment:", b"Hash:", b"Charset:"];
/// The largest number of bytes of a mark after `BEGIN`.
const LONGEST_MARK: usize = 64;
/// A line with fewer bytes than this is a word, or the last line of a key.
const LINE: usize = 16;

/// The progress of checking the lines of a key that has not ended. A chunk checks only its own
/// lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct CheckedKey {
    /// The position of the key in the text.
    body: usize,
    /// The first line that was not checked, relative to `body`.
    at: usize,
    /// The end of the last line of the key, relative to `body`.
    end: usize,
    is_key: bool,
    prefix: usize,
}

/// The facts about private keys that earlier searches found. Without them, a text with many marks
/// would be read again for each mark.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KeyMemo {
    checked: Option<CheckedKey>,
    /// The start and end of lines that neither belong to a key nor end one.
    notes: (usize, usize),
    /// The start and end of text without a line feed.
    one_line: (usize, usize),
}

impl KeyMemo {
    /// Returns the memo for a text without its first `len` bytes.
    pub(super) fn moved(self, len: usize) -> KeyMemo {
        let moved =
            |(start, end): (usize, usize)| (start.saturating_sub(len), end.saturating_sub(len));
        let body = |key: CheckedKey| key.body.checked_sub(len);
        KeyMemo {
            checked: self.checked.and_then(|key| Some(CheckedKey { body: body(key)?, ..key })),
            notes: moved(self.notes),
            one_line: moved(self.one_line),
        }
    }

    /// Returns the end of the line at `at`, including its line feed.
    fn line_end(&mut self, text: &[u8], at: usize) -> usize {
        let (start, end) = self.one_line;
        let (start, from) =
            if (start..end).contains(&at) { (start, end.min(text.len())) } else { (at, at) };
        let feed = memchr::memchr(b'\n', &text[from..]).map(|feed| from + feed);
        self.one_line = (start, feed.unwrap_or(text.len()));
        feed.map_or(text.len(), |feed| feed + 1)
    }

    /// Remembers a line that is not part of a key.
    fn note(&mut self, line: Range<usize>) {
        match self.notes.1 == line.start {
            true => self.notes.1 = line.end,
            false => self.notes = (line.start, line.end),
        }
    }
}

/// Tells whether a line of a key may contain this byte. If a key is split over several texts, its
/// lines may already be masked.
fn base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=*".contains(&byte)
}

impl Window<'_> {
    /// Finds the body of a private key. `from` is the end of `-----BEGIN`.
    ///
    /// Every line is checked, and the first line that is not part of a key ends it. So source text
    /// that only names the marks stays unchanged.
    pub(super) fn pem(&self, from: usize) -> Found {
        let near = &self.text[from..self.text.len().min(from + LONGEST_MARK)];
        let feed = memchr::memchr(b'\n', near);
        let mark = &near[..feed.unwrap_or(near.len())];
        let goes_on = feed.is_none() && near.len() < LONGEST_MARK && !self.is_all;
        let ends: [&[u8]; 3] = [b"-----", b" BLOCK-----", b" ----"];
        let found = memchr::memchr_iter(b'Y', mark).find_map(|at| {
            let (label, rest) = mark.split_at(at + 1);
            let end = ends.iter().find(|end| rest.starts_with(end))?;
            label.ends_with(b"PRIVATE KEY").then_some(from + at + 1 + end.len())
        });
        match found {
            Some(body) => match self.body(body) {
                Found::Nothing if is_known(mark) => Found::Skip(body),
                found => found,
            },
            None if goes_on => Found::Undecided(self.text.len().min(from)),
            None => Found::Nothing,
        }
    }

    /// Finds the body of a PuTTY key. `from` is the end of `Private-Lines:`.
    pub(super) fn putty(&self, from: usize) -> Found {
        let (body, goes_on) = self.run(from, |byte| b" 0123456789\r".contains(&byte), 16);
        if goes_on { Found::Undecided(from) } else { self.body(body) }
    }

    fn body(&self, body: usize) -> Found {
        let reach = self.text.len().min(body + LONGEST_KEY);
        let text = &self.text[..reach];
        let mut memo = self.key.get();
        let checked = memo.checked.take().filter(|key| key.body == body);
        let CheckedKey { mut at, mut end, mut is_key, mut prefix, .. } =
            checked.unwrap_or(CheckedKey { body, at: 0, end: 0, is_key: false, prefix: 0 });
        (at, end) = (body + at, body + end);
        let may_go_on = !self.is_all && reach < body + LONGEST_KEY;
        let mut is_cut = may_go_on;
        while at < reach {
            if !is_key && at > body && (memo.notes.0..memo.notes.1).contains(&at) {
                at = memo.notes.1.min(reach);
                continue;
            }
            let line_end = memo.line_end(text, at);
            let is_whole = line_end < reach || text.ends_with(b"\n");
            if !is_whole && may_go_on {
                break;
            }
            match Line::of(&text[at..line_end], at == body) {
                Line::Empty | Line::Note => {
                    if at > body && is_whole {
                        memo.note(at..line_end);
                    }
                }
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
        if is_cut {
            let (at, end) = (at - body, end - body);
            memo.checked = Some(CheckedKey { body, at, end, is_key, prefix });
        }
        self.key.set(memo);
        match is_key {
            _ if is_cut => Found::Undecided(body),
            true => Found::secret(body..end),
            false => Found::Nothing,
        }
    }
}

enum Line {
    Empty,
    Note,
    /// Base64 after `start` bytes of other text, such as the line number of `grep -n`. `rest` tells
    /// whether text that is not part of the key follows.
    Body {
        start: usize,
        len: usize,
        rest: bool,
    },
    Other,
}

impl Line {
    /// Returns the kind of a line. The first line is the text after the mark, which may contain all
    /// lines with `\n` between them.
    fn of(line: &[u8], is_first: bool) -> Line {
        let line = line.trim_ascii_end();
        let in_body = |byte: u8| base64(byte) || byte == b'\\';
        let is_glue = |byte: &u8| b" \t\"',;+\\`|>".contains(byte);
        if line.iter().all(is_glue) || line == b"\\n" || line == b"\\r\\n" {
            return Line::Empty;
        }
        let blanks = line.iter().take_while(|byte| b" \t\"'>|+".contains(byte)).count();
        if NOTES.iter().any(|note| line[blanks..].starts_with(note)) {
            // A key that begins here is found by its own mark.
            let begins = memchr::memmem::find_iter(line, b"BEGIN")
                .any(|at| line[..at].ends_with(b"-- ") || line[..at].ends_with(b"--"));
            return if begins { Line::Other } else { Line::Note };
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
        // The base64 stands at the end of the line or at its beginning.
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

/// Tells whether a mark names a known kind of key, so that it contains no other secret.
fn is_known(mark: &[u8]) -> bool {
    const KINDS: [&[u8]; 8] = [
        b" PRIVATE",
        b" RSA PRIVATE",
        b" EC PRIVATE",
        b" DSA PRIVATE",
        b" OPENSSH PRIVATE",
        b" ENCRYPTED PRIVATE",
        b" PGP PRIVATE",
        b" SSH2 ENCRYPTED PRIVATE",
    ];
    KINDS.iter().any(|kind| mark.starts_with(kind))
}

/// Tells whether base64 may begin after this byte: the end of a line number, a quote or a log
/// prefix.
fn is_apart(last: Option<&u8>) -> bool {
    last.is_none_or(|byte| b" \t\"'>|+:-#/,".contains(byte) || !byte.is_ascii())
}
