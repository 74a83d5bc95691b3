//! The text in which secrets are looked for, and what surrounds a place in it.

use std::cell::Cell;
use std::ops::Range;

use super::pem::KeyMemo;
use super::runs::{RunMemo, count};

/// The longest token, password or other value that is looked for.
pub(super) const LONGEST: usize = 4 << 10;
/// The decision about a secret needs at most this many bytes after its beginning.
pub(super) const REACH: usize = super::pem::LONGEST_KEY + 128;
/// The number of bytes before a secret that can matter: its name, its scheme, an escape sequence.
pub(super) const BEFORE: usize = 256;

/// The result of looking at one place.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The bytes of a secret. `hold` is the first byte that must wait until all of it is there.
    Secret { hold: usize, bytes: Range<usize> },
    /// No secret.
    Nothing,
    /// No secret up to this place.
    Skip(usize),
    /// The bytes that follow decide; everything from this place on waits for them.
    Undecided(usize),
}

impl Found {
    pub(super) fn secret(bytes: Range<usize>) -> Found {
        Found::Secret { hold: bytes.start, bytes }
    }
}

/// A part of an output, with what stands before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Came<'a> {
    pub(super) text: &'a [u8],
    /// The text before this place has been passed on; it is only context.
    pub(super) fresh: usize,
    /// The look begins here.
    pub(super) scan: usize,
    /// Places in the text where something is left out that a terminal does not show.
    pub(super) gaps: &'a [usize],
    /// Nothing comes after the text.
    pub(super) is_all: bool,
    /// What the last looks have learned of private keys.
    pub(super) key: &'a Cell<KeyMemo>,
    /// What this look has learned of runs of bytes.
    pub(super) runs: &'a RunMemo,
}

impl<'a> Came<'a> {
    /// Returns where a run of such bytes ends, and whether the bytes that follow may continue it.
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

    /// Tells whether the text at `at` begins with `word`, or `None` if its end cuts the word off.
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
    /// such as `\n` or a color separates words.
    pub(super) fn is_inside_word(&self, at: usize) -> bool {
        if !self.last(at).is_some_and(|byte| byte.is_ascii_alphanumeric()) {
            return false;
        }
        !self.is_escape_before(at)
    }

    /// Tells whether an escape sequence, written out or left out, ends right before `at`.
    pub(super) fn is_escape_before(&self, at: usize) -> bool {
        self.gaps.binary_search(&at).is_ok()
            || ends_with_escape(&self.text[at.saturating_sub(32)..at])
    }
}

/// Tells whether the last letter or digit belongs to an escape that is written out: of JSON and of
/// source text (`\n`, `\u00e9`, `\x1b`, `\033`), of an address (`%3D`), or a color in one of them.
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

/// Tells whether `text` ends with `mark` and so many of these.
fn ends(text: &[u8], mark: &[u8], len: usize, of: impl Fn(&u8) -> bool) -> bool {
    let (before, last) = text.split_at(text.len().saturating_sub(len));
    before.ends_with(mark) && last.iter().all(of)
}
