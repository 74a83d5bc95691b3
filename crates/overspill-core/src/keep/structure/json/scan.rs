//! Reads JSON as it streams in and builds the tree from which the outline is made.

use super::Outline;
use super::tree::{NodeKind, Tree};
use crate::json::{JsonToken, JsonTokens};
use crate::text::Sink;

/// The largest number of bytes of a name. A text with a longer name gets no outline.
const LONGEST_NAME: usize = 1024;

/// The largest number of bytes of a number. A text with a longer number gets no outline.
const LONGEST_NUMBER: usize = 1024;

/// The state of the reader within a JSON text that streams in.
#[derive(Debug, Clone)]
pub(crate) struct JsonScan {
    tokens: JsonTokens,
    /// The text is not JSON, or has no outline.
    has_failed: bool,
    tree: Tree,
    /// The current string is the name of a member.
    is_name: bool,
    /// The start of the current number or literal is already in the tree.
    in_word: bool,
    /// The offset of the current string or word in the text of the tree.
    at: usize,
    /// The number of bytes of the current string so far.
    len: u64,
    /// The end of the current string, if the string is too long to be held as a whole.
    tail: Vec<u8>,
    /// The number of bytes that are held of the start of a string, and of its end.
    most: usize,
}

impl JsonScan {
    /// Returns a reader for a preview of at most `most` bytes.
    pub(crate) fn new(most: usize) -> JsonScan {
        JsonScan {
            tokens: JsonTokens::document(),
            has_failed: false,
            tree: Tree::new((16 * most.min(1 << 20)).clamp(2 << 20, 16 << 20)),
            is_name: false,
            in_word: false,
            at: 0,
            len: 0,
            tail: Vec::new(),
            most: most.clamp(256, 1 << 20) / 2,
        }
    }

    /// Tells whether the text is not JSON, or has no outline.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Ends the text and returns its outline, or `None` if the text has no outline.
    pub(crate) fn finish(self) -> Option<Outline> {
        self.is_complete().then(|| Outline::new(self.tree.nodes, self.tree.text))
    }

    /// Reads a whole text and returns a hash of its shape, and whether the text reports a failure.
    /// Returns `None` if the text has no outline.
    pub(crate) fn look(&mut self, text: &[u8]) -> Option<(u64, bool)> {
        self.tokens.restart();
        (self.has_failed, self.in_word) = (false, false);
        self.tree.clear();
        self.tail.clear();
        self.push(text);
        self.tree.root.filter(|_| self.is_complete())
    }

    /// Tells whether one array or object is complete.
    fn is_complete(&self) -> bool {
        !self.has_failed && self.tokens.is_done()
    }

    /// Takes the next part of the text.
    pub(crate) fn push(&mut self, text: &[u8]) {
        let mut rest = text;
        while !rest.is_empty() && !self.has_failed {
            let Ok((token, len)) = self.tokens.next(rest) else {
                self.has_failed = true;
                return;
            };
            match token {
                JsonToken::Between => {}
                JsonToken::Open(b'{') => self.tree.open(NodeKind::Object),
                JsonToken::Open(_) => self.tree.open(NodeKind::Array),
                JsonToken::Close => self.tree.close(),
                JsonToken::String { is_key } => self.begin_string(is_key),
                JsonToken::Text(_) => self.hold(rest, len),
                JsonToken::EndString => self.end_string(),
                JsonToken::Word { ends } => self.word(rest, len, ends),
            }
            rest = &rest[len..];
        }
    }

    #[inline]
    fn begin_string(&mut self, is_name: bool) {
        // Only an array or an object has an outline.
        self.has_failed = !self.tree.is_open();
        (self.at, self.len) = (self.tree.text.len(), 0);
        self.is_name = is_name;
        if is_name {
            self.tree.text.push(b'"');
        }
    }

