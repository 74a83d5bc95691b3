//! Ranks the lines of XML and HTML.
//!
//! In test reports the failures come first. In other documents the lines with an element name that
//! has not occurred before come first.

use super::json::log2;
use super::novelty::hash;
use super::reader::{LineRank, StructureLine};
use crate::Why;

/// The largest number of element names that the reader remembers.
const MOST_NAMES: usize = 512;

/// The state of the reader within a document.
#[derive(Debug, Clone, Default)]
pub(crate) struct MarkupReader {
    names: Vec<u64>,
    failed: u64,
    /// The number of lines since the current failure began.
    in_failure: Option<u64>,
    /// The number of lines since the current test began.
    since_test: Option<u64>,
}

impl MarkupReader {
    pub(super) fn read(&mut self, line: StructureLine) -> LineRank {
        let text = line.text;
        let mut rank = LineRank::PLAIN;
        if let Some(lines) = &mut self.in_failure {
            *lines += 1;
            let near = 4 + log2(self.failed - 1) / 2 + log2(*lines / 4);
            rank = LineRank::new(near, Why::Failure);
        }
        self.since_test = self.since_test.map(|lines| lines + 1);
        for at in memchr::memchr_iter(b'<', text) {
            let name = name_at(&text[at + 1..]);
            match name {
                b"testcase" => self.since_test = Some(0),
                b"testsuites" | b"testsuite" => rank = LineRank::new(0, Why::Heading),
                b"failure" | b"error" => {
                    self.failed += 1;
                    self.in_failure = Some(0);
                    let near = log2(self.failed - 1) / 2;
                    let with = self.since_test;
                    rank = LineRank { with, ..LineRank::new(near, Why::Failure) };
                }
                b"/failure" | b"/error" | b"/testcase" => self.in_failure = None,
                _ if name.first().is_some_and(u8::is_ascii_alphabetic) => {
                    if let Some(before) = self.add_name(name) {
                        let near = 8 + log2(before) / 2;
                        rank =
                            if near < rank.near { LineRank::new(near, Why::Differs) } else { rank };
                    }
                }
                _ => {}
            }
        }
        if memchr::memmem::find(text, b"/>").is_some() && self.in_failure == Some(0) {
            self.in_failure = None;
        }
        rank
    }

    /// Remembers an element name. If it is new, returns the number of names before it.
    fn add_name(&mut self, name: &[u8]) -> Option<u64> {
        let hash = hash(name);
        if self.names.contains(&hash) || self.names.len() == MOST_NAMES {
            return None;
        }
        self.names.push(hash);
        Some(self.names.len() as u64 - 1)
    }
}

/// Returns the name of an element. The name of a closing tag begins with `/`.
fn name_at(text: &[u8]) -> &[u8] {
    let of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"/:_-.".contains(byte);
    let len = text.iter().take(64).take_while(|byte| of_name(byte)).count();
    let name = &text[..len];
    name.strip_suffix(b"/").unwrap_or(name)
}

/// Tells whether a text is an XML or HTML document.
pub(super) fn is_markup(text: &str) -> bool {
    let mut beginning = text.as_bytes()[..text.len().min(4096)].to_ascii_lowercase();
    beginning.retain(|byte| *byte != b'\r');
    let starts = [&b"<?xml"[..], b"<!doctype", b"<html", b"<testsuite", b"<svg", b"<rss", b"<feed"];
    if starts.iter().any(|start| beginning.starts_with(start)) {
        return true;
    }
    // A text that begins with another element is a document if it has three closing tags.
    beginning.starts_with(b"<")
        && beginning.get(1).is_some_and(u8::is_ascii_alphabetic)
        && memchr::memmem::find_iter(&beginning, b"</").count() >= 3
}
