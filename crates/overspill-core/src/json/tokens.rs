//! The grammar of JSON, byte by byte.

use super::number::{Number, whole_number};
use super::string::{Escape, LOST, plain_len, simple};
use super::{JsonToken, MalformedJson};

/// The largest number of open brackets. It limits the memory that a flood of brackets can take.
pub(super) const DEEPEST: usize = 1 << 20;

/// Reads one JSON value, in chunks of any size.
#[derive(Debug, Clone, Default)]
pub struct JsonTokens {
    /// The open brackets: `true` for objects.
    open: Vec<bool>,
    state: State,
    /// The current string is the name of a member.
    is_key: bool,
    /// The text of an escape: at most two characters.
    unescaped: [u8; 8],
}

/// The token that the grammar expects next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Value,
    /// The first value of an array, or its end.
    ValueOrEnd,
    Key,
    /// The first name of an object, or its end.
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    /// Only white space.
    Done,
    Text,
    Escape(Escape),
    Number(Number),
    /// The rest of `true`, `false` or `null`.
    Literal(&'static [u8]),
    /// A value, after this many bytes of a byte order mark. Only a whole document begins so.
    Mark(u8),
    /// The text has a mistake.
    Failed(&'static str),
}

type Taken<'a> = Result<(JsonToken<'a>, usize), MalformedJson>;

impl JsonTokens {
    /// Begins a document, such as a file: a byte order mark may stand before it.
    pub fn document() -> JsonTokens {
        JsonTokens { state: State::Mark(0), ..JsonTokens::default() }
    }

    /// Returns to the beginning of a document, and keeps its memory.
    pub fn restart(&mut self) {
        self.open.clear();
        self.state = State::Mark(0);
    }

    /// Tells whether one whole value was read. A number may still go on.
    pub fn is_done(&self) -> bool {
        match self.state {
            State::Done => true,
            State::Number(number) => self.open.is_empty() && number.may_end(),
            _ => false,
        }
    }

    /// Tells whether a value must come next, or the end of an array.
    pub fn expects_value(&self) -> bool {
        matches!(self.state, State::Value | State::ValueOrEnd)
    }

