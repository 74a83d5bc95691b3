//! The words of a line, as the score sees them.
//!
//! Words are runs of letters, split where lower case turns to upper and read as lower case; a run
//! that begins with a digit is a number whatever its value; a run of punctuation is a word, too.
//! Each gives one or more *features*: hashes that are looked up in the table of weights.

use super::{failure, stamp};

/// No more than so many bytes of a line are looked at, once its time stamp is off.
const LONGEST: usize = 160;
/// No more than so many words of a line are looked at.
const MOST: usize = 32;
/// How many characters the shape of a line takes in.
const SHAPE: usize = 14;
/// How much of a line says which family it belongs to.
const FAMILY: usize = 80;

/// What kind of a feature a hash stands for; keeps the same word in two roles apart.
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

/// The hash of every number.
const NUMBER: u32 = 0x6E75_6D62;

/// A line's words, and what is plain from them.
#[derive(Debug, Clone)]
pub(crate) struct Words {
    hashes: [u32; MOST],
    count: usize,
    /// One bit for each word that is written in capitals.
    capitals: u64,
    /// One bit for each word that is a part of a name, such as a path.
    names: u64,
    shape: u32,
    /// The line's template: the same for lines that differ in numbers only.
    pub(crate) template: u32,
    /// A wider template: the same for lines that differ in names, paths and numbers only.
    pub(crate) family: u32,
    /// Where the line begins once its time stamp is off.
    pub(crate) from: usize,
    /// How many blanks stand before the first word.
    pub(crate) indent: usize,
    /// It names a place in a file: a name with an ending, a colon, a number.
    pub(crate) place: bool,
    /// Its words are punctuation and numbers only.
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

/// The class of each byte. What is not ASCII is read as small letters.
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

/// Returns the hash of a word of small letters.
pub(crate) const fn word(text: &[u8]) -> u32 {
    let (mut hash, mut at) = (0, 0);
    while at < text.len() {
        hash = step(hash, text[at]);
        at += 1;
    }
    done(hash)
}

/// Reads a line without its break.
pub(crate) fn read(line: &[u8]) -> Words {
    let from = stamp::len(line);
    let text = &line[from..line.len().min(from + LONGEST)];
    let mut words = Words {
        hashes: [0; MOST],
        count: 0,
        capitals: 0,
        names: 0,
        shape: shape(text),
        template: 0,
        family: family(text),
        from,
        indent: 0,
        place: false,
        bare: true,
    };
    let (mut at, mut template) = (0, 0_u64);
    while at < text.len() && words.count < MOST {
        let start = at;
        let hash = match class(text[at]) {
            Class::Space => {
                at += 1;
                continue;
            }
            Class::Digit => {
                at += text[at..].iter().take_while(|&&byte| is_in_number(byte)).count();
                NUMBER
            }
            Class::Mark => {
                let mut hash = 0;
                while at < text.len() && class(text[at]) == Class::Mark {
                    hash = step(hash, text[at]);
                    at += 1;
                }
                words.place |= text[start] == b':' && at == start + 1 && names_file(text, start);
                done(hash)
            }
            Class::Lower | Class::Upper => {
                let (hash, end, capitals) = letters(text, at);
                at = end;
                words.bare = false;
                words.capitals |= u64::from(capitals) << words.count;
                words.names |= u64::from(is_in_name(text, start, end)) << words.count;
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
    words.template = (template >> 32) as u32;
    words
}

impl Words {
    /// Tells whether there is no word at all.
    pub(crate) fn is_blank(&self) -> bool {
        self.count == 0
    }

    /// Returns what is the same only for lines with the same features.
    pub(crate) fn key(&self) -> u64 {
        let indent = self.indent.min(9).div_ceil(2) as u64;
        let rest = u64::from(self.shape) << 4 ^ indent ^ self.capitals.rotate_left(40);
        let rest = rest ^ self.names.rotate_left(20);
        u64::from(self.template) << 32 ^ rest.wrapping_mul(0xA24B_AED4_963E_E407) | 1
    }

    /// Tells whether there is a word of failure.
    pub(crate) fn hit(&self) -> bool {
        let words = &self.hashes[..self.count];
        // A file or a test that is named after an error is none.
        let is_hit =
            |(at, &word): (usize, &u32)| failure::is_word(word) && self.names >> at & 1 == 0;
        words.iter().enumerate().any(is_hit)
            || words.windows(2).any(|pair| failure::is_pair(pair[0], pair[1]))
    }

    /// Names every feature.
    pub(crate) fn features(&self, mut feature: impl FnMut(u32)) {
        let words = &self.hashes[..self.count];
        let Some((&first, &last)) = words.first().zip(words.last()) else { return };
        let mut once = Once::default();
        let mut each = |hash: u32| {
            if once.is_first(hash) {
                feature(hash);
            }
        };
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

/// Tells whether a word is a part of a path, a file's name or the like.
fn is_in_name(text: &[u8], start: usize, end: usize) -> bool {
    let joins = |byte: u8| matches!(byte, b'/' | b'\\' | b'_' | b'-');
    let before = text[..start].last().is_some_and(|&byte| joins(byte) || byte == b'.');
    let after = match text[end..] {
        [b'.', next, ..] => next.is_ascii_alphanumeric(),
        [next, ..] => joins(next),
        [] => false,
    };
    before || after
}

fn is_in_number(byte: u8) -> bool {
    !matches!(class(byte), Class::Space | Class::Mark)
}

/// Lets each feature of a line count once; of those that fall together, the first.
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

/// Reads a run of letters up to where its case changes; returns its hash, its end, and whether it
/// is two or more capitals.
fn letters(text: &[u8], from: usize) -> (u32, usize, bool) {
    let (mut at, mut hash) = (from, 0);
    let mut small = false;
    while let Some(&byte) = text.get(at) {
        let letter = LETTERS[byte as usize];
        if letter == 0 {
            break;
        }
        // `ParseError` and `HTTPError` are two words each, `ERRORS` is one.
        let capital = letter != byte;
        if capital && at > from {
            let after_small = text[at - 1] > b'Z';
            if after_small || text.get(at + 1).is_some_and(u8::is_ascii_lowercase) {
                break;
            }
        }
        small |= !capital;
        hash = step(hash, letter);
        at += 1;
    }
    (done(hash), at, !small && at > from + 1)
}

/// Each letter as a small one, and 0 for what is none.
const LETTERS: [u8; 256] = {
    let mut letters = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        letters[byte] = match CLASSES[byte] {
            Class::Lower => byte as u8,
            Class::Upper => byte as u8 | 0x20,
            Class::Space | Class::Digit | Class::Mark => 0,
        };
        byte += 1;
    }
    letters
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

/// Returns a hash of the first words between blanks; those that are more than letters and the
/// punctuation around them, such as paths, names and numbers, are all the same to it.
fn family(text: &[u8]) -> u32 {
    let (mut family, mut hash, mut plain, mut inner) = (0_u64, 0, true, false);
    let mut open = false;
    let mut close = |hash: u64, plain: bool| {
        let word = if plain { hash } else { u64::from(NUMBER) };
        let next = (family.rotate_left(9) ^ word).wrapping_mul(0x9FB2_1C65_1E98_DF25);
        family = next;
    };
    for &byte in text.iter().take(FAMILY) {
        match class(byte) {
            Class::Space => {
                if open {
                    close(hash, plain);
                }
                (hash, plain, inner, open) = (0, true, false, false);
            }
            Class::Lower | Class::Upper => {
                plain &= !inner;
                hash = step(hash, byte | 0x20);
                open = true;
            }
            Class::Digit => (plain, open) = (false, true),
            Class::Mark => {
                inner = hash != 0;
                open = true;
            }
        }
    }
    if open {
        close(hash, plain);
    }
    (family >> 32) as u32
}

/// Returns a hash of the kinds of the first characters.
fn shape(text: &[u8]) -> u32 {
    let mut hash = 0;
    for &byte in text.iter().take(SHAPE) {
        hash = step(
            hash,
            match class(byte) {
                Class::Space | Class::Mark => byte,
                Class::Lower => b'a',
                Class::Upper => b'A',
                Class::Digit => b'0',
            },
        );
    }
    done(hash)
}
