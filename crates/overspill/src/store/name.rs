//! The ids of saved outputs: how a store makes them, and which file names belong to its outputs.

use std::fmt;

use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Serialize};

use crate::{Call, Error};

/// The id of a saved output: the name of its file without the ending.
///
/// An id is one plain part of a path, so it never leads out of its directory. The ids that
/// overspill makes consist of letters, digits, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OutputId(String);

/// The number of characters of a short id.
pub(super) const SHORT_ID: usize = 6;

impl From<OutputId> for String {
    fn from(name: OutputId) -> String {
        name.0
    }
}

impl AsRef<str> for OutputId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for OutputId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<OutputId, &'static str> {
        OutputId::parse(&text).ok_or("a name is one plain part of a path")
    }
}

impl OutputId {
    /// Returns the id for a text from outside, if the text is a valid id.
    pub fn parse(text: &str) -> Option<OutputId> {
        // On Windows a colon leads to another drive, or to a stream of another file.
        let apart = |byte: u8| b"/\\:".contains(&byte) || byte.is_ascii_control();
        let fits = !text.is_empty()
            && text.len() <= 255
            && !text.starts_with('.')
            && !text.bytes().any(apart);
        fits.then(|| OutputId(text.to_owned()))
    }

    /// Returns the ids that `text` can mean, the likeliest first: `text` itself, or the last part
    /// of a path or an address, with and without the ending of a file.
    pub(crate) fn candidates(text: &str) -> Vec<OutputId> {
        let file = text.rsplit(['/', '\\']).next().unwrap_or(text);
        // Outputs in memory have the path `memory:FILE`.
        let plain = file.rsplit(':').next().unwrap_or(file);
        let mut ids = Vec::new();
        for part in [text, file, plain] {
            let stem = part.rsplit_once('.').map(|(stem, _)| stem);
            for id in [Some(part), stem].into_iter().flatten().filter_map(OutputId::parse) {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
        }
        ids
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the time in an id that overspill made: the time of its making, by the clock of the
    /// machine that made it.
    ///
    /// The time tells where to look for an output, not how old the output is.
    pub fn time(&self) -> Option<Timestamp> {
        let ulid = ulid::Ulid::from_string(&self.0).ok()?;
        Timestamp::from_millisecond(i64::try_from(ulid.timestamp_ms()).ok()?).ok()
    }

    /// Returns the short id: the last characters of the id, which are random. An id that is
    /// shorter than a short id is returned unchanged.
    pub fn short_id(&self) -> String {
        if self.0.len() < SHORT_ID {
            return self.0.clone();
        }
        // Your own store may use characters that are not ASCII.
        let skipped = self.0.chars().count().saturating_sub(SHORT_ID);
        self.0.chars().skip(skipped).collect::<String>().to_ascii_lowercase()
    }

    /// Tells whether `end` is the end of this id, ignoring case, and is at least as long as a
    /// short id.
    pub fn ends_like(&self, end: &str) -> bool {
        let (name, end) = (self.0.as_bytes(), end.as_bytes());
        let rest = name.len().checked_sub(end.len());
        end.len() >= SHORT_ID && rest.is_some_and(|at| name[at..].eq_ignore_ascii_case(end))
    }
}

impl fmt::Display for OutputId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The way in which a store names its outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameStyle {
    /// The parts of a name, in order.
    pub parts: &'static [NamePart],
    /// The ending of the file, such as `.txt`.
    pub ending: &'static str,
    /// The other file names that count as outputs of the store.
    pub also: Also,
}

/// A part of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamePart {
    /// This text.
    Text(&'static str),
    /// The name of the tool.
    Tool(Missing),
    /// The id of the call.
    CallId,
    /// The id of the session.
    Session,
    /// The seconds since 1970.
    Seconds,
    /// The milliseconds since 1970.
    Millis,
    /// The local time, such as `20260113_153045`.
    LocalTime,
    /// The day in UTC, such as `20260113`.
    UtcDay,
    /// This number of random characters of `0-9a-z`.
    Random(usize),
    /// This number of random characters of `0-9a-z`. A name with fewer, but at least one, is
    /// recognised.
    ///
    /// Other programs make shorter names: `Math.random().toString(36).substring(2, 8)` returns at
    /// most six characters.
    RandomUpTo(usize),
    /// A ULID: 48 bits of time, so that names sort by age, and 80 random bits.
    ///
    /// The time is for sorting only. The file's own time tells the age of an output.
    Ulid,
}

/// The text that replaces an empty or missing name of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// The word `unknown`.
    Unknown,
    /// The word `unknown` if the name is missing, nothing if the name is empty.
    EmptyStaysEmpty,
}

/// The file names that count as outputs of the store although the style did not make them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Also {
    /// No other names.
    No,
    /// Every name with this prefix and the style's ending.
    Prefix(&'static str),
}

impl NameStyle {
    /// The style of overspill: ids sort by time and have 80 random bits.
    pub const OWN: NameStyle =
        NameStyle { parts: &[NamePart::Ulid], ending: ".txt", also: Also::No };

