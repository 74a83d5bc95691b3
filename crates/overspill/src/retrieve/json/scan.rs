//! Reads the tokens of an output, block by block, with the line of each.

use overspill_core::internal::json::{JsonToken, JsonTokens, MalformedJson};

use serde_json::Value;

use super::filter::MAX_BYTES;
use crate::Error;
use crate::retrieve::source::{BLOCK, Source};

/// A place in the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) byte: u64,
    pub(super) line: u64,
    /// The offset at which that line begins.
    line_start: u64,
}

impl Place {
    pub(super) const START: Place = Place { byte: 0, line: 1, line_start: 0 };

    /// Returns the error for a mistake here.
    pub(super) fn bad(self, what: &'static str) -> Stop {
        let Place { byte, line, line_start } = self;
        Stop::Bad(BadJson { what, line, column: byte - line_start + 1 })
    }
}

/// The reason why scanning stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// The output could not be read.
    Store(Error),
    /// The text is not JSON.
    Bad(BadJson),
}

/// The mistake in a JSON text, and its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not JSON: {what} at line {line}, byte {column}")]
pub struct BadJson {
    /// The description of the mistake.
    pub what: &'static str,
    /// The line, counted from 1.
    pub line: u64,
    /// The byte in that line, counted from 1.
    pub column: u64,
}

/// Reads JSON texts from any place of an output.
pub(super) struct Scan<'a> {
    source: Source<'a>,
    /// The largest number of bytes that are read at once.
    block_size: u64,
    /// The current block: a copy, because its tokens are borrowed.
    block: Vec<u8>,
    /// The offset of the block in the output.
    block_at: u64,
    /// The number of bytes of the block that were read.
    next: usize,
    line: u64,
    line_start: u64,
    tokens: JsonTokens,
}

/// A place to return to in the middle of a text.
pub(super) struct Bookmark(Place, JsonTokens);

impl<'a> Scan<'a> {
    pub(super) fn new(source: Source<'a>) -> Scan<'a> {
        Scan::with_blocks(source, BLOCK as u64)
    }

    pub(super) fn with_blocks(source: Source<'a>, block_size: u64) -> Scan<'a> {
        let (block, tokens) = (Vec::new(), JsonTokens::document());
        let (block_at, next) = (0, 0);
        Scan { source, block_size, block, block_at, next, line: 1, line_start: 0, tokens }
    }

    pub(super) fn place(&self) -> Place {
        let byte = self.block_at + self.next as u64;
        Place { byte, line: self.line, line_start: self.line_start }
    }

    /// Remembers the place in the current text.
    pub(super) fn bookmark(&self) -> Bookmark {
        Bookmark(self.place(), self.tokens.clone())
    }

    pub(super) fn return_to(&mut self, Bookmark(place, tokens): Bookmark) {
        self.go_to(place);
        self.tokens = tokens;
    }

    /// Goes to the beginning of the output.
    pub(super) fn rewind(&mut self) {
        self.go_to(Place::START);
    }

    fn go_to(&mut self, place: Place) {
        let held = self.block.len() as u64;
        match place.byte.checked_sub(self.block_at).filter(|ahead| *ahead <= held) {
            Some(ahead) => self.next = ahead as usize,
            None => {
                self.block.clear();
                (self.block_at, self.next) = (place.byte, 0);
            }
        }
        (self.line, self.line_start) = (place.line, place.line_start);
    }

    /// Returns the next byte, or `None` at the end of the output.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<Option<u8>, Stop> {
        if self.next == self.block.len() {
            self.refill()?;
        }
        Ok(self.block.get(self.next).copied())
    }

    #[cold]
    fn refill(&mut self) -> Result<(), Stop> {
        self.block_at += self.next as u64;
        self.next = 0;
        self.block.clear();
        let end = self.block_at.saturating_add(self.block_size);
        let read = self.source.range(self.block_at, end).map_err(Stop::Store)?;
        self.block.extend_from_slice(read);
        Ok(())
    }

    /// Begins a text after white space. Returns its first byte, or `None` at the end of the output.
    pub(super) fn begin_text(&mut self) -> Result<Option<u8>, Stop> {
        let is_start = self.block_at + self.next as u64 == 0;
        self.tokens = if is_start { JsonTokens::document() } else { JsonTokens::default() };
        // A byte order mark may stand before the first text.
        while let Some(byte) = self.peek()? {
            let is_mark = is_start && matches!(byte, 0xEF | 0xBB | 0xBF);
            if !is_mark && !is_blank(byte) {
                return Ok(Some(byte));
            }
            self.next_token()?;
        }
        Ok(None)
    }

    /// Takes the next token of the text. Returns `None` at the end of the output.
    #[inline]
    pub(super) fn next_token(&mut self) -> Result<Option<JsonToken<'_>>, Stop> {
        if self.peek()?.is_none() {
            return Ok(None);
        }
        let bytes = &self.block[self.next..];
        match self.tokens.next(bytes) {
            Ok((token, len)) => {
                if token == JsonToken::Between
                    && let Some(last) = memchr::memrchr(b'\n', &bytes[..len])
                {
                    self.line += bytecount::count(&bytes[..=last], b'\n') as u64;
                    self.line_start = self.block_at + (self.next + last) as u64 + 1;
                }
                self.next += len;
                Ok(Some(token))
            }
            Err(MalformedJson { what, at }) => {
                self.next += at;
                let byte = self.block_at + self.next as u64;
                let (line, line_start) = (self.line, self.line_start);
                Err(Place { byte, line, line_start }.bad(what))
            }
        }
    }

