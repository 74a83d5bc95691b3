//! Reads JSON as it streams by, and checks it as it goes.

use super::Outline;
use super::tree::{NodeKind, Tree};
use crate::text::{Sink, swar};

/// How much of a name is held; a text with a longer one is left to others.
const LONGEST_NAME: usize = 1024;

/// How long a number may be.
const LONGEST_NUMBER: usize = 1024;

/// A JSON text that streams by.
#[derive(Debug, Clone)]
pub(crate) struct JsonScan {
    state: State,
    tree: Tree,
    /// Where the text of the string or number at hand begins in the tree's.
    at: usize,
    /// Its length so far.
    len: u64,
    /// Where a string's start is held no further, its end is held here.
    tail: Vec<u8>,
    /// How much of a string's start, and of its end, is held.
    most: usize,
}

/// What has to come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The root, after so many bytes of a byte order mark.
    Start(u8),
    Value,
    /// A value, or the end of an array.
    FirstItem,
    Name,
    /// A name, or the end of an object.
    FirstName,
    Colon,
    /// A comma, or the end of what is open.
    Next,
    /// The rest of a string.
    String(Place),
    /// What a backslash in a string stands before.
    Escape(Place),
    /// So many digits of a character's number.
    Digits(Place, u8),
    /// The rest of a number or a word.
    Bare,
    /// White space.
    End,
    /// It is no JSON.
    Failed,
}

/// What a string is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Name,
    Value,
}

impl JsonScan {
    /// Starts with nothing; what is shown in the end has no more than `most` bytes.
    pub(crate) fn new(most: usize) -> JsonScan {
        JsonScan {
            state: State::Start(0),
            tree: Tree::new((16 * most.min(1 << 20)).clamp(2 << 20, 16 << 20)),
            at: 0,
            len: 0,
            tail: Vec::new(),
            most: most.clamp(256, 1 << 20) / 2,
        }
    }

    /// Tells whether what came is no JSON.
    pub(crate) fn has_failed(&self) -> bool {
        self.state == State::Failed
    }

    /// Says that the text is complete; returns `None` if it is no JSON after all.
    pub(crate) fn finish(self) -> Option<Outline> {
        (self.state == State::End).then(|| Outline::new(self.tree.nodes, self.tree.text))
    }

    /// Reads a text that is all there; returns what it looks like, and whether it says that
    /// something went wrong. `None` if it is no JSON.
    pub(crate) fn look(&mut self, text: &[u8]) -> Option<(u64, bool)> {
        self.state = State::Start(0);
        self.tree.clear();
        self.tail.clear();
        self.push(text);
        self.tree.root.filter(|_| self.state == State::End)
    }

