//! Remembers what was found out of lines: most lines are like one that came before.

use super::line::LineKinds;
use super::weights::{Sum, Weights, WordWeights};
use super::words::{self, LineWords};
use crate::text::swar;

/// How many lines are remembered, by all that is looked at but for digits.
const LINES: usize = 1 << 11;

/// How many lines are remembered for what their words are worth.
const WORDS: usize = 1 << 12;

/// What a line's text tells.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CachedLine {
    pub(crate) kinds: LineKinds,
    pub(crate) worth: WordWeights,
    /// Where it begins once its time stamp is off.
    pub(crate) from: u8,
    pub(crate) indent: u8,
    /// Where reading stopped; what follows is unknown.
    pub(crate) read_to: u16,
    /// There is a word of failure.
    pub(crate) hit: bool,
    pub(crate) place: bool,
    pub(crate) bare: bool,
    pub(crate) blank: bool,
    pub(crate) trace: bool,
}

/// What is remembered; of those that would stand in one place, the last.
#[derive(Debug, Clone)]
pub(crate) struct LineCache {
    lines: Vec<(u64, CachedLine)>,
    words: Vec<(u64, WordWeights, bool)>,
}

impl LineCache {
    pub(crate) fn new() -> LineCache {
        LineCache { lines: vec![Default::default(); LINES], words: vec![Default::default(); WORDS] }
    }

    /// Returns what a line without its break tells.
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
            // Their lowest bits tell kinds apart well enough to count them.
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

/// Returns what is the same only for lines that differ in digits, or behind what is looked at: no
/// digit counts for its value.
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
        fn lines_that_differ_in_digits_tell_the_same(
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
