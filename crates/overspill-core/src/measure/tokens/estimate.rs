//! Estimates tokens: splits text into the pieces of a tokenizer's first step (words, groups of
//! digits, runs of punctuation, blanks). Each kind of piece has a price.
//!
//! The prices were fitted by least squares to the o200k counts of build logs, source code, base64,
//! hex and prose in a dozen scripts. `tests/it/tokens.rs` checks that the error stays within 15 %.
//! A count of characters would be worse: a CJK character costs most of a token, and dense text such
//! as base64 has no words.

use super::Tokens;
use crate::text::utf8::{Unfinished, Utf8Step};

/// A running estimate. The chunking of the text does not change it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Estimate {
    bytes: u64,
    /// The price of the finished pieces, in parts of a token.
    cost: u64,
    piece: Piece,
    blanks: Blanks,
    /// The length of the run of letters, digits and joining punctuation that ends here.
    run: u32,
    /// The number of pieces in that run.
    pieces: u32,
    unfinished: Unfinished,
}

/// The number of parts that a token has: fine enough for the prices, and sums stay exact.
const TOKEN: u64 = 20;

/// The piece that may still grow.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Piece {
    #[default]
    None,
    Word {
        len: u64,
        capitals: u64,
        dense: bool,
    },
    Digits(u32),
    Punctuation {
        len: u64,
        repeated: u64,
        quotes: u64,
        last: u8,
    },
    LineBreak,
    /// Any other character.
    Other(char),
}

/// Blanks that are not paid yet: the price depends on the next piece.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Blanks {
    #[default]
    None,
    One,
    Several,
}

impl Piece {
    /// Returns the price. It never falls as the piece grows, so the estimate never falls either.
    fn cost(self) -> u64 {
        match self {
            Piece::None => 0,
            Piece::Word { len, dense: true, .. } => 20 + len.saturating_sub(2) * 16,
            Piece::Word { len, capitals: 0, .. } => match len {
                0..=4 => 14,
                5..=8 => 21,
                9..=12 => 24,
                _ => 24 + (len - 12) * 11,
            },
            Piece::Word { len: 1, .. } => 14,
            Piece::Word { len, capitals, .. } => {
                let mixed = 18 + len.saturating_sub(8) * 11;
                if capitals >= 4 { mixed.max(capitals * 11 / 2) } else { mixed }
            }
            Piece::Digits(_) => 23,
            Piece::Punctuation { len: 1, .. } => 13,
            Piece::Punctuation { len, repeated, .. } => ((len - repeated) * 15 + repeated).max(24),
            // After punctuation a line break is mostly part of the same token.
            Piece::LineBreak => 6,
            Piece::Other(char) => match char {
                '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => 12,
                '\u{3040}'..='\u{30ff}' => 13,
                '\u{ac00}'..='\u{d7a3}' => 14,
                '\u{80}'..='\u{24f}' | '\u{400}'..='\u{52f}' if char.is_alphabetic() => 5,
                _ if char.is_alphabetic() => 7,
                '\u{1f000}'.. | '\u{2800}'..='\u{28ff}' => 50,
                _ => 28,
            },
        }
    }
}

impl Estimate {
    /// Estimates the tokens of `text`.
    pub(crate) fn of(text: &[u8]) -> u64 {
        let mut estimate = Estimate::default();
        estimate.push(text);
        estimate.tokens()
    }

    /// Adds the next chunk.
    pub(crate) fn push(&mut self, mut text: &[u8]) {
        self.bytes += text.len() as u64;
        while let Some(&byte) = text.first() {
            if byte < 0x80 && self.unfinished.is_empty() {
                self.ascii(byte);
                text = &text[1..];
                continue;
            }
            match self.unfinished.step(byte) {
                Utf8Step::Open => text = &text[1..],
                Utf8Step::Whole => {
                    let whole = String::from_utf8_lossy(self.unfinished.bytes()).chars().next();
                    self.wide(whole.unwrap_or('\u{FFFD}'));
                    self.unfinished.clear();
                    text = &text[1..];
                }
                Utf8Step::Broken => {
                    // A byte that cannot begin a character is broken on its own.
                    text = &text[usize::from(self.unfinished.is_empty())..];
                    self.wide('\u{FFFD}');
                    self.unfinished.clear();
                }
            }
        }
    }

    /// Returns the estimate so far.
    pub(crate) fn tokens(&self) -> u64 {
        let tokens = (self.cost + self.piece.cost() + TOKEN / 2) / TOKEN;
        tokens.max(self.bytes.div_ceil(Tokens::LONGEST)).min(self.bytes)
    }

