//! Reads the words of a line and computes features from them.
//!
//! A word is a run of letters, read as lower case. A change from lower to upper case begins a new
//! word. A run that begins with a digit is a number, and all numbers are the same word. A run of
//! punctuation is a word, too. Each word gives one or more *features*: hashes that are looked up in
//! the table of weights.

use super::{failure, stamp};
use crate::text::swar;

/// The largest number of bytes of a line that are read after its time stamp.
const MOST_BYTES: usize = 160;
/// The largest number of words of a line that are read.
const MOST_WORDS: usize = 32;
/// The number of bytes of a line after which no byte is read.
pub(super) const LOOKED_AT: usize = stamp::LONGEST + MOST_BYTES + SKIPPED;
/// The number of bytes that are read in addition if the middle of a long path is skipped.
const SKIPPED: usize = 128;
/// The number of words of a path that are read, in addition to its last part.
const PATH: usize = 14;
/// The number of bytes of a line that determine its shape.
const SHAPE: usize = 14;
/// The number of bytes of a line that determine its family.
const FAMILY: usize = 80;

/// The roles of a word. Each role gives another hash, so that the roles have different weights.
mod role {
    pub(super) const WORD: u32 = 0x9E37_79B1;
    pub(super) const PART_OF_NAME: u32 = 0x7FEB_352D;
    pub(super) const PAIR: u32 = 0x85EB_CA77;
    pub(super) const FIRST: u32 = 0xC2B2_AE3D;
    pub(super) const FIRST_TWO: u32 = 0x27D4_EB2F;
    pub(super) const FIRST_THREE: u32 = 0x1656_67B1;
    pub(super) const LAST: u32 = 0x2545_F491;
    pub(super) const SHAPE: u32 = 0xD1B5_4A33;
    pub(super) const CAPITALS: u32 = 0x94D0_49BB;
}

/// The number of words at the start of a line that may begin a trace. A test runner may print a
/// mark before the trace.
const FIRST: usize = 3;

/// The hash of the word with which Python begins a trace.
const TRACEBACK: u32 = word(b"traceback");

/// The hash of every number.
const NUMBER: u32 = 0x6E75_6D62;

/// The words of a line, and the facts that follow from them.
#[derive(Debug, Clone)]
pub(crate) struct LineWords {
    hashes: [u32; MOST_WORDS],
    count: usize,
    /// One bit for each word in capitals.
    capitals: u64,
    /// One bit for each word that is a part of a name, such as a path.
    names: u64,
    shape: u32,
    /// The hash of the template of the line. It is equal for lines that differ only in numbers.
    pub(crate) template: u32,
    /// A wider hash. It is equal for lines that differ only in names, paths and numbers.
    pub(crate) family: u32,
    /// The number of bytes of the time stamp and the columns at the start of the line.
    pub(crate) from: usize,
    /// The number of blanks before the first word.
    pub(crate) indent: usize,
    /// The offset at which reading stopped. The words after it are unknown.
    pub(crate) read_to: usize,
    /// The line names a place in a file: a name with an ending, a colon, a number.
    pub(crate) place: bool,
    /// The words of the line are only punctuation and numbers.
    pub(crate) bare: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Lower,
    Upper,
    Digit,
    Mark,
}