    /// Reads the value that begins here, if any, and returns to this place. The value is the only
    /// element of a list, as filters need it.
    pub(super) fn value_here(&mut self) -> Result<Option<Value>, Stop> {
        if !matches!(
            self.peek()?,
            Some(b'{' | b'[' | b'"' | b'-' | b't' | b'f' | b'n' | b'0'..=b'9')
        ) {
            return Ok(None);
        }
        let (mark, start) = (self.bookmark(), self.place());
        let mut depth = 0_u64;
        loop {
            let ends = match self.next_token()? {
                None if depth == 0 => true,
                None => return Err(self.cut_off()),
                Some(JsonToken::Open(_)) => {
                    depth += 1;
                    false
                }
                Some(JsonToken::Close) => {
                    depth = depth.saturating_sub(1);
                    true
                }
                Some(JsonToken::Word { ends }) => ends,
                Some(token) => token == JsonToken::EndString,
            };
            if self.place().byte - start.byte > MAX_BYTES {
                let line = start.line;
                let what = format!(
                    "the filter meets a value of more than {} MiB at line {line}",
                    MAX_BYTES >> 20
                );
                return Err(Stop::Store(Error::Other(what.into())));
            }
            if ends && depth == 0 {
                break;
            }
        }
        let end = self.place().byte;
        let mut bytes = Vec::new();
        while start.byte + (bytes.len() as u64) < end {
            let from = start.byte + bytes.len() as u64;
            let read = self.source.range(from, end).map_err(Stop::Store)?;
            if read.is_empty() {
                break;
            }
            bytes.extend_from_slice(read);
        }
        self.return_to(mark);
        // The tokenizer accepts broken UTF-8 and halves of surrogate pairs. No filter depends on
        // these.
        let value = serde_json::from_str::<Value>(&String::from_utf8_lossy(&bytes));
        Ok(value.ok().map(|value| Value::Array(vec![value])))
    }

    /// Tells whether a value comes next.
    pub(super) fn expects_value(&self) -> bool {
        self.tokens.expects_value()
    }

    /// Tells whether the current text is complete.
    pub(super) fn is_done(&self) -> bool {
        self.tokens.is_done()
    }

    /// Returns the error for an output that ends within a text.
    pub(super) fn cut_off(&self) -> Stop {
        self.place().bad(self.tokens.missing())
    }

    /// Goes to the next line. Tells whether the output has one.
    pub(super) fn skip_line(&mut self) -> Result<bool, Stop> {
        self.tokens = JsonTokens::default();
        while self.peek()?.is_some() {
            match memchr::memchr(b'\n', &self.block[self.next..]) {
                None => self.next = self.block.len(),
                Some(feed) => {
                    self.next += feed;
                    // This call counts the line.
                    return self.begin_text().map(|next| next.is_some());
                }
            }
        }
        Ok(false)
    }
}

/// Tells whether a byte is white space.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}
