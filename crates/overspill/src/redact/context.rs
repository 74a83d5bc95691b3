//! The text in which overspill looks for secrets, and helpers to read around a position.

use std::cell::Cell;
use std::ops::Range;

use super::pem::KeyMemo;
use super::runs::{RunMemo, count};

/// The number of bytes of the longest token, password or other value that is found.
pub(super) const LONGEST: usize = 4 << 10;
/// The largest number of bytes after the beginning of a secret that are needed to decide.
pub(super) const REACH: usize = super::pem::LONGEST_KEY + 128;
/// The number of bytes before a secret that can matter: its name, its scheme, an escape sequence.
pub(super) const BEFORE: usize = 256;

/// The result of looking at one position.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The bytes of a secret. `hold` is the first byte that must wait until the secret is complete.
    Secret { hold: usize, bytes: Range<usize> },
    /// No secret.
    Nothing,
    /// No secret before this position.
    Skip(usize),
    /// The decision needs more bytes. Everything from this position on waits for them.
    Undecided(usize),
}

impl Found {
    pub(super) fn secret(bytes: Range<usize>) -> Found {
        Found::Secret { hold: bytes.start, bytes }
    }
}

/// A part of an output, with the text before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window<'a> {
    pub(super) text: &'a [u8],
    /// The position of the first byte that has not been passed on. The text before is only context.
    pub(super) fresh: usize,
    /// The position at which the search begins.
    pub(super) scan: usize,
    /// The positions at which characters are left out that a terminal does not show.
    pub(super) gaps: &'a [usize],
    /// The text is complete: no bytes follow.
    pub(super) is_all: bool,
    /// The facts about private keys that earlier searches have found.
    pub(super) key: &'a Cell<KeyMemo>,
    /// The facts about runs of bytes that this search has found.
    pub(super) runs: &'a RunMemo,
}

impl<'a> Window<'a> {
    /// Returns the end of a run of bytes that satisfy `of`, and whether later bytes may continue
    /// the run.
    pub(super) fn run(&self, from: usize, of: impl Fn(u8) -> bool, most: usize) -> (usize, bool) {
        let rest = self.text.get(from..).unwrap_or_default();
        let len = rest.iter().take(most).take_while(|byte| of(**byte)).count();
        count(len);
        (from + len, len < most && len == rest.len() && !self.is_all)
    }

    /// Returns the byte at `at`.
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    /// Returns the byte before `at`.
    pub(super) fn last(&self, at: usize) -> Option<u8> {
        at.checked_sub(1).and_then(|at| self.byte(at))
    }

    /// Tells whether the text at `at` begins with `word`. Returns `None` if the text ends within
    /// the word.
    pub(super) fn begins(&self, at: usize, word: &[u8]) -> Option<bool> {
        let rest = self.text.get(at..).unwrap_or_default();
        if rest.len() >= word.len() || self.is_all {
            return Some(rest.starts_with(word));
        }
        if word.starts_with(rest) { None } else { Some(false) }
    }

    /// Returns up to `most` bytes of the line before `at`.
    pub(super) fn line_before(&self, at: usize, most: usize) -> &'a [u8] {
        let near = &self.text[at.saturating_sub(most)..at];
        count(near.len());
        memchr::memrchr(b'\n', near).map_or(near, |feed| &near[feed + 1..])
    }

    /// Tells whether the byte before `at` is a letter or digit of the same word. An escape sequence
    /// such as `\n` or a colour separates words.
    pub(super) fn is_inside_word(&self, at: usize) -> bool {
        if !self.last(at).is_some_and(|byte| byte.is_ascii_alphanumeric()) {
            return false;
        }
        !self.is_escape_before(at)
    }

    /// Tells whether an escape sequence ends right before `at`, either written out or left out.
    pub(super) fn is_escape_before(&self, at: usize) -> bool {
        self.gaps.binary_search(&at).is_ok()
            || ends_with_escape(&self.text[at.saturating_sub(32)..at])
    }
}

/// Tells whether the last letter or digit belongs to an escape that is written out: of JSON and
/// source text (`\n`, `\u00e9`, `\x1b`, `\033`), of an address (`%3D`), or a colour in one of them.
fn ends_with_escape(text: &[u8]) -> bool {
    let hex = |byte: &u8| byte.is_ascii_hexdigit();
    if ends(text, b"\\", 1, |byte| b"abefnrtv0".contains(byte))
        || ends(text, b"\\u", 4, hex)
        || ends(text, b"\\x", 2, hex)
        || ends(text, b"\\", 3, |byte| (b'0'..b'8').contains(byte))
        || ends(text, b"%", 2, hex)
    {
        return true;
    }
    let parameters = text.iter().rev().skip(1).take_while(|byte| b"0123456789;".contains(byte));
    let color = text.len().saturating_sub(parameters.count() + 1);
    let ways: [&[u8]; 6] = [b"\\u001b[", b"\\u001B[", b"\\x1b[", b"\\x1B[", b"\\033[", b"\\e["];
    ways.iter().any(|way| text[..color].ends_with(way))
}

/// Tells whether `text` ends with `mark` and `len` bytes that satisfy `of`.
fn ends(text: &[u8], mark: &[u8], len: usize, of: impl Fn(&u8) -> bool) -> bool {
    let (before, last) = text.split_at(text.len().saturating_sub(len));
    before.ends_with(mark) && last.iter().all(of)
}