    /// Takes the next part of the text.
    pub(crate) fn push(&mut self, text: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            match self.state {
                State::String(place) => at += self.string(&text[at..], place),
                State::Bare => at += self.bare(&text[at..]),
                State::Value | State::FirstItem if matches!(byte, b'-' | b'0'..=b'9') => {
                    at += self.numbers(&text[at..]);
                }
                State::Failed => return,
                _ => {
                    self.state = self.step(byte);
                    at += 1;
                }
            }
        }
    }

    #[inline]
    fn step(&mut self, byte: u8) -> State {
        let state = self.state;
        if let State::Escape(place) = state {
            return self.escape(byte, place);
        }
        if let State::Digits(place, n) = state {
            let next = if n == 3 { State::String(place) } else { State::Digits(place, n + 1) };
            return self.held_if(byte.is_ascii_hexdigit(), byte, next);
        }
        if matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
            return state;
        }
        match (state, byte) {
            (State::Next, b',') => self.after_comma(),
            (State::Next, b']') if self.tree.parent() == Some(NodeKind::Array) => self.close(),
            (State::Next, b'}') if self.tree.parent() == Some(NodeKind::Object) => self.close(),
            (State::Name | State::FirstName, b'"') => {
                self.begin_text();
                self.tree.text.push(byte);
                State::String(Place::Name)
            }
            (State::FirstItem, b']') | (State::FirstName, b'}') => self.close(),
            (State::Value | State::FirstItem, _) => self.begin(byte),
            (State::Colon, b':') => State::Value,
            (State::Start(0 | 3), b'{' | b'[') => self.begin(byte),
            (State::Start(0), 0xEF) => State::Start(1),
            (State::Start(1), 0xBB) => State::Start(2),
            (State::Start(2), 0xBF) => State::Start(3),
            _ => State::Failed,
        }
    }

    fn escape(&mut self, byte: u8, place: Place) -> State {
        let next = if byte == b'u' { State::Digits(place, 0) } else { State::String(place) };
        self.held_if(b"\"\\/bfnrtu".contains(&byte), byte, next)
    }

    fn held_if(&mut self, valid: bool, byte: u8, next: State) -> State {
        if valid { self.held(&[byte], 1, next) } else { State::Failed }
    }

    /// Begins a value.
    fn begin(&mut self, byte: u8) -> State {
        match byte {
            b'{' if self.tree.open(NodeKind::Object) => State::FirstName,
            b'[' if self.tree.open(NodeKind::Array) => State::FirstItem,
            b'"' => {
                self.begin_text();
                State::String(Place::Value)
            }
            b't' | b'f' | b'n' => {
                self.begin_text();
                self.tree.text.push(byte);
                State::Bare
            }
            _ => State::Failed,
        }
    }

    fn close(&mut self) -> State {
        self.tree.close();
        self.after_value()
    }

    fn after_value(&self) -> State {
        if self.tree.parent().is_some() { State::Next } else { State::End }
    }

    fn begin_text(&mut self) {
        self.at = self.tree.text.len();
        self.len = 0;
    }

    /// Takes as much of a string as there is.
    fn string(&mut self, text: &[u8], place: Place) -> usize {
        let plain = plain_len(text);
        self.state = self.held(text, plain, State::String(place));
        let Some(&byte) = text.get(plain) else { return plain };
        match byte {
            b'\\' => self.state = self.held(b"\\", 1, State::Escape(place)),
            b'"' if self.state != State::Failed => self.end_string(place),
            _ => self.state = State::Failed,
        }
        plain + 1
    }

    /// Holds a part of a string, the first `len` bytes of `text`, and goes on with `next`.
    #[inline]
    fn held(&mut self, text: &[u8], len: usize, next: State) -> State {
        let room = (self.at + self.most).saturating_sub(self.tree.text.len());
        self.len += len as u64;
        if len <= room {
            self.tree.hold(text, len);
            return next;
        }
        self.held_at_end(&text[..len], room);
        next
    }

    /// Holds a part of a string for which there is `room` only, the rest as its end.
    fn held_at_end(&mut self, part: &[u8], room: usize) {
        self.tree.text.extend_from_slice(&part[..room]);
        self.tail.extend_from_slice(&part[part.len().saturating_sub(self.most).max(room)..]);
        if self.tail.len() > 2 * self.most {
            self.tail.drain(..self.tail.len() - self.most);
        }
    }

    fn end_string(&mut self, place: Place) {
        let JsonScan { tree, tail, .. } = self;
        match place {
            Place::Name if tree.text.len() - self.at >= LONGEST_NAME.min(self.most) => {
                self.state = State::Failed;
            }
            Place::Name => {
                tree.text.push(b'"');
                tree.named(self.at);
                self.state = State::Colon;
            }
            Place::Value => {
                let head = tree.text.len() - self.at;
                tree.text.extend_from_slice(&tail[tail.len().saturating_sub(self.most)..]);
                tail.clear();
                tree.leaf(NodeKind::Text, self.at, head, self.len);
                self.state = self.after_value();
            }
        }
    }

    /// Takes a number and the comma after it, and the next ones of an array; of one that is not all
    /// there, the first byte.
    fn numbers(&mut self, text: &[u8]) -> usize {
        let after_comma = self.after_comma();
        let mut at = 0;
        loop {
            let rest = &text[at..];
            self.begin_text();
            let Some(len) = number_len(rest) else {
                // It is looked at again when it has ended.
                self.tree.text.push(rest[0]);
                self.state = State::Bare;
                return at + 1;
            };
            self.tree.hold(rest, len);
            self.tree.leaf(NodeKind::Bare, self.at, len, len as u64);
            if rest[len] != b',' {
                self.state = State::Next;
                return at + len;
            }
            at += len + 1;
            at += usize::from(text.get(at) == Some(&b' '));
            if after_comma != State::Value || !text.get(at).is_some_and(u8::is_ascii_digit) {
                self.state = after_comma;
                return at;
            }
        }
    }

    fn after_comma(&self) -> State {
        match self.tree.parent() {
            Some(NodeKind::Object) => State::Name,
            _ => State::Value,
        }
    }

    /// Takes as much of a number or a word as there is.
    fn bare(&mut self, text: &[u8]) -> usize {
        let end = text.iter().position(|byte| ends_bare(*byte));
        let part = &text[..end.unwrap_or(text.len())];
        if self.tree.text.len() - self.at + part.len() > LONGEST_NUMBER {
            self.state = State::Failed;
            return text.len();
        }
        self.tree.text.extend_from_slice(part);
        if end.is_some() {
            let all = &self.tree.text[self.at..];
            if matches!(all, b"true" | b"false" | b"null") || is_number(all) {
                let len = all.len();
                self.tree.leaf(NodeKind::Bare, self.at, len, len as u64);
                self.state = self.after_value();
            } else {
                self.state = State::Failed;
            }
        }
        part.len()
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
        // What is redrawn is made for people.
        self.state = State::Failed;
    }

    fn erase(&mut self, _: u64) {
        self.state = State::Failed;
    }
}