/// The class of each byte. Bytes that are not ASCII count as lower-case letters.
const CLASSES: [Class; 256] = {
    let mut classes = [Class::Mark; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' | b'\t' => Class::Space,
            b'a'..=b'z' | 0x80.. => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            _ => Class::Mark,
        };
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

/// Adds a byte to the hash of a word.
const fn step(hash: u64, byte: u8) -> u64 {
    hash.rotate_left(5) ^ byte as u64
}

const fn done(hash: u64) -> u32 {
    let mixed = hash.wrapping_mul(0x9FB2_1C65_1E98_DF25);
    (mixed >> 32) as u32 ^ mixed as u32
}

const fn mix(one: u32, two: u32, role: u32) -> u32 {
    let mixed = (one as u64 ^ ((two as u64) << 32)).wrapping_add(role as u64);
    let mixed = mixed.wrapping_mul(0xA24B_AED4_963E_E407);
    (mixed >> 32) as u32 ^ mixed as u32
}

/// Returns the hash of a word of lower-case letters.
pub(crate) const fn word(text: &[u8]) -> u32 {
    let (mut hash, mut at) = (0, 0);
    while at < text.len() {
        hash = step(hash, text[at]);
        at += 1;
    }
    done(hash)
}

/// Returns the hash of a word in any case.
pub(super) fn small_word(text: &[u8]) -> u32 {
    done(text.iter().fold(0, |hash, byte| step(hash, SMALL[*byte as usize])))
}

/// Reads a line, which comes without its line break.
pub(crate) fn read(line: &[u8]) -> LineWords {
    let from = stamp::len(line);
    let text = &line[from..line.len().min(from + MOST_BYTES + SKIPPED)];
    let mut words = LineWords {
        hashes: [0; MOST_WORDS],
        count: 0,
        capitals: 0,
        names: 0,
        shape: shape(text),
        template: 0,
        family: 0,
        from,
        indent: 0,
        read_to: 0,
        place: false,
        bare: true,
    };
    let (mut at, mut template, mut family) = (0, 0_u64, Family::default());
    let (mut end, mut path) = (MOST_BYTES, 0);
    while let Some(&byte) = text.get(at)
        && words.count < MOST_WORDS
        && at < end
    {
        let start = at;
        let hash = match class(byte) {
            Class::Space => {
                family.space();
                at += 1;
                path = words.count;
                continue;
            }
            Class::Mark if byte == b'/' && words.count > path + PATH => {
                let skipped = rest_of_path(&text[at..]);
                (at, end) = (at + skipped.max(1), end + skipped);
                path = words.count;
                continue;
            }
            Class::Digit => {
                at = end_of(text, at, |class| !matches!(class, Class::Space | Class::Mark));
                family.other(start);
                NUMBER
            }
            Class::Mark if let Some(colour) = written_colour(&text[at..]) => {
                family.space();
                at += colour;
                end += colour;
                continue;
            }
            Class::Mark => {
                let hash;
                (hash, at) = hashed(text, at, |class| class == Class::Mark);
                words.place |= byte == b':' && at == start + 1 && names_file(text, start);
                family.mark(start);
                done(hash)
            }
            Class::Lower | Class::Upper => {
                let (hash, end, capitals) = letters(text, at);
                at = end;
                words.bare = false;
                words.capitals |= u64::from(capitals) << words.count;
                words.names |= u64::from(is_in_name(text, start, end)) << words.count;
                let hash = done(hash);
                family.letters(start, hash);
                hash
            }
        };
        if words.count == 0 {
            words.indent = start;
        }
        template = (template.rotate_left(9) ^ u64::from(hash)).wrapping_mul(0x9FB2_1C65_1E98_DF25);
        words.hashes[words.count] = hash;
        words.count += 1;
    }
    words.read_to = from + at;
    words.template = (template >> 32) as u32;
    words.family = family.finish();
    words
}

/// Returns the length of a colour code that is written as text: `^[[91m`, `\\033[1;31m`, `[0m`.
#[inline]
pub(super) fn written_colour(text: &[u8]) -> Option<usize> {
    let escape = match text {
        [b'[', b'0'..=b'9', ..] => 1,
        [b'^', b'[', b'[', ..] => 3,
        [b'\\', b'0' | b'e' | b'x' | b'u', ..] => {
            let escapes: [&[u8]; 4] = [b"\\033[", b"\\e[", b"\\x1b[", b"\\u001b["];
            escapes.iter().find(|escape| text.starts_with(escape))?.len()
        }
        _ => return None,
    };
    let codes = text[escape..].iter().take(LONGEST_COLOUR);
    let end = escape + codes.take_while(|byte| matches!(byte, b'0'..=b'9' | b';')).count();
    (text.get(end) == Some(&b'm')).then_some(end + 1)
}

/// The largest number of bytes of the codes of a colour.
const LONGEST_COLOUR: usize = 16;

/// Returns the offset of the last slash of a path. `text` begins at a slash of the path.
fn rest_of_path(text: &[u8]) -> usize {
    let end = text.iter().position(|byte| matches!(byte, b' ' | b'\t' | b':' | b',' | b'(' | b')'));
    memchr::memrchr(b'/', &text[..end.unwrap_or(text.len())]).unwrap_or(0)
}

/// Returns the end of a run of bytes whose classes `within` accepts.
#[inline]
fn end_of(text: &[u8], from: usize, within: impl Fn(Class) -> bool) -> usize {
    let mut at = from;
    while let Some(&byte) = text.get(at)
        && within(class(byte))
    {
        at += 1;
    }
    at
}

/// Returns the hash and the end of a run of bytes whose classes `within` accepts. Capitals count as
/// lower-case letters.
#[inline]
fn hashed(text: &[u8], from: usize, within: impl Fn(Class) -> bool) -> (u64, usize) {
    let (mut at, mut hash) = (from, 0);
    while let Some(&byte) = text.get(at)
        && within(class(byte))
    {
        hash = step(hash, SMALL[byte as usize]);
        at += 1;
    }
    (hash, at)
}

/// Works like [`hashed`] for lower-case letters, which are most of a line. Eight bytes are read at
/// a time, because a processor cannot predict the end of a word.
#[inline]
fn small_letters(text: &[u8], from: usize) -> (u64, usize) {
    let (mut at, mut hash) = (from, 0_u64);
    while let Some(next) = text[at..].first_chunk() {
        let bytes = u64::from_be_bytes(*next);
        let others = swar::others(swar::within(bytes, b'a', b'z') | swar::wide(bytes));
        let len = others.leading_zeros() / 8;
        hash = hash.rotate_left(5 * len) ^ steps(bytes.unbounded_shr(8 * (8 - len)));
        at += len as usize;
        if others != 0 {
            return (hash, at);
        }
    }
    let (rest, end) = hashed(text, at, |class| class == Class::Lower);
    (hash.rotate_left(5 * (end - at) as u32) ^ rest, end)
}

/// Returns the hash after eight calls of [`step`] that begin with 0 and the highest byte.
///
/// The function combines pairs of bytes, then pairs of pairs, then both halves.
const fn steps(bytes: u64) -> u64 {
    let by_two = bytes & 0x00FF_00FF_00FF_00FF ^ bytes >> 3 & 0x1FE0_1FE0_1FE0_1FE0;
    let by_four = by_two & 0x0000_FFFF_0000_FFFF ^ by_two >> 6 & 0x03FF_FC00_03FF_FC00;
    by_four & 0xFFFF_FFFF ^ by_four >> 32 << 20
}

impl LineWords {
    /// Tells whether the line has no word.
    pub(crate) fn is_blank(&self) -> bool {
        self.count == 0
    }

    /// Returns a hash that is equal only for lines with the same features.
    pub(crate) fn key(&self) -> u64 {
        let indent = self.indent.min(9).div_ceil(2) as u64;
        let rest = u64::from(self.shape) << 4 ^ indent ^ self.capitals.rotate_left(40);
        let rest = rest ^ self.names.rotate_left(20);
        u64::from(self.template) << 32 ^ rest.wrapping_mul(0xA24B_AED4_963E_E407) | 1
    }

    /// Tells whether the line contains a failure word.
    pub(crate) fn hit(&self) -> bool {
        let words = &self.hashes[..self.count];
        // A failure word in the name of a file or a test does not count.
        let is_hit =
            |(at, &word): (usize, &u32)| failure::is_word(word) && self.names >> at & 1 == 0;
        words.iter().enumerate().any(is_hit)
            || words.windows(2).any(|pair| failure::is_pair(pair[0], pair[1]))
    }

    /// Tells whether the line begins a trace whose last line says what failed.
    pub(crate) fn begins_trace(&self) -> bool {
        self.hashes[..self.count.min(FIRST)].contains(&TRACEBACK)
    }

    /// Calls `feature` with the hash of every feature, and with whether the feature counts. Only
    /// the first of equal features counts.
    #[inline]
    pub(crate) fn features(&self, mut feature: impl FnMut(u32, bool)) {
        let words = &self.hashes[..self.count];
        let Some((&first, &last)) = words.first().zip(words.last()) else { return };
        let mut once = Once::default();
        let mut each = |hash: u32| feature(hash, once.is_first(hash));
        for (at, &word) in words.iter().enumerate() {
            let named = self.names >> at & 1 == 1;
            each(mix(word, 0, if named { role::PART_OF_NAME } else { role::WORD }));
            if at > 0 {
                each(mix(word, words[at - 1], role::PAIR));
            }
            if self.capitals >> at & 1 == 1 {
                each(mix(word, 0, role::CAPITALS));
            }
        }
        let first = mix(first, self.indent.min(9).div_ceil(2) as u32, role::FIRST);
        each(first);
        if let [_, second, rest @ ..] = words {
            each(mix(first, *second, role::FIRST_TWO));
            if let [third, ..] = rest {
                each(mix(first, mix(*second, *third, 0), role::FIRST_THREE));
            }
        }
        each(mix(last, 0, role::LAST));
        each(mix(self.shape, 0, role::SHAPE));
    }
}

/// Tells whether a word is a part of a path, a file name or a similar name.
fn is_in_name(text: &[u8], start: usize, end: usize) -> bool {
    let before = text[..start].last().is_some_and(|&byte| JOINS[byte as usize] | (byte == b'.'));
    let after = match text[end..] {
        [b'.', next, ..] => next.is_ascii_alphanumeric(),
        [next, ..] => JOINS[next as usize],
        [] => false,
    };
    before | after
}

/// For each byte, whether it joins words to a name.
const JOINS: [bool; 256] = {
    let mut joins = [false; 256];
    joins[b'/' as usize] = true;
    joins[b'\\' as usize] = true;
    joins[b'_' as usize] = true;
    joins[b'-' as usize] = true;
    joins
};

/// A set of hashes in which each feature of a line counts once. Features with the same bits count
/// as one.
#[derive(Default)]
struct Once([u64; 16]);

impl Once {
    fn is_first(&mut self, hash: u32) -> bool {
        let (word, bit) = ((hash >> 6) as usize & 15, 1 << (hash & 63));
        let is_first = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_first
    }
}

/// Reads a run of letters up to a change of case. Returns its hash, its end, and whether it has two
/// or more capitals. `ParseError` and `HTTPError` are two words each, `ERRORS` is one word.
#[inline]
fn letters(text: &[u8], from: usize) -> (u64, usize, bool) {
    let (hash, end) = hashed(text, from, |class| class == Class::Upper);
    let capitals = end - from;
    match text.get(end) {
        Some(byte) if capitals > 1 && byte.is_ascii_lowercase() => {
            let last = u64::from(SMALL[text[end - 1] as usize]);
            ((hash ^ last).rotate_right(5), end - 1, capitals > 2)
        }
        Some(&byte) if class(byte) == Class::Lower => {
            let (rest, after) = small_letters(text, end);
            (hash.rotate_left(5 * (after - end) as u32) ^ rest, after, false)
        }
        _ => (hash, end, capitals > 1),
    }
}

/// Each byte, with capitals as lower-case letters.
const SMALL: [u8; 256] = {
    let mut small = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        small[byte] = (byte as u8).to_ascii_lowercase();
        byte += 1;
    }
    small
};

