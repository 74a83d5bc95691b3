//! A cache of line features. Most lines are like an earlier line, so their words need not be read
//! again.

use super::line::LineKinds;
use super::weights::{Sum, Weights, WordWeights};
use super::words::{self, LineWords};
use crate::text::swar;

/// The number of entries for lines that are equal except for digits.
const LINES: usize = 1 << 11;

/// The number of entries for lines that have the same words.
const WORDS: usize = 1 << 12;

/// The features of a line that its text determines.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CachedLine {
    pub(crate) kinds: LineKinds,
    pub(crate) worth: WordWeights,
    /// The number of bytes of the time stamp and the columns at the start of the line.
    pub(crate) from: u8,
    pub(crate) indent: u8,
    /// The offset at which reading stopped. The words after it are unknown.
    pub(crate) read_to: u16,
    /// The line contains a failure word.
    pub(crate) hit: bool,
    pub(crate) place: bool,
    pub(crate) bare: bool,
    pub(crate) blank: bool,
    pub(crate) trace: bool,
}

/// The cache. A new entry replaces the entry with the same index.
#[derive(Debug, Clone)]
pub(crate) struct LineCache {
    lines: Vec<(u64, CachedLine)>,
    words: Vec<(u64, WordWeights, bool)>,
}

impl LineCache {
    pub(crate) fn new() -> LineCache {
        LineCache { lines: vec![Default::default(); LINES], words: vec![Default::default(); WORDS] }
    }

    /// Returns the features of a line, which comes without its line break.
    pub(crate) fn find(&mut self, text: &[u8], weights: &Weights) -> CachedLine {
        let key = key(text);
        let place = (key >> 40) as usize % LINES;
        if self.lines[place].0 != key {
            self.lines[place] = (key, self.look(&words::read(text), weights));
        }
        self.lines[place].1
    }

    fn look(&mut self, words: &LineWords, weights: &Weights) -> CachedLine {
        let key = words.key();
        let known = &mut self.words[(key >> 20) as usize % WORDS];
        if known.0 != key {
            let mut sum = Sum::default();
            words.features(|feature, counts| weights.add(feature, counts, &mut sum));
            *known = (key, sum.worth(), words.hit());
        }
        let (_, worth, hit) = *known;
        CachedLine {
            // The lowest bits are enough to tell kinds apart for counting.
            kinds: LineKinds { template: words.template as u16, family: words.family as u16 },
            worth,
            from: words.from as u8,
            indent: words.indent as u8,
            read_to: words.read_to as u16,
            hit,
            place: words.place,
            bare: words.bare,
            blank: words.is_blank(),
            trace: words.begins_trace(),
        }
    }
}

/// Returns a hash that is equal for lines that differ only in the values of digits, or after the
/// first [`words::LOOKED_AT`] bytes.
fn key(text: &[u8]) -> u64 {
    let text = &text[..text.len().min(words::LOOKED_AT)];
    let (eights, rest) = text.as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let mut hash = text.len() as u64;
    for eight in eights.iter().chain([&last]) {
        let bytes = without_digits(u64::from_le_bytes(*eight));
        hash = (hash.rotate_left(23) ^ bytes).wrapping_mul(0x9FB2_1C65_1E98_DF25);
    }
    hash ^ hash >> 29 | 1
}

/// Makes each digit of eight bytes a zero.
fn without_digits(bytes: u64) -> u64 {
    bytes & !((swar::within(bytes, b'0', b'9') >> 7) * 0x0F)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn only_digits_become_zeros(bytes: [u8; 8]) {
            let simply = bytes.map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
            prop_assert_eq!(without_digits(u64::from_le_bytes(bytes)).to_le_bytes(), simply);
        }

        #[test]
        fn lines_that_differ_in_digits_have_the_same_words(
            one in "\\[?[0-9]{2,4}[-:][0-9]{2}:[0-9]{2}\\]? [a-zA-Z0-9é ./:_()-]{0,240}",
            shift in 1..10u8,
        ) {
            let turned = |byte: u8| b'0' + (byte - b'0' + shift) % 10;
            let other: Vec<u8> = one.bytes().map(|byte| if byte.is_ascii_digit() { turned(byte) } else { byte }).collect();
            let read = |line: &[u8]| format!("{:?}", words::read(line));
            prop_assert_eq!(key(one.as_bytes()), key(&other));
            prop_assert_eq!(read(one.as_bytes()), read(&other));
        }
    }
}