    /// Makes a name. `attempt` counts from 0 for the same output: a style without a random part
    /// appends `-2`, `-3` and so on.
    pub fn draw(&self, call: &Call, now: &Zoned, attempt: u32) -> Result<OutputId, Error> {
        let mut name = String::new();
        for part in self.parts {
            part.write(&mut name, call, now)?;
        }
        if attempt > 0 && !self.has_random() {
            name.push_str(&format!("-{}", attempt + 1));
        }
        Ok(OutputId(name))
    }

    /// Returns the id of a file, if the file name belongs to an output of this style.
    pub fn name_of(&self, file: &str) -> Option<OutputId> {
        let stem = file.strip_suffix(self.ending)?;
        let name = OutputId::parse(stem)?;
        let ours = match self.also {
            Also::Prefix(prefix) => stem.starts_with(prefix),
            Also::No => matches(self.parts, stem.as_bytes(), !self.has_random()),
        };
        ours.then_some(name)
    }

    /// Tells whether names have a random part. If not, a name that is taken gets a number.
    fn has_random(&self) -> bool {
        let is_random = |part: &NamePart| {
            matches!(part, NamePart::Random(_) | NamePart::RandomUpTo(_) | NamePart::Ulid)
        };
        self.parts.iter().any(is_random)
    }

    /// Tells whether names have a ULID, which is unique over all directories.
    pub(super) fn has_ulid(&self) -> bool {
        self.parts.contains(&NamePart::Ulid)
    }

    /// Returns the file name of an output.
    pub fn file_of(&self, name: &OutputId) -> String {
        format!("{name}{}", self.ending)
    }
}

impl NamePart {
    fn write(&self, name: &mut String, call: &Call, now: &Zoned) -> Result<(), Error> {
        let since = now.timestamp();
        match self {
            NamePart::Text(text) => name.push_str(text),
            NamePart::Tool(missing) => match (missing, call.tool.as_deref()) {
                (Missing::EmptyStaysEmpty, Some("")) => {}
                (_, tool) => name.push_str(&component(tool)),
            },
            NamePart::CallId => name.push_str(&component(call.id.as_deref())),
            NamePart::Session => name.push_str(&component(call.session.as_deref())),
            NamePart::Seconds => name.push_str(&since.as_second().to_string()),
            NamePart::Millis => name.push_str(&since.as_millisecond().to_string()),
            NamePart::LocalTime => name.push_str(&now.strftime("%Y%m%d_%H%M%S").to_string()),
            NamePart::UtcDay => name.push_str(&since.strftime("%Y%m%d").to_string()),
            NamePart::Random(len) | NamePart::RandomUpTo(len) => name.push_str(&random(*len)?),
            NamePart::Ulid => {
                let mut bits = [0; 16];
                getrandom::fill(&mut bits[6..]).map_err(Error::Random)?;
                // A clock before 1970 only makes the order of names wrong.
                let millis = since.as_millisecond().max(0) as u64;
                let ulid = ulid::Ulid::from_parts(millis, u128::from_be_bytes(bits));
                name.push_str(&ulid.to_string());
            }
        }
        Ok(())
    }