/// Returns how much of a string comes before a quote, a backslash or a control byte.
#[inline]
fn plain_len(text: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // The lowest bit that is set is right; those above it may be off, and nobody looks at them.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let (words, rest) = text.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let quote = zero(word ^ (ONES * u64::from(b'"')));
        let found = control | quote | zero(word ^ (ONES * u64::from(b'\\')));
        if found != 0 {
            return at * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let special = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
    text.len() - rest.len() + rest.iter().position(special).unwrap_or(rest.len())
}

/// Returns the length of the number that `text` begins with, if something follows it.
#[inline]
fn number_len(text: &[u8]) -> Option<usize> {
    // Most are whole and short.
    if let Some(eight) = text.first_chunk() {
        let len = digits_of(eight);
        if len < 8 && ends_bare(eight[len]) && (len == 1 || len > 1 && eight[0] != b'0') {
            return Some(len);
        }
    }
    let digits = |from: usize| after_digits(text, from);
    let from = usize::from(text.first() == Some(&b'-'));
    let mut end = digits(from)?;
    if end == from || end > from + 1 && text[from] == b'0' {
        return None;
    }
    if text[end] == b'.' {
        let from = end + 1;
        end = digits(from).filter(|end| *end > from)?;
    }
    if matches!(text[end], b'e' | b'E') {
        let from = end + 1 + usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        end = digits(from).filter(|end| *end > from)?;
    }
    (ends_bare(text[end]) && end <= LONGEST_NUMBER).then_some(end)
}

/// Returns where something else comes after digits, if there is something. Eight bytes at a time,
/// since how many digits there are is anybody's guess.
#[inline]
fn after_digits(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(eight) = text.get(at..)?.first_chunk() {
        let len = digits_of(eight);
        at += len;
        if len < 8 {
            return Some(at);
        }
    }
    Some(at + text[at..].iter().position(|byte| !byte.is_ascii_digit())?)
}

/// Returns how many digits eight bytes begin with.
#[inline]
fn digits_of(bytes: &[u8; 8]) -> usize {
    let digits = swar::within(u64::from_le_bytes(*bytes), b'0', b'9');
    swar::others(digits).trailing_zeros() as usize / 8
}

/// Tells whether a byte ends a number or a word: they have none of these, nor has white space
/// anything above a blank.
fn ends_bare(byte: u8) -> bool {
    byte == b',' || byte & 0xDF == b']' || byte <= b' '
}

fn is_number(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(text);
    if whole == 0 || whole > 1 && text[0] == b'0' {
        return false;
    }
    let mut rest = &text[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let len = digits(fraction);
        if len == 0 {
            return false;
        }
        rest = &fraction[len..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = match exponent {
            [b'+' | b'-', digits @ ..] => digits,
            _ => exponent,
        };
        let len = digits(exponent);
        return len > 0 && len == exponent.len();
    }
    rest.is_empty()
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
    fn json_is_told_from_what_is_none() {
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

    #[test]
    fn special_bytes_are_found_wherever_they_stand() {
        for special in [b'"', b'\\', b'\n', 0, 0x1f] {
            for at in 0..20 {
                let mut text = [b'x'; 24];
                text[at] = special;
                text[at / 2] = text[at / 2].max(b'\x7f');
                text[at] = special;
                assert_eq!(plain_len(&text), at);
            }
        }
        assert_eq!(plain_len("é→🚀 and so on".as_bytes()), 19);
    }
}
