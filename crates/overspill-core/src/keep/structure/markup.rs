//! Ranks the lines of XML and HTML.
//!
//! In test reports the failures come first. In other documents the lines with an element name that
//! has not occurred before come first.

use super::json::log2;
use super::novelty::hash;
use super::reader::{LineRank, StructureLine};
use crate::Why;

/// The largest number of element names that the reader remembers.
const NAMES: usize = 512;

/// The state of the reader within a document.
#[derive(Debug, Clone, Default)]
pub(crate) struct MarkupReader {
    names: Vec<u64>,
    failed: u64,
    /// The number of lines read of the current failure.
    in_failure: Option<u64>,
    /// The number of lines since the current test began.
    since_test: Option<u64>,
}

impl MarkupReader {
    pub(super) fn read(&mut self, line: StructureLine) -> LineRank {
        let text = line.text;
        let mut grade = LineRank::PLAIN;
        if let Some(lines) = &mut self.in_failure {
            *lines += 1;
            let near = 4 + log2(self.failed - 1) / 2 + log2(*lines / 4);
            grade = LineRank::new(near, Why::Failure);
        }
        self.since_test = self.since_test.map(|lines| lines + 1);
        for at in memchr::memchr_iter(b'<', text) {
            let name = name_at(&text[at + 1..]);
            match name {
                b"testcase" => self.since_test = Some(0),
                b"testsuites" | b"testsuite" => grade = LineRank::new(0, Why::Heading),
                b"failure" | b"error" => {
                    self.failed += 1;
                    self.in_failure = Some(0);
                    let near = log2(self.failed - 1) / 2;
                    let with = self.since_test;
                    grade = LineRank { with, ..LineRank::new(near, Why::Failure) };
                }
                b"/failure" | b"/error" | b"/testcase" => self.in_failure = None,
                _ if name.first().is_some_and(u8::is_ascii_alphabetic) => {
                    if let Some(before) = self.is_new(name) {
                        let near = 8 + log2(before) / 2;
                        grade = if near < grade.near {
                            LineRank::new(near, Why::Differs)
                        } else {
                            grade
                        };
                    }
                }
                _ => {}
            }
        }
        if memchr::memmem::find(text, b"/>").is_some() && self.in_failure == Some(0) {
            self.in_failure = None;
        }
        grade
    }

    /// If this element name has not occurred before, returns the number of other names so far.
    fn is_new(&mut self, name: &[u8]) -> Option<u64> {
        let hash = hash(name);
        if self.names.contains(&hash) || self.names.len() == NAMES {
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
    let mut look = text.as_bytes()[..text.len().min(4096)].to_ascii_lowercase();
    look.retain(|byte| *byte != b'\r');
    let starts = [&b"<?xml"[..], b"<!doctype", b"<html", b"<testsuite", b"<svg", b"<rss", b"<feed"];
    if starts.iter().any(|start| look.starts_with(start)) {
        return true;
    }
    // A document that begins with another element must have closing tags.
    look.starts_with(b"<")
        && look.get(1).is_some_and(u8::is_ascii_alphabetic)
        && memchr::memmem::find_iter(&look, b"</").count() >= 3
}
