//! A JSON text, token by token, with nothing held but where it is.

use crate::Error;
use crate::retrieve::source::Source;

/// Where something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) byte: u64,
    pub(super) line: u64,
    /// Where that line begins.
    line_start: u64,
}

impl Place {
    pub(super) const START: Place = Place { byte: 0, line: 1, line_start: 0 };
}

/// Why scanning stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// The output could not be read.
    Store(Error),
    /// It is not JSON.
    Bad(BadJson),
}

/// What is wrong with a JSON text, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not JSON: {what} at line {line}, byte {column}")]
pub struct BadJson {
    /// What is wrong.
    pub what: &'static str,
    /// In which line, counted from 1.
    pub line: u64,
    /// At which byte of it, counted from 1.
    pub column: u64,
}

/// Reads a JSON text from any place on.
pub(super) struct Scan<'a> {
    source: Source<'a>,
    /// The block that is being read: a copy, as it is looked at byte by byte.
    block: Vec<u8>,
    /// Where it begins.
    block_at: u64,
    /// How far it was read.
    next: usize,
    line: u64,
    line_start: u64,
}

impl<'a> Scan<'a> {
    pub(super) fn new(source: Source<'a>) -> Scan<'a> {
        Scan { source, block: Vec::new(), block_at: 0, next: 0, line: 1, line_start: 0 }
    }

    pub(super) fn place(&self) -> Place {
        let byte = self.block_at + self.next as u64;
        Place { byte, line: self.line, line_start: self.line_start }
    }

    pub(super) fn go_to(&mut self, place: Place) {
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

    /// Returns what comes next in the block, which is empty only at the end.
    #[inline]
    fn rest(&mut self) -> Result<&[u8], Stop> {
        if self.next == self.block.len() {
            self.refill()?;
        }
        Ok(&self.block[self.next..])
    }

    #[cold]
    fn refill(&mut self) -> Result<(), Stop> {
        self.block_at += self.next as u64;
        self.next = 0;
        self.block.clear();
        let read = self.source.block(self.block_at).map_err(Stop::Store)?;
        self.block.extend_from_slice(read);
        Ok(())
    }

    #[inline]
    pub(super) fn peek(&mut self) -> Result<Option<u8>, Stop> {
        Ok(self.rest()?.first().copied())
    }

    /// Goes on by one byte, which was looked at before.
    #[inline]
    pub(super) fn advance(&mut self) {
        self.next += 1;
    }

    /// Skips white space and returns what comes then.
    #[inline]
    pub(super) fn token(&mut self) -> Result<Option<u8>, Stop> {
        loop {
            let rest = self.rest()?;
            match rest.first() {
                None => return Ok(None),
                Some(b' ' | b'\t' | b'\r') => self.next += 1,
                Some(b'\n') => {
                    self.next += 1;
                    self.line += 1;
                    self.line_start = self.block_at + self.next as u64;
                }
                Some(byte) => return Ok(Some(*byte)),
            }
        }
    }

    /// Goes past a string whose quote comes next. Gives what is in it to `key`, up to `longest`
    /// bytes of it, if somebody wants it.
    pub(super) fn string(&mut self, mut key: Option<(&mut Vec<u8>, usize)>) -> Result<(), Stop> {
        self.advance();
        loop {
            let rest = self.rest()?;
            if rest.is_empty() {
                return Err(self.bad("a string that does not end"));
            }
            let end = memchr::memchr3(b'"', b'\\', b'\n', rest);
            let plain = end.unwrap_or(rest.len());
            let found = end.map(|end| rest[end]);
            if let Some((key, longest)) = &mut key {
                let room = (*longest + 1).saturating_sub(key.len());
                key.extend_from_slice(&rest[..plain.min(room)]);
            }
            self.next += plain;
            match found {
                None => {}
                Some(b'"') => {
                    self.advance();
                    return Ok(());
                }
                Some(b'\\') => {
                    self.advance();
                    let Some(escaped) = self.peek()?.filter(|byte| *byte != b'\n') else {
                        return Err(self.bad("a string that does not end"));
                    };
                    if let Some((key, _)) = &mut key {
                        key.extend([b'\\', escaped]);
                    }
                    self.advance();
                }
                Some(_) => return Err(self.bad("a string that does not end in its line")),
            }
        }
    }

    /// Goes past a number or a word, of which `first` is the first byte.
    pub(super) fn word(&mut self, first: u8) -> Result<(), Stop> {
        let word: &[u8] = match first {
            b't' => b"true",
            b'f' => b"false",
            b'n' => b"null",
            b'-' | b'0'..=b'9' => return self.number(),
            _ => return Err(self.bad("expected a value")),
        };
        for byte in word {
            if self.peek()? != Some(*byte) {
                return Err(self.bad("expected a value"));
            }
            self.advance();
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Stop> {
        if self.peek()? == Some(b'-') {
            self.advance();
        }
        self.digits()?;
        if self.peek()? == Some(b'.') {
            self.advance();
            self.digits()?;
        }
        if matches!(self.peek()?, Some(b'e' | b'E')) {
            self.advance();
            if matches!(self.peek()?, Some(b'+' | b'-')) {
                self.advance();
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Stop> {
        let mut any = false;
        while matches!(self.peek()?, Some(b'0'..=b'9')) {
            self.advance();
            any = true;
        }
        if any { Ok(()) } else { Err(self.bad("expected a digit")) }
    }

    /// Goes to the next line; tells whether there is one.
    pub(super) fn skip_line(&mut self) -> Result<bool, Stop> {
        loop {
            let rest = self.rest()?;
            if rest.is_empty() {
                return Ok(false);
            }
            match memchr::memchr(b'\n', rest) {
                None => self.next += rest.len(),
                Some(feed) => {
                    self.next += feed;
                    // Counts it.
                    return self.token().map(|next| next.is_some());
                }
            }
        }
    }

    pub(super) fn bad(&self, what: &'static str) -> Stop {
        let Place { byte, line, line_start } = self.place();
        Stop::Bad(BadJson { what, line, column: byte - line_start + 1 })
    }
}