    /// Returns the least and the greatest length of this part, and a test for its bytes.
    fn shape(&self) -> (usize, usize, fn(u8) -> bool) {
        let digit: fn(u8) -> bool = |byte| byte.is_ascii_digit();
        let random: fn(u8) -> bool = |byte| byte.is_ascii_digit() || byte.is_ascii_lowercase();
        // Crockford's base 32 has no `I`, `L`, `O` and `U`.
        let ulid: fn(u8) -> bool =
            |byte| byte.is_ascii_digit() || byte.is_ascii_uppercase() && !b"ILOU".contains(&byte);
        match self {
            NamePart::Text(text) => (text.len(), text.len(), is_plain),
            NamePart::Tool(_) | NamePart::CallId | NamePart::Session => (0, LONGEST_TEXT, is_plain),
            NamePart::Seconds | NamePart::Millis => (1, 20, digit),
            NamePart::LocalTime => (15, 15, |byte| byte.is_ascii_digit() || byte == b'_'),
            NamePart::UtcDay => (8, 8, digit),
            NamePart::Random(len) => (*len, *len, random),
            NamePart::RandomUpTo(len) => (1, *len, random),
            NamePart::Ulid => (26, 26, ulid),
        }
    }
}

/// The largest number of characters that a component made from outside text can have.
const LONGEST_TEXT: usize = 80;

/// Turns a text from outside into a safe part of a name.
pub(super) fn component(text: Option<&str>) -> String {
    let plain = |char: char| if u8::try_from(char).is_ok_and(is_plain) { char } else { '_' };
    match text {
        None | Some("") => "unknown".into(),
        Some(text) => text.chars().take(LONGEST_TEXT).map(plain).collect(),
    }
}

/// Tells whether [`component`] can return this text.
pub(super) fn is_component(text: &str) -> bool {
    (1..=LONGEST_TEXT).contains(&text.len()) && text.bytes().all(is_plain)
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Returns `len` random characters of `0-9a-z`.
pub(crate) fn random(len: usize) -> Result<String, Error> {
    const ALPHABET: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut text = String::with_capacity(len);
    let mut bytes = [0; 16];
    while text.len() < len {
        getrandom::fill(&mut bytes).map_err(Error::Random)?;
        // 252 is 7 × 36. The bytes above would favour the first characters of the alphabet.
        let fair =
            bytes.iter().filter(|&&byte| byte < 252).map(|byte| ALPHABET[*byte as usize % 36]);
        text.extend(fair.take(len - text.len()).map(char::from));
    }
    Ok(text)
}

/// Tells whether `text` can be split so that every part has its shape. `numbered` allows a final
/// `-2`.
fn matches(parts: &[NamePart], text: &[u8], numbered: bool) -> bool {
    let Some((part, rest)) = parts.split_first() else {
        let is_number = || text.len() > 1 && text[1..].iter().all(u8::is_ascii_digit);
        return text.is_empty() || numbered && text[0] == b'-' && is_number();
    };
    if let NamePart::Text(expected) = part {
        let text = text.strip_prefix(expected.as_bytes());
        return text.is_some_and(|text| matches(rest, text, numbered));
    }
    let (shortest, longest, allowed) = part.shape();
    let run = text.iter().take(longest).take_while(|&&byte| allowed(byte)).count();
    (shortest..=run).rev().any(|len| matches(rest, &text[len..], numbered))
}

#[cfg(test)]
mod tests;