/// Tells whether a colon follows the name of a file and a number follows the colon.
fn names_file(text: &[u8], colon: usize) -> bool {
    let number = text.get(colon + 1).is_some_and(u8::is_ascii_digit);
    let name = &text[colon.saturating_sub(8)..colon];
    let dot = memchr::memrchr(b'.', name);
    number
        && dot.is_some_and(|dot| {
            let ending = &name[dot + 1..];
            ending.first().is_some_and(u8::is_ascii_alphabetic)
                && ending.iter().all(u8::is_ascii_alphanumeric)
        })
}

/// A hash of the first words between blanks. Words with more than letters and the punctuation
/// around them, such as paths, names and numbers, all count as the same word.
#[derive(Default)]
struct Family {
    hash: u64,
    /// The hash of the letters of the current word.
    word: u64,
    /// Punctuation came after the letters of the current word.
    ended: bool,
    /// The current word is more than letters and the punctuation around them.
    mixed: bool,
    /// The current word has begun.
    open: bool,
}

impl Family {
    fn letters(&mut self, start: usize, hash: u32) {
        if start < FAMILY {
            self.mixed |= self.ended;
            self.word = self.word.rotate_left(9) ^ u64::from(hash);
            self.open = true;
        }
    }

    fn mark(&mut self, start: usize) {
        if start < FAMILY {
            self.ended = self.word != 0;
            self.open = true;
        }
    }

