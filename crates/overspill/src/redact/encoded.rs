//! Masks media fields of JSON: strings that may be base64.
//!
//! A secret in base64 is masked in the decoded bytes. The stars are encoded again, so that the
//! string keeps its length. Base64 without a secret stays unchanged.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::{Redaction, Redactor};

/// The fields that contain media, in results and messages of any API.
const FIELDS: [&[u8]; 5] = [b"data", b"blob", b"url", b"image_url", b"file_data"];
/// A string in such a field is also masked as text if it has at most this many bytes. In the base64
/// of a large picture, a rule may match by chance and would damage the picture.
pub(super) const LONGEST_TEXT: usize = 16 << 10;
/// The number of bytes of the longest start of a data URL.
const LONGEST_HEAD: usize = 256;

/// Tells whether a field of this name contains media.
pub(super) fn is_media_field(name: &[u8]) -> bool {
    FIELDS.contains(&name)
}

/// Returns the position at which the base64 of a media field begins, or `None` for other text.
pub(super) fn base64_start(text: &[u8]) -> Option<usize> {
    let start = match text.starts_with(b"data:") {
        false => 0,
        true => {
            const MARK: &[u8] = b";base64,";
            let head = &text[..text.len().min(LONGEST_HEAD)];
            memchr::memmem::find(head, MARK)? + MARK.len()
        }
    };
    text[start..].iter().all(|byte| is_base64(*byte)).then_some(start)
}

fn is_base64(byte: u8) -> bool {
    value_of(byte).is_some() || b"=\r\n".contains(&byte)
}

