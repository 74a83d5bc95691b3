//! Masks secrets before an output is saved where others can read it.
//!
//! A secret is replaced by as many stars as it has bytes, so that every place in the output stays
//! what it was: lines, offsets and sizes are those of the original.
//!
//! ```
//! use std::sync::Arc;
//! use overspill::redact::{Redaction, Redactor};
//!
//! let redaction = Arc::new(Redaction::new(Some("corp-[0-9]+")).unwrap());
//! let (text, masked) = redaction.text("url https://ada:hunter2@example.org, corp-4711");
//! assert_eq!(text, "url https://ada:*******@example.org, *********");
//! assert_eq!(masked, 2);
//! ```

mod draft;
mod rules;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};
use regex::bytes::Regex;

use rules::{LONGEST, RULES};

pub(crate) use draft::RedactingDraft;

/// A longer line is looked at in pieces.
const LONGEST_LINE: usize = 64 << 10;
const BEGIN: &[u8] = b"-----BEGIN";
const END: &[u8] = b"-----END";

/// What is masked, and where.
#[derive(Debug, Clone, Default)]
pub enum Redact {
    /// Nothing.
    #[default]
    Off,
    /// Secrets in what is saved.
    Saved(Arc<Redaction>),
    /// Secrets in what is saved and in what is shown of it.
    All(Arc<Redaction>),
}

impl Redact {
    /// Returns the rules, if anything is masked.
    pub(crate) fn rules(&self) -> Option<&Arc<Redaction>> {
        match self {
            Redact::Off => None,
            Redact::Saved(rules) | Redact::All(rules) => Some(rules),
        }
    }
}

/// Knows what secrets look like.
#[derive(Debug)]
pub struct Redaction {
    starts: AhoCorasick,
    own: Option<Regex>,
}

impl Redaction {
    /// Knows the common kinds, and whatever a regular expression of your own matches within a line.
    pub fn new(own: Option<&str>) -> Result<Redaction, String> {
        let starts = RULES.iter().map(|rule| rule.start.as_bytes()).chain([BEGIN]);
        let starts = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(starts);
        let own = own.map(Regex::new).transpose().map_err(|error| error.to_string())?;
        Ok(Redaction { starts: starts.map_err(|error| error.to_string())?, own })
    }

    /// Masks what is all there; returns how many secrets there were.
    pub fn text<'a>(&self, text: &'a str) -> (Cow<'a, str>, u64) {
        let mut state = State::default();
        match state.masked(self, text.as_bytes()) {
            None => (Cow::Borrowed(text), 0),
            Some(bytes) => (Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()), state.count),
        }
    }

    /// Finds the secrets in whole lines.
    fn find(&self, text: &[u8], state: &mut State) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut from = 0;
        if state.in_key {
            from = state.key_end(text, 0);
            found.push(0..from);
        }
        for start in self.starts.find_iter(text) {
            if start.start() < from {
                continue;
            }
            let secret = match RULES.get(start.pattern().as_usize()) {
                Some(rule) => rule.secret(text, start.start()),
                None => state.key(text, start.start()),
            };
            if let Some(secret) = secret {
                from = secret.end;
                state.count += 1;
                found.push(secret);
            }
        }
        if let Some(own) = &self.own {
            let matches = own.find_iter(text).map(|found| found.range());
            for secret in matches.filter(|secret| !secret.is_empty()) {
                state.count += 1;
                found.push(secret);
            }
        }
        found
    }
}

/// What is known from one piece to the next.
#[derive(Debug, Default)]
struct State {
    count: u64,
    /// A private key has begun, and not ended.
    in_key: bool,
}

impl State {
    /// Returns whole lines with the secrets in them masked, or `None` if there are none.
    fn masked(&mut self, redaction: &Redaction, text: &[u8]) -> Option<Vec<u8>> {
        let found = redaction.find(text, self);
        if found.is_empty() {
            return None;
        }
        let mut text = text.to_vec();
        for secret in found {
            for byte in text[secret].iter_mut().filter(|byte| !b"\r\n".contains(byte)) {
                *byte = b'*';
            }
        }
        Some(text)
    }

    /// Returns what of a private key is secret, given that `-----BEGIN` stands at `at`.
    fn key(&mut self, text: &[u8], at: usize) -> Option<Range<usize>> {
        const PRIVATE: &[u8] = b"PRIVATE KEY-----";
        let head = &text[at..text.len().min(at + 64)];
        let from = at + memchr::memmem::find(head, PRIVATE)? + PRIVATE.len();
        self.in_key = true;
        Some(from..self.key_end(text, from))
    }

    /// Returns where a private key ends, that goes on at `from`.
    fn key_end(&mut self, text: &[u8], from: usize) -> usize {
        match memchr::memmem::find(&text[from..], END) {
            Some(end) => {
                self.in_key = false;
                from + end
            }
            None => text.len(),
        }
    }
}

/// Masks an output as it comes, wherever it is cut into chunks.
#[derive(Debug)]
pub struct Redactor {
    redaction: Arc<Redaction>,
    state: State,
    /// A line that is not complete.
    held: Vec<u8>,
}

impl Redactor {
    /// Masks what `redaction` knows.
    pub fn new(redaction: Arc<Redaction>) -> Redactor {
        Redactor { redaction, state: State::default(), held: Vec::new() }
    }

    /// Returns how many secrets there were so far.
    pub fn masked(&self) -> u64 {
        self.state.count
    }

    /// Takes a chunk, and hands on what can be told of.
    pub fn push(&mut self, chunk: &[u8], mut take: impl FnMut(&[u8])) {
        let Some(feed) = memchr::memrchr(b'\n', chunk) else {
            self.held.extend_from_slice(chunk);
            if self.held.len() > LONGEST_LINE {
                // What may be the beginning of a secret stays.
                let ready = self.held.len() - LONGEST;
                let cut = self.held[ready..].iter().position(|byte| byte.is_ascii_whitespace());
                let rest = self.held.split_off(ready + cut.map_or(0, |cut| cut + 1));
                let ready = std::mem::replace(&mut self.held, rest);
                self.hand_on(&ready, &mut take);
            }
            return;
        };
        let (lines, rest) = chunk.split_at(feed + 1);
        if self.held.is_empty() {
            self.hand_on(lines, &mut take);
        } else {
            let mut first = std::mem::take(&mut self.held);
            let end = memchr::memchr(b'\n', lines).map_or(lines.len(), |feed| feed + 1);
            first.extend_from_slice(&lines[..end]);
            self.hand_on(&first, &mut take);
            self.hand_on(&lines[end..], &mut take);
        }
        self.held.extend_from_slice(rest);
    }

    /// Hands on what is left.
    pub fn finish(&mut self, mut take: impl FnMut(&[u8])) {
        let held = std::mem::take(&mut self.held);
        self.hand_on(&held, &mut take);
    }

    fn hand_on(&mut self, lines: &[u8], take: &mut impl FnMut(&[u8])) {
        if lines.is_empty() {
            return;
        }
        match self.state.masked(&self.redaction, lines) {
            Some(masked) => take(&masked),
            None => take(lines),
        }
    }
}

#[cfg(test)]
mod tests;
