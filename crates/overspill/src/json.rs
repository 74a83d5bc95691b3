//! JSON as it passes by: what each byte is, without holding any of it.

use memchr::{memchr2, memchr2_iter};

/// What the bytes that were just taken are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonToken<'a> {
    /// Blanks, commas and colons.
    Between,
    /// An object or a list begins.
    Open(u8),
    /// One of them ends.
    Close,
    /// A string begins; it may be a key.
    String {
        /// It is one.
        is_key: bool,
    },
    /// Something of a string, without its escapes.
    Text(&'a [u8]),
    /// A string ends.
    EndString,
    /// Something of a number, or of `true`, `false` or `null`.
    Word,
}

/// These bytes are not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MalformedJson;

/// Deeper than this nobody goes; it keeps a flood of brackets from filling the memory.
const DEEPEST: usize = 1 << 20;

/// Walks over one JSON value, in chunks of any size.
#[derive(Debug, Default)]
pub struct JsonTokens {
    /// What is open: `true` for objects.
    open: Vec<bool>,
    expects: Expects,
    string: Option<Within>,
    is_key: bool,
    word: Word,
    /// What an escape stands for.
    unescaped: [u8; 4],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Expects {
    #[default]
    Value,
    /// The first value of a list, or its end.
    ValueOrEnd,
    Key,
    /// The first key of an object, or its end.
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    /// Nothing but blanks.
    Nothing,
}

/// Where in a string we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Plain,
    /// After a backslash; after the first half of a pair, if there is one.
    Escape(Option<u16>),
    /// After a backslash and `u`: how many digits came, and what they say.
    Digits(u8, u16, Option<u16>),
    /// After the first half of a pair.
    Half(u16),
}

/// A word so far; longer ones are numbers.
#[derive(Debug, Default)]
struct Word {
    start: [u8; 8],
    len: usize,
}

impl JsonTokens {
    /// Tells whether one whole value has come.
    pub fn is_done(&self) -> bool {
        self.expects == Expects::Nothing && (self.word.len == 0 || self.word.is_right())
            || self.open.is_empty() && self.word.len > 0 && self.word.is_right()
    }