/// Returns the value of a base64 character, in either alphabet.
fn value_of(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

/// Returns the base64 character of a value.
fn char_of(value: u8, is_url_safe: bool) -> u8 {
    match (value, is_url_safe) {
        (0..=25, _) => b'A' + value,
        (26..=51, _) => b'a' + value - 26,
        (52..=61, _) => b'0' + value - 52,
        (62, true) => b'-',
        (62, false) => b'+',
        (_, true) => b'_',
        (_, false) => b'/',
    }
}

/// The bits of base64 that do not make a whole byte yet.
#[derive(Debug, Default)]
struct Decoder {
    bits: u32,
    count: u8,
}

impl Decoder {
    /// Decodes `base64` and appends the bytes. Line feeds are skipped, and `=` ends a text.
    fn decode(&mut self, base64: &[u8], into: &mut Vec<u8>) {
        for &byte in base64 {
            match value_of(byte) {
                Some(value) => {
                    self.bits = self.bits << 6 | u32::from(value);
                    self.count += 6;
                    if self.count >= 8 {
                        self.count -= 8;
                        into.push((self.bits >> self.count) as u8);
                    }
                }
                None if byte == b'=' => *self = Decoder::default(),
                None => {}
            }
        }
    }
}

/// Masks base64 that arrives in chunks.
#[derive(Debug)]
pub(super) struct EncodedMask {
    redactor: Redactor,
    decoder: Decoder,
    /// The base64 that was not passed on yet.
    held: Vec<u8>,
    /// The masked bytes for the beginning of `held`.
    masked: Vec<u8>,
}

impl EncodedMask {
    pub(super) fn new(redaction: Arc<Redaction>) -> EncodedMask {
        let (held, masked) = (Vec::new(), Vec::new());
        EncodedMask {
            redactor: Redactor::new(redaction),
            decoder: Decoder::default(),
            held,
            masked,
        }
    }

    /// Returns the number of secrets so far.
    pub(super) fn masked(&self) -> u64 {
        self.redactor.masked()
    }

    /// Takes the beginning of `text` that is base64, and returns its number of bytes.
    pub(super) fn push(&mut self, text: &[u8], take: impl FnMut(&[u8])) -> usize {
        let len = text.iter().position(|byte| !is_base64(*byte)).unwrap_or(text.len());
        let EncodedMask { redactor, decoder, held, masked } = self;
        let mut decoded = Vec::with_capacity(len / 4 * 3 + 3);
        decoder.decode(&text[..len], &mut decoded);
        held.extend_from_slice(&text[..len]);
        redactor.push(&decoded, |bytes| masked.extend_from_slice(bytes));
        self.hand_on(false, take);
        len
    }

    /// Passes on the rest.
    pub(super) fn finish(&mut self, mut take: impl FnMut(&[u8])) {
        let EncodedMask { redactor, masked, .. } = self;
        redactor.finish(|bytes| masked.extend_from_slice(bytes));
        self.hand_on(true, &mut take);
        take(&self.held);
        self.held.clear();
    }

    fn hand_on(&mut self, is_all: bool, mut take: impl FnMut(&[u8])) {
        let (chars, bytes) = encode(&mut self.held, &self.masked, is_all);
        take(&self.held[..chars]);
        self.held.drain(..chars);
        self.masked.drain(..bytes);
    }
}

/// Writes masked bytes into their base64 text, if they differ. Returns the number of characters and
/// bytes that are done.
fn encode(base64: &mut [u8], masked: &[u8], is_all: bool) -> (usize, usize) {
    let (mut chars, mut bytes) = (0, 0);
    while let Some((group, end)) = next_group(base64, chars, is_all) {
        let len = group.len().saturating_sub(1);
        let Some(now) = masked.get(bytes..bytes + len) else { break };
        let mut was = Vec::with_capacity(3);
        let text: Vec<u8> = group.iter().map(|at| base64[*at]).collect();
        Decoder::default().decode(&text, &mut was);
        if was != now {
            let is_url_safe = text.iter().any(|byte| b"-_".contains(byte));
            let bits = (0..3)
                .fold(0_u32, |bits, at| bits << 8 | u32::from(now.get(at).copied().unwrap_or(0)));
            for (at, place) in group.iter().enumerate() {
                base64[*place] = char_of((bits >> (18 - 6 * at)) as u8 & 63, is_url_safe);
            }
        }
        (chars, bytes) = (end, bytes + len);
    }
    (chars, bytes)
}

/// Returns the positions of the next up to four characters that decode together, and their end. The
/// last group may be shorter.
fn next_group(base64: &[u8], from: usize, is_all: bool) -> Option<(Vec<usize>, usize)> {
    let mut group = Vec::with_capacity(4);
    for (at, byte) in base64.iter().enumerate().skip(from) {
        match value_of(*byte) {
            Some(_) => group.push(at),
            None if *byte == b'=' => return Some((group, at + 1)),
            None => {}
        }
        if group.len() == 4 {
            return Some((group, at + 1));
        }
    }
    (is_all && from < base64.len()).then_some((group, base64.len()))
}

impl Redaction {
    /// Masks the text of a media field.
    pub(super) fn media<'a>(&self, text: &'a str) -> (Cow<'a, str>, u64) {
        let start = base64_start(text.as_bytes());
        let Some(start) = start else { return self.text(text) };
        if text.len() <= LONGEST_TEXT {
            let masked = self.text(text);
            if masked.1 > 0 {
                return masked;
            }
        }
        let (head, body) = text.split_at(start);
        let (head, count_of_head) = self.text(head);
        let (body, count) = self.base64(body);
        match count_of_head + count {
            0 => (Cow::Borrowed(text), 0),
            count => (Cow::Owned(format!("{head}{body}")), count),
        }
    }

    fn base64<'a>(&self, base64: &'a str) -> (Cow<'a, str>, u64) {
        let mut decoded = Vec::with_capacity(base64.len() / 4 * 3 + 3);
        Decoder::default().decode(base64.as_bytes(), &mut decoded);
        let (masked, count) = self.bytes(&decoded);
        if count == 0 {
            return (Cow::Borrowed(base64), 0);
        }
        let mut out = base64.as_bytes().to_vec();
        encode(&mut out, &masked, true);
        (Cow::Owned(String::from_utf8_lossy(&out).into_owned()), count)
    }
}

/// The state of a media string that arrives in chunks.
#[derive(Debug, Default)]
pub(super) enum MediaString {
    /// The string is not media.
    #[default]
    No,
    /// The string may be base64: too few bytes have arrived to decide.
    Undecided,
    /// The string is base64 so far.
    Encoded(Box<EncodedMask>),
}

/// The decision about the start of a media string.
pub(super) enum MediaStart {
    /// The string is text.
    Text,
    /// The string contains base64 in this range.
    Encoded(Range<usize>),
}

impl MediaStart {
    /// Decides by the first bytes of a string. With `is_all`, they are the whole string.
    pub(super) fn of(redaction: &Redaction, text: &[u8], is_all: bool) -> MediaStart {
        let is_short = is_all && text.len() <= LONGEST_TEXT;
        let first = if is_all { text } else { &text[..text.len().min(LONGEST_TEXT)] };
        match base64_start(first) {
            Some(start) if !is_short || redaction.bytes(text).1 == 0 => {
                MediaStart::Encoded(start..text.len())
            }
            _ => MediaStart::Text,
        }
    }
}