    fn other(&mut self, start: usize) {
        if start < FAMILY {
            (self.mixed, self.open) = (true, true);
        }
    }

    fn space(&mut self) {
        if self.open {
            let word = if self.mixed { u64::from(NUMBER) } else { self.word };
            let hash = (self.hash.rotate_left(9) ^ word).wrapping_mul(0x9FB2_1C65_1E98_DF25);
            *self = Family { hash, ..Family::default() };
        }
    }

    fn finish(mut self) -> u32 {
        self.space();
        (self.hash >> 32) as u32
    }
}

/// Returns a hash of the kinds of the first bytes of a line.
fn shape(text: &[u8]) -> u32 {
    let first = &text[..text.len().min(SHAPE)];
    done(first.iter().fold(0, |hash, byte| step(hash, KINDS[*byte as usize])))
}

/// The kind of each byte. Each blank and each punctuation character is a kind of its own.
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match CLASSES[byte] {
            Class::Space | Class::Mark => byte as u8,
            Class::Lower => b'a',
            Class::Upper => b'A',
            Class::Digit => b'0',
        };
        byte += 1;
    }
    kinds
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn hash_of_eight_letters_at_a_time_equals_the_simple_hash(text in "[a-zéß]{0,40}[ A-Z.0-9]?[ -é]{0,20}") {
            let simply = hashed(text.as_bytes(), 0, |class| class == Class::Lower);
            prop_assert_eq!(small_letters(text.as_bytes(), 0), simply);
        }
    }
}