    /// Takes what `bytes`, which are not empty, begin with; returns what it is and how long.
    pub fn next<'a>(
        &'a mut self,
        bytes: &'a [u8],
    ) -> Result<(JsonToken<'a>, usize), MalformedJson> {
        match self.string {
            Some(Within::Plain) => Ok(self.plain(bytes)),
            Some(within) => self.escape(within, bytes[0]),
            None => self.structure(bytes),
        }
    }

    /// Takes as much of a string as there is at once, adds what it says to `text`, and returns how
    /// long it was; nothing where something else is next.
    ///
    /// Long texts are mostly lines, and an escape stands at the end of each.
    pub fn text(&self, bytes: &[u8], text: &mut Vec<u8>) -> usize {
        if self.string != Some(Within::Plain) {
            return 0;
        }
        let mut at = 0;
        for found in memchr2_iter(b'"', b'\\', bytes) {
            // It was a part of the escape before.
            if found < at {
                continue;
            }
            text.extend_from_slice(&bytes[at..found]);
            let [b'\\', escaped, ..] = bytes[found..] else { return found };
            let Ok(char) = simple(escaped) else { return found };
            text.push(char as u8);
            at = found + 2;
        }
        text.extend_from_slice(&bytes[at..]);
        bytes.len()
    }

    fn structure(&mut self, bytes: &[u8]) -> Result<(JsonToken<'static>, usize), MalformedJson> {
        let first = bytes[0];
        if is_of_word(first) {
            return self.word(bytes);
        }
        self.end_word()?;
        let token = match first {
            b' ' | b'\t' | b'\r' | b'\n' => JsonToken::Between,
            b'{' | b'[' => {
                self.value_begins()?;
                if self.open.len() == DEEPEST {
                    return Err(MalformedJson);
                }
                self.open.push(first == b'{');
                self.expects = if first == b'{' { Expects::KeyOrEnd } else { Expects::ValueOrEnd };
                JsonToken::Open(first)
            }
            b'}' | b']' => {
                let empty = match first {
                    b'}' => Expects::KeyOrEnd,
                    _ => Expects::ValueOrEnd,
                };
                let is_end = self.expects == Expects::CommaOrEnd || self.expects == empty;
                if !is_end || self.open.pop() != Some(first == b'}') {
                    return Err(MalformedJson);
                }
                self.value_ends();
                JsonToken::Close
            }
            b',' if self.expects == Expects::CommaOrEnd => {
                let in_object = self.open.last() == Some(&true);
                self.expects = if in_object { Expects::Key } else { Expects::Value };
                JsonToken::Between
            }
            b':' if self.expects == Expects::Colon => {
                self.expects = Expects::Value;
                JsonToken::Between
            }
            b'"' => {
                self.is_key = matches!(self.expects, Expects::Key | Expects::KeyOrEnd);
                if !self.is_key {
                    self.value_begins()?;
                }
                self.string = Some(Within::Plain);
                JsonToken::String { is_key: self.is_key }
            }
            _ => return Err(MalformedJson),
        };
        Ok((token, 1))
    }

    fn word(&mut self, bytes: &[u8]) -> Result<(JsonToken<'static>, usize), MalformedJson> {
        if self.word.len == 0 {
            self.value_begins()?;
            self.expects = Expects::CommaOrEnd;
        }
        let len = bytes.iter().position(|&byte| !is_of_word(byte)).unwrap_or(bytes.len());
        self.word.push(&bytes[..len]);
        Ok((JsonToken::Word, len))
    }

    fn end_word(&mut self) -> Result<(), MalformedJson> {
        if self.word.len == 0 {
            return Ok(());
        }
        if !self.word.is_right() {
            return Err(MalformedJson);
        }
        self.word = Word::default();
        self.value_ends();
        Ok(())
    }

    fn value_begins(&mut self) -> Result<(), MalformedJson> {
        match self.expects {
            Expects::Value | Expects::ValueOrEnd => Ok(()),
            _ => Err(MalformedJson),
        }
    }

    fn value_ends(&mut self) {
        self.expects = if self.open.is_empty() { Expects::Nothing } else { Expects::CommaOrEnd };
    }

    fn plain<'a>(&mut self, bytes: &'a [u8]) -> (JsonToken<'a>, usize) {
        match bytes[0] {
            b'"' => {
                self.string = None;
                match self.is_key {
                    true => self.expects = Expects::Colon,
                    false => self.value_ends(),
                }
                (JsonToken::EndString, 1)
            }
            b'\\' => {
                self.string = Some(Within::Escape(None));
                (JsonToken::Text(b""), 1)
            }
            _ => {
                let len = memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
                (JsonToken::Text(&bytes[..len]), len)
            }
        }
    }

    /// Takes one byte of an escape. Half a pair without the other half is no character.
    fn escape(
        &mut self,
        within: Within,
        byte: u8,
    ) -> Result<(JsonToken<'_>, usize), MalformedJson> {
        const LOST: char = char::REPLACEMENT_CHARACTER;
        let (next, text) = match within {
            Within::Half(half) if byte == b'\\' => (Within::Escape(Some(half)), None),
            Within::Plain | Within::Half(_) => {
                self.string = Some(Within::Plain);
                return Ok((JsonToken::Text(self.encoded(LOST)), 0));
            }
            Within::Escape(half) if byte == b'u' => (Within::Digits(0, 0, half), None),
            Within::Escape(Some(_)) => {
                self.string = Some(Within::Escape(None));
                return Ok((JsonToken::Text(self.encoded(LOST)), 0));
            }
            Within::Escape(None) => (Within::Plain, Some(simple(byte)?)),
            Within::Digits(count, value, half) => {
                let digit = char::from(byte).to_digit(16).ok_or(MalformedJson)? as u16;
                let value = value << 4 | digit;
                match (count, half, value) {
                    (0..3, ..) => (Within::Digits(count + 1, value, half), None),
                    (_, None, 0xD800..=0xDBFF) => (Within::Half(value), None),
                    (_, Some(high), 0xDC00..=0xDFFF) => (Within::Plain, Some(paired(high, value))),
                    // The first half is lost, and this one may be the first of another pair.
                    (_, Some(_), 0xD800..=0xDBFF) => (Within::Half(value), Some(LOST)),
                    (_, Some(_), _) => {
                        let own = char::from_u32(value.into()).unwrap_or(LOST);
                        (Within::Plain, Some(own))
                    }
                    (_, None, _) => {
                        (Within::Plain, Some(char::from_u32(value.into()).unwrap_or(LOST)))
                    }
                }
            }
        };
        self.string = Some(next);
        let text: &[u8] = match text {
            Some(char) => self.encoded(char),
            None => b"",
        };
        Ok((JsonToken::Text(text), 1))
    }

    fn encoded(&mut self, char: char) -> &[u8] {
        char.encode_utf8(&mut self.unescaped).as_bytes()
    }
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

/// Returns what one letter after a backslash stands for; that is ASCII.
fn simple(byte: u8) -> Result<char, MalformedJson> {
    Ok(match byte {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'"' | b'\\' | b'/' => char::from(byte),
        _ => return Err(MalformedJson),
    })
}