    /// Holds a part of a string: the first `len` bytes of `text`.
    #[inline]
    fn hold(&mut self, text: &[u8], len: usize) {
        let room = (self.at + self.most).saturating_sub(self.tree.text.len());
        self.len += len as u64;
        if len <= room {
            self.tree.hold(text, len);
        } else {
            self.hold_at_end(&text[..len], room);
        }
    }

    /// Holds a part of a string if only `room` bytes of it belong to the held start.
    fn hold_at_end(&mut self, part: &[u8], room: usize) {
        self.tree.text.extend_from_slice(&part[..room]);
        self.tail.extend_from_slice(&part[part.len().saturating_sub(self.most).max(room)..]);
        if self.tail.len() > 2 * self.most {
            self.tail.drain(..self.tail.len() - self.most);
        }
    }

    #[inline]
    fn end_string(&mut self) {
        let JsonScan { tree, tail, .. } = self;
        let head = tree.text.len() - self.at;
        if !self.is_name {
            tree.text.extend_from_slice(&tail[tail.len().saturating_sub(self.most)..]);
            tail.clear();
            tree.leaf(NodeKind::Text, self.at, head, self.len);
        } else if head < LONGEST_NAME.min(self.most) {
            tree.text.push(b'"');
            tree.named(self.at);
        } else {
            self.has_failed = true;
        }
    }

    /// Takes a part of a number or a literal: the first `len` bytes of `text`.
    #[inline]
    fn word(&mut self, text: &[u8], len: usize, ends: bool) {
        if !self.in_word {
            self.at = self.tree.text.len();
        }
        self.in_word = !ends;
        let all = self.tree.text.len() - self.at + len;
        if all > LONGEST_NUMBER || !self.tree.is_open() {
            self.has_failed = true;
            return;
        }
        self.tree.hold(text, len);
        if ends {
            self.tree.leaf(NodeKind::Bare, self.at, all, all as u64);
        }
    }
}

impl Sink for JsonScan {
    fn keep(&mut self, _: u64, text: &[u8]) {
        self.push(text);
    }

    fn replace(&mut self, _: u64, _: u64, text: &str) {
        self.push(text.as_bytes());
    }

    fn restart_line(&mut self) {
        // Programs redraw lines for people, not for parsers.
        self.has_failed = true;
    }

    fn erase(&mut self, _: u64) {
        self.has_failed = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_json(text: &[u8]) -> bool {
        let mut whole = JsonScan::new(1000);
        whole.push(text);
        let mut bytewise = JsonScan::new(1000);
        text.chunks(1).for_each(|byte| bytewise.push(byte));
        let (whole, bytewise) = (whole.finish(), bytewise.finish());
        assert_eq!(whole.is_some(), bytewise.is_some());
        whole.is_some()
    }

    #[test]
    fn json_scan_accepts_json_and_rejects_other_text() {
        for text in [
            "{}",
            " [ ] \n",
            "\u{feff}{\"a\":1}",
            r#"[1,-0,0.5,1e9,-1.25E-7,true,false,null,"\u00e9\n\"\\",[[{}]]]"#,
            r#"{"a":1,"a":2,"":[]}"#,
        ] {
            assert!(is_json(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "[",
            "{\"a\":1",
            "[1,]",
            "[,1]",
            "{\"a\"}",
            "{\"a\":}",
            "{a:1}",
            "[NaN]",
            "[01]",
            "[1.]",
            "[1e]",
            "[-]",
            "[+1]",
            "[tree]",
            "[\"a\nb\"]",
            "[\"\\x\"]",
            "[\"\\u12g4\"]",
            "{} x",
            "[]]",
            "[}",
            "1",
            "\"a\"",
            "[1 2]",
            "{\"a\":1 \"b\":2}",
            "['a']",
            "\u{feff}\u{feff}[]",
        ] {
            assert!(!is_json(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn odd_texts_get_the_answer_of_the_table() {
        crate::json_texts::check("outline", |chunks| {
            let mut scan = JsonScan::new(1000);
            chunks.iter().for_each(|chunk| scan.push(chunk));
            scan.finish().is_some()
        });
    }
}