    /// Returns the mistake of a text that ends here, before the value is complete.
    pub fn missing(&self) -> &'static str {
        match self.state {
            State::Text | State::Escape(_) => "a string that does not end",
            _ => self.expected(),
        }
    }

    /// Takes the first token of `bytes`, which are not empty. Returns the token and its length.
    #[inline]
    pub fn next<'a>(&'a mut self, bytes: &'a [u8]) -> Taken<'a> {
        match self.state {
            State::Text => self.string(bytes),
            State::Value
            | State::ValueOrEnd
            | State::Key
            | State::KeyOrEnd
            | State::Colon
            | State::CommaOrEnd
            | State::Done => self.structure(bytes),
            State::Number(number) => self.number(number, 0, bytes),
            State::Escape(escape) => self.escape(escape, bytes[0]),
            State::Literal(rest) => self.literal(rest, bytes),
            State::Mark(count) => self.mark(count, bytes),
            State::Failed(what) => Err(MalformedJson { what, at: 0 }),
        }
    }

    /// Takes as much of a string as comes at once, adds its text to `text`, and returns its length.
    /// Returns 0 if another token is next.
    ///
    /// This is [`next`](JsonTokens::next) for long texts with an escape at the end of each line.
    pub fn text(&self, bytes: &[u8], text: &mut Vec<u8>) -> usize {
        if self.state != State::Text {
            return 0;
        }
        let mut at = 0;
        loop {
            let plain = plain_len(&bytes[at..]);
            text.extend_from_slice(&bytes[at..at + plain]);
            at += plain;
            let [b'\\', escaped, ..] = bytes[at..] else { return at };
            let Some(says) = simple(escaped) else { return at };
            text.extend_from_slice(says);
            at += 2;
        }
    }

    #[inline]
    fn structure<'a>(&mut self, bytes: &'a [u8]) -> Taken<'a> {
        let between = self.between(bytes);
        if between > 0 {
            return Ok((JsonToken::Between, between));
        }
        let byte = bytes[0];
        match (self.state, byte) {
            (State::Value | State::ValueOrEnd, b'{' | b'[') => self.open(byte),
            (State::Value | State::ValueOrEnd, b'"') => {
                self.is_key = false;
                self.state = State::Text;
                Ok((JsonToken::String { is_key: false }, 1))
            }
            (State::Key | State::KeyOrEnd, b'"') => {
                self.is_key = true;
                self.state = State::Text;
                Ok((JsonToken::String { is_key: true }, 1))
            }
            (State::CommaOrEnd | State::ValueOrEnd, b']') if self.open.last() == Some(&false) => {
                Ok(self.close())
            }
            (State::CommaOrEnd | State::KeyOrEnd, b'}') if self.open.last() == Some(&true) => {
                Ok(self.close())
            }
            (State::Value | State::ValueOrEnd, _) => self.word(bytes),
            _ => self.fail(self.expected(), 0),
        }
    }

    /// Takes white space and the comma or colon in it. Returns the length.
    #[inline]
    fn between(&mut self, bytes: &[u8]) -> usize {
        let at = blanks(bytes);
        match (bytes.get(at), self.state) {
            (Some(b','), State::CommaOrEnd) => {
                let in_object = self.open.last() == Some(&true);
                self.state = if in_object { State::Key } else { State::Value };
            }
            (Some(b':'), State::Colon) => self.state = State::Value,
            _ => return at,
        }
        at + 1 + blanks(&bytes[at + 1..])
    }

    fn open<'a>(&mut self, bracket: u8) -> Taken<'a> {
        if self.open.len() == DEEPEST {
            return self.fail("nested deeper than 1048576 levels", 0);
        }
        let is_object = bracket == b'{';
        self.open.push(is_object);
        self.state = if is_object { State::KeyOrEnd } else { State::ValueOrEnd };
        Ok((JsonToken::Open(bracket), 1))
    }

    fn close<'a>(&mut self) -> (JsonToken<'a>, usize) {
        self.open.pop();
        self.value_ends();
        (JsonToken::Close, 1)
    }

    #[inline]
    fn value_ends(&mut self) {
        self.state = if self.open.is_empty() { State::Done } else { State::CommaOrEnd };
    }

    #[inline]
    fn word<'a>(&mut self, bytes: &'a [u8]) -> Taken<'a> {
        if let Some(len) = whole_number(bytes) {
            self.value_ends();
            return Ok((JsonToken::Word { ends: true }, len));
        }
        if let Some(number) = Number::begin(bytes[0]) {
            return self.number(number, 1, bytes);
        }
        let literal: &[u8] = match bytes[0] {
            b't' => b"true",
            b'f' => b"false",
            b'n' => b"null",
            _ => return self.fail(self.expected(), 0),
        };
        self.literal(literal, bytes)
    }

    /// Takes the rest of a number. `taken` bytes of it were taken already.
    fn number<'a>(&mut self, mut number: Number, taken: usize, bytes: &'a [u8]) -> Taken<'a> {
        let len = taken + number.take(&bytes[taken..]);
        let ends = len < bytes.len();
        self.state = State::Number(number);
        if ends && !number.may_end() {
            return self.fail(self.expected(), len);
        }
        if ends {
            self.value_ends();
        }
        Ok((JsonToken::Word { ends }, len))
    }

    /// Takes the rest of a literal, which ends with its last letter.
    fn literal<'a>(&mut self, rest: &'static [u8], bytes: &'a [u8]) -> Taken<'a> {
        let len = rest.iter().zip(bytes).take_while(|(letter, byte)| letter == byte).count();
        self.state = State::Literal(&rest[len..]);
        if len == rest.len() {
            self.value_ends();
        } else if len < bytes.len() {
            return self.fail(self.expected(), len);
        }
        Ok((JsonToken::Word { ends: len == rest.len() }, len))
    }

    #[inline]
    fn string<'a>(&'a mut self, bytes: &'a [u8]) -> Taken<'a> {
        let plain = plain_len(bytes);
        if plain > 0 {
            return Ok((JsonToken::Text(&bytes[..plain]), plain));
        }
        match bytes[0] {
            b'"' => {
                if self.is_key {
                    self.state = State::Colon;
                } else {
                    self.value_ends();
                }
                Ok((JsonToken::EndString, 1))
            }
            b'\\' => {
                if let Some(says) = bytes.get(1).and_then(|escaped| simple(*escaped)) {
                    return Ok((JsonToken::Text(says), 2));
                }
                self.state = State::Escape(Escape::Backslash { high: None });
                Ok((JsonToken::Text(b""), 1))
            }
            b'\n' => self.fail("a string that does not end in its line", 0),
            _ => self.fail("a control byte in a string", 0),
        }
    }

    fn escape(&mut self, escape: Escape, byte: u8) -> Taken<'_> {
        let step = match escape.step(byte) {
            Ok(step) => step,
            Err(what) => return self.fail(what, 0),
        };
        self.state = step.next.map_or(State::Text, State::Escape);
        let mut len = 0;
        for char in step.is_half_lost.then_some(LOST).into_iter().chain(step.char) {
            len += char.encode_utf8(&mut self.unescaped[len..]).len();
        }
        Ok((JsonToken::Text(&self.unescaped[..len]), usize::from(step.took)))
    }

    /// Takes a byte order mark, if the text begins with one.
    fn mark<'a>(&mut self, count: u8, bytes: &'a [u8]) -> Taken<'a> {
        const MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];
        match MARK.get(usize::from(count)) {
            Some(byte) if bytes[0] == *byte => {
                self.state = if count == 2 { State::Value } else { State::Mark(count + 1) };
                Ok((JsonToken::Between, 1))
            }
            _ if count == 0 => {
                self.state = State::Value;
                self.structure(bytes)
            }
            _ => self.fail(self.expected(), 0),
        }
    }

    /// Returns the description of the expected token.
    fn expected(&self) -> &'static str {
        match self.state {
            State::Value | State::ValueOrEnd | State::Literal(_) | State::Mark(_) => {
                "expected a value"
            }
            State::Key | State::KeyOrEnd => "expected a name in quotes",
            State::Colon => "expected `:`",
            State::Done => "expected the end of the text",
            State::Number(number) if !number.may_end() => "expected a digit",
            State::CommaOrEnd | State::Number(_) if self.open.last() == Some(&true) => {
                "expected `,` or `}`"
            }
            State::CommaOrEnd | State::Number(_) => "expected `,` or `]`",
            State::Text | State::Escape(_) => "expected the rest of a string",
            State::Failed(what) => what,
        }
    }

    #[cold]
    fn fail<'a>(&mut self, what: &'static str, at: usize) -> Taken<'a> {
        self.state = State::Failed(what);
        Err(MalformedJson { what, at })
    }
}

/// Returns the number of bytes of white space at the start of `bytes`.
#[inline]
fn blanks(bytes: &[u8]) -> usize {
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\n' | b'\t' | b'\r');
    bytes.iter().take_while(is_blank).count()
}