    fn ascii(&mut self, byte: u8) {
        match byte {
            b'a'..=b'z' => self.letter(false),
            b'A'..=b'Z' => self.letter(true),
            b'0'..=b'9' => self.digit(),
            b' ' | b'\t' => {
                self.begin(Piece::None);
                self.run = 0;
                self.pieces = 0;
                self.blanks = match self.blanks {
                    Blanks::None => Blanks::One,
                    Blanks::One | Blanks::Several => Blanks::Several,
                };
            }
            b'\n' | b'\r' => self.line_break(),
            _ => self.punctuation(byte),
        }
    }

    fn letter(&mut self, capital: bool) {
        self.run += 1;
        if let Piece::Word { len, capitals, .. } = &mut self.piece
            && (!capital || *len == *capitals)
        {
            *len += 1;
            *capitals += u64::from(capital);
            return;
        }
        let dense = self.run > 16 && self.pieces * 5 >= self.run - 1;
        self.pieces += 1;
        self.pay_blanks(0);
        self.begin(Piece::Word { len: 1, capitals: u64::from(capital), dense });
    }

    fn digit(&mut self) {
        self.run += 1;
        match &mut self.piece {
            Piece::Digits(len) if *len < 3 => *len += 1,
            _ => {
                self.pieces += 1;
                // A blank before a number is a token of its own.
                self.pay_blanks(24);
                self.begin(Piece::Digits(1));
            }
        }
    }

    fn punctuation(&mut self, byte: u8) {
        let quote = byte == b'"';
        if let Piece::Punctuation { len, repeated, quotes, last } = &mut self.piece {
            let again = *last == byte;
            *repeated += u64::from(again);
            *quotes += u64::from(quote && !again);
            *len += 1;
            *last = byte;
            self.run = 0;
            self.pieces = 0;
            return;
        }
        if matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_') {
            self.run += 1;
        } else {
            self.run = 0;
            self.pieces = 0;
        }
        self.pay_blanks(0);
        let quotes = u64::from(quote);
        self.begin(Piece::Punctuation { len: 1, repeated: 0, quotes, last: byte });
    }

    fn line_break(&mut self) {
        self.run = 0;
        self.pieces = 0;
        self.blanks = Blanks::None;
        if self.piece != Piece::LineBreak {
            if !matches!(self.piece, Piece::Punctuation { .. }) {
                self.cost += 26;
            }
            self.begin(Piece::LineBreak);
        }
    }

    fn wide(&mut self, char: char) {
        self.run = if char.is_alphabetic() { self.run + 1 } else { 0 };
        if self.run == 0 {
            self.pieces = 0;
        }
        self.pay_blanks(0);
        // Lines drawn with one repeated character are few tokens, but the vocabulary has such
        // tokens only for some characters.
        match char {
            '─' | '━' | '═' | '—' | '…' if self.piece == Piece::Other(char) => {
                self.cost += 3
            }
            '█' | '·' | '•' if self.piece == Piece::Other(char) => self.cost += 8,
            _ => self.begin(Piece::Other(char)),
        }
    }

    /// Finishes the current piece and begins the next one.
    fn begin(&mut self, next: Piece) {
        let alone = matches!(self.piece, Piece::Punctuation { len: 1, .. });
        if alone && !matches!(next, Piece::Word { .. }) {
            // A single punctuation mark is cheaper if the next word includes it.
            self.cost += 9;
        }
        self.cost += self.piece.cost();
        self.piece = next;
    }

    fn pay_blanks(&mut self, single: u64) {
        self.cost += match self.blanks {
            Blanks::None => 0,
            Blanks::One => single,
            Blanks::Several => single + 9,
        };
        self.blanks = Blanks::None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimate_of_words_is_close_and_of_empty_text_is_zero() {
        assert_eq!(Estimate::of(b""), 0);
        let pangram = Estimate::of(b"the quick brown fox jumps over the lazy dog");
        assert!((7..=10).contains(&pangram), "{pangram}");
        assert_eq!(Estimate::of(b"x"), 1);
    }

    proptest::proptest! {
        #[test]
        fn estimate_grows_with_the_text_in_any_chunks(
            text in proptest::collection::vec(proptest::num::u8::ANY, 0..200),
            words in "[ -~é日\n]{0,200}",
        ) {
            for text in [text.as_slice(), words.as_bytes()] {
                let mut bytewise = Estimate::default();
                let mut last = 0;
                for (at, byte) in text.iter().enumerate() {
                    bytewise.push(&[*byte]);
                    assert!(bytewise.tokens() >= last, "fell at {at} of {text:?}");
                    last = bytewise.tokens();
                }
                assert_eq!(last, Estimate::of(text));
                assert!(last <= text.len() as u64);
            }
        }
    }
}