fn paired(high: u16, low: u16) -> char {
    let code = 0x10000 + ((u32::from(high) - 0xD800) << 10) + (u32::from(low) - 0xDC00);
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

impl Word {
    fn push(&mut self, bytes: &[u8]) {
        let free = self.start.get_mut(self.len..).unwrap_or_default();
        let len = free.len().min(bytes.len());
        free[..len].copy_from_slice(&bytes[..len]);
        self.len += bytes.len();
    }

    /// Tells whether it is a word of JSON, or begins like a number.
    fn is_right(&self) -> bool {
        let word = &self.start[..self.len.min(self.start.len())];
        match word[0] {
            b't' | b'f' | b'n' => [&b"true"[..], b"false", b"null"].contains(&word),
            first => first.is_ascii_digit() || first == b'-' && self.len > 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes `json` in chunks; returns all text of strings, or nothing if it is not JSON.
    fn texts(json: &[u8], chunk: usize) -> Option<Vec<u8>> {
        let mut tokens = JsonTokens::default();
        let mut text = Vec::new();
        for mut chunk in json.chunks(chunk) {
            while !chunk.is_empty() {
                let (token, len) = tokens.next(chunk).ok()?;
                if let JsonToken::Text(bytes) = token {
                    text.extend_from_slice(bytes);
                }
                chunk = &chunk[len..];
            }
        }
        tokens.is_done().then_some(text)
    }

    #[test]
    fn text_at_once_is_text_step_by_step() {
        let json = r#"["line\nline\\\"\/\u00e9\ud83d\ude00 \t","",{"key":"é\\"}]"#;
        let simply = texts(json.as_bytes(), json.len());
        for chunk in 1..=json.len() {
            let (mut tokens, mut text) = (JsonTokens::default(), Vec::new());
            for mut chunk in json.as_bytes().chunks(chunk) {
                while !chunk.is_empty() {
                    let len = tokens.text(chunk, &mut text);
                    chunk = &chunk[len..];
                    if let Some(Ok((token, len))) = (!chunk.is_empty()).then(|| tokens.next(chunk))
                    {
                        if let JsonToken::Text(bytes) = token {
                            text.extend_from_slice(bytes);
                        }
                        chunk = &chunk[len..];
                    }
                }
            }
            assert!(tokens.is_done());
            assert_eq!(Some(text), simply, "by {chunk}");
        }
    }

    /// `IgnoredAny` reads the syntax and not the meaning: any depth, numbers of any size, strings of
    /// any bytes.
    #[test]
    fn table_of_odd_texts_agrees_with_serde_json() {
        for text in crate::json_texts::odd_texts() {
            let judge = serde_json::from_slice::<serde::de::IgnoredAny>(&text.bytes);
            assert_eq!(judge.is_ok(), text.is_valid, "{}", text.name);
        }
    }

    #[test]
    fn odd_texts_get_the_answer_of_the_table() {
        crate::json_texts::check("tokens", |chunks| {
            let mut tokens = JsonTokens::default();
            for mut chunk in chunks.iter().copied() {
                while !chunk.is_empty() {
                    let Ok((_, len)) = tokens.next(chunk) else { return false };
                    chunk = &chunk[len..];
                }
            }
            tokens.is_done()
        });
    }

    #[test]
    fn what_is_json_is_taken_whatever_the_chunks() {
        let good: [(&str, &str); 12] = [
            ("{}", ""),
            (" [ ] ", ""),
            ("12", ""),
            ("-0.5e+10", ""),
            ("true", ""),
            (r#""a\nb""#, "a\nb"),
            (r#"{"a":[1,{"b":null}],"c":"d"}"#, "abcd"),
            (r#"["\u00e9\ud83d\ude00x"]"#, "é😀x"),
            (r#"["\ud83dx\ud83d\n\ude00"]"#, "\u{FFFD}x\u{FFFD}\n\u{FFFD}"),
            (r#"["\ud83d\ud83d\ude00"]"#, "\u{FFFD}😀"),
            (r#"["\/\"\\\b\f"]"#, "/\"\\\u{8}\u{c}"),
            ("[123456789012345678901234567890]", ""),
        ];
        for (json, text) in good {
            for chunk in 1..=json.len() {
                let found =
                    texts(json.as_bytes(), chunk).map(|text| String::from_utf8(text).unwrap());
                assert_eq!(found.as_deref(), Some(text), "{json} by {chunk}");
            }
        }
    }

    #[test]
    fn what_is_not_json_is_malformed_whatever_the_chunks() {
        for json in [
            "",
            "{",
            "}",
            "[1,]",
            "{\"a\"}",
            "{\"a\":}",
            "{a:1}",
            "[1 2]",
            "nul",
            "nullx",
            "[1]]",
            "{} {}",
            "\"a",
            "\"\\x\"",
            "\"\\u12g4\"",
            "[}",
            "{\"a\":1,}",
            "-",
            "'a'",
            ",",
            "[:]",
        ] {
            for chunk in 1..=json.len().max(1) {
                assert_eq!(texts(json.as_bytes(), chunk), None, "{json} by {chunk}");
            }
        }
    }

    #[test]
    fn brackets_without_end_are_refused() {
        let deep = vec![b'['; DEEPEST + 1];
        assert_eq!(texts(&deep, 4096), None);
        let fine = [vec![b'['; 10_000], vec![b']'; 10_000]].concat();
        assert!(texts(&fine, 4096).is_some());
    }
}
