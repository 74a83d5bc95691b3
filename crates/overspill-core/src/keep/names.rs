//! Chooses the lines that name the most things.
//!
//! A name is a word that stands for one thing: a path, an identifier, a version. An agent that
//! reads source, a listing or a search result continues with names from it. So the room goes to
//! the lines that bring the most new names for each byte that they cost.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;
use std::sync::OnceLock;

/// The smallest number of bytes of a name.
const SHORTEST: usize = 8;

/// The largest distance in lines at which a chosen line counts as close.
const NEAR: usize = 3;

/// A line that may be shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NamedLine<'a> {
    /// The number of the line, counted from 0.
    pub(crate) number: u64,
    pub(crate) text: &'a [u8],
    /// Only the start of the line is shown. The mark after it begins on a new line.
    pub(crate) clipped: bool,
    /// The weight of the names in the line, from 0 to [`FULL_WEIGHT`].
    pub(crate) weight: u8,
}

/// The weight of a line whose names count in full.
pub(crate) const FULL_WEIGHT: u8 = 8;

/// The largest number of bytes of a small room. In a small room the definitions of source come
/// first. In a larger room the lines of all places count the same, and frequent names count more.
pub(crate) const SMALL: u64 = 4096;

/// The weight of a name that occurs once. The weight of a frequent name grows with the square root of
/// its number.
const ONCE: u64 = 100;

/// The room that is left, and the room that the mark at a gap takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NamesRoom {
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
    pub(crate) mark_bytes: u64,
    pub(crate) mark_lines: u64,
    /// The names of all lines count the same; their weights are ignored.
    pub(crate) even: bool,
    /// Frequent names count more than others.
    pub(crate) often: bool,
    /// The number of bytes that a line seems to cost more if no chosen line is close: a few blocks
    /// are easier to read than many single lines.
    pub(crate) alone: u64,
}

impl NamesRoom {
    fn take(&mut self, bytes: u64, lines: u64) -> bool {
        let fits = bytes <= self.bytes && lines <= self.lines;
        if fits {
            self.bytes -= bytes;
            self.lines -= lines;
        }
        fits
    }
}

/// The hashes of the names in a list of lines.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineNames {
    lines: Vec<LineSize>,
    names: Vec<u32>,
    /// How often each name comes that comes more than once. A small room does not need the counts.
    repeated: OnceLock<HashMap<u32, u32, BuildHasherDefault<NameHash>>>,
}

#[derive(Debug, Clone, Copy)]
struct LineSize {
    number: u64,
    bytes: u32,
    clipped: bool,
    weight: u8,
    /// The end of the names of this line in `LineNames::names`.
    names_end: u32,
}

/// The hashes of the names that are already shown. The set uses them as they are.
type Seen = HashSet<u32, BuildHasherDefault<NameHash>>;

impl LineNames {
    pub(crate) fn of<'a>(lines: impl Iterator<Item = NamedLine<'a>>) -> LineNames {
        LineNames::with(lines, |name| name)
    }

    /// Works like `of`, but ignores the line number after a path: `src/lib.rs:12` and
    /// `src/lib.rs:14` are one name.
    pub(crate) fn of_results<'a>(lines: impl Iterator<Item = NamedLine<'a>>) -> LineNames {
        LineNames::with(lines, without_place)
    }

    fn with<'a>(
        lines: impl Iterator<Item = NamedLine<'a>>,
        shortened: impl Fn(&[u8]) -> &[u8],
    ) -> LineNames {
        let mut all = LineNames::default();
        for line in lines {
            let from = all.names.len();
            each_name(line.text, |name| all.names.push(hash(shortened(name))));
            all.names[from..].sort_unstable();
            let NamedLine { number, text, clipped, weight } = line;
            let (bytes, names_end) =
                (text.len() as u32 + u32::from(clipped), all.names.len() as u32);
            all.lines.push(LineSize { number, bytes, clipped, weight, names_end });
        }
        all
    }

    /// Returns how often a name comes.
    fn count(&self, name: u32) -> u32 {
        let repeated = self.repeated.get_or_init(|| {
            let mut sorted = self.names.clone();
            sorted.sort_unstable();
            let runs = sorted.chunk_by(|a, b| a == b).filter(|run| run.len() > 1);
            runs.map(|run| (run[0], run.len() as u32)).collect()
        });
        repeated.get(&name).copied().unwrap_or(1)
    }

    /// Adds lines to `chosen` in the given order until they fill `share` of the room.
    pub(crate) fn take(
        &self,
        chosen: &mut [bool],
        order: impl Iterator<Item = usize>,
        share: f64,
        room: &mut NamesRoom,
    ) {
        let of = |room: u64| (room as f64 * share) as u64;
        let mut part = NamesRoom { bytes: of(room.bytes), lines: of(room.lines), ..*room };
        for at in order {
            if chosen[at] {
                continue;
            }
            let is_start = at == 0 && self.lines[0].number == 0;
            let gap = u64::from(!is_start && !self.touches(at, chosen));
            let bytes = u64::from(self.lines[at].bytes) + gap * room.mark_bytes;
            let lines = 1 + gap * room.mark_lines;
            if !part.take(bytes, lines) || !room.take(bytes, lines) {
                break;
            }
            chosen[at] = true;
        }
    }

    /// Adds lines to `chosen` until the room is full. The lines with the most new names for each
    /// byte come first. A line close to a chosen line brings the lines between them, if these cost
    /// less than a mark.
    pub(crate) fn cover(&self, chosen: &mut [bool], room: &mut NamesRoom) {
        let mut seen = Seen::default();
        for at in (0..chosen.len()).filter(|&at| chosen[at]) {
            seen.extend(self.names(at));
        }
        let mut heap: BinaryHeap<(u64, Reverse<usize>)> = (0..chosen.len())
            .filter(|&at| !chosen[at])
            .map(|at| (self.worth(at, chosen, &seen, room), Reverse(at)))
            .filter(|(worth, _)| *worth > 0)
            .collect();
        while let Some((was, Reverse(at))) = heap.pop() {
            if chosen[at] {
                continue;
            }
            let now = self.worth(at, chosen, &seen, room);
            if now < was {
                heap.extend((now > 0).then_some((now, Reverse(at))));
                continue;
            }
            let (lines, bytes) = self.with_bridge(at, chosen, room);
            let is_joined = lines.len() > 1 || self.touches(at, chosen);
            let mark = if is_joined { 0 } else { room.mark_lines };
            if !room.take(bytes, lines.len() as u64 + mark) {
                continue;
            }
            for line in lines.clone() {
                seen.extend(self.names(line));
            }
            chosen[lines.clone()].fill(true);
            // The lines around the new line cost less now: they need no mark.
            let around = lines.start.saturating_sub(NEAR)..(lines.end + NEAR).min(chosen.len());
            for near in around.filter(|&near| !chosen[near]) {
                let worth = self.worth(near, chosen, &seen, room);
                heap.extend((worth > 0).then_some((worth, Reverse(near))));
            }
        }
    }

    /// Returns the number of new names of a line for each byte that the line costs.
    fn worth(&self, at: usize, chosen: &[bool], seen: &Seen, room: &NamesRoom) -> u64 {
        let names = self.names(at);
        let is_new = |(place, name): (usize, &u32)| {
            !seen.contains(name) && names[..place].last() != Some(name)
        };
        let new = names.iter().enumerate().filter(|name| is_new(*name));
        let worth = |name: &u32| if room.often { self.worth_of_name(*name) } else { ONCE };
        let new: u64 = new.map(|(_, name)| worth(name)).sum();
        if new == 0 {
            return 0;
        }
        let weight = u64::from(if room.even { FULL_WEIGHT } else { self.lines[at].weight });
        let (lines, bytes) = self.with_bridge(at, chosen, room);
        let is_alone = lines.len() == 1 && !self.touches(at, chosen);
        let price = bytes + if is_alone { room.alone } else { 0 };
        (new << 20) * weight / u64::from(FULL_WEIGHT) / price.max(1)
    }

    /// Returns the lines to show together with a line, and their cost in bytes.
    ///
    /// These are the lines up to the nearest chosen line, if they cost less than a mark. Otherwise
    /// it is the line alone, at the cost of a mark.
    fn with_bridge(&self, at: usize, chosen: &[bool], room: &NamesRoom) -> (Range<usize>, u64) {
        let own = u64::from(self.lines[at].bytes);
        let (mut bytes, mut end) = (0, at);
        for near in (at.saturating_sub(NEAR)..at).rev() {
            if !self.follow(near, near + 1) {
                break;
            }
            if chosen[near] {
                return (end..at + 1, own + bytes);
            }
            bytes += u64::from(self.lines[near].bytes);
            if bytes > room.mark_bytes {
                break;
            }
            end = near;
        }
        bytes = 0;
        let after = at + 1..(at + 1 + NEAR).min(chosen.len());
        for near in after.take_while(|&near| self.follow(near - 1, near)) {
            if chosen.get(near) == Some(&true) {
                return (at..near, own + bytes);
            }
            bytes += u64::from(self.lines[near].bytes);
            if bytes > room.mark_bytes {
                break;
            }
        }
        (at..at + 1, own + room.mark_bytes)
    }

    /// Tells whether a line is directly before or after a chosen line.
    fn touches(&self, at: usize, chosen: &[bool]) -> bool {
        at > 0 && chosen[at - 1] && self.follow(at - 1, at)
            || chosen.get(at + 1) == Some(&true) && self.follow(at, at + 1)
    }

    /// Tells whether nothing is between two lines. A clipped line has a mark after it.
    fn follow(&self, at: usize, next: usize) -> bool {
        self.lines[at].number + 1 == self.lines[next].number && !self.lines[at].clipped
    }

    /// Returns how much a name counts: an output is about the names that come often.
    fn worth_of_name(&self, name: u32) -> u64 {
        (ONCE * ONCE * u64::from(self.count(name))).isqrt()
    }

    fn names(&self, at: usize) -> &[u32] {
        let start = at.checked_sub(1).map_or(0, |before| self.lines[before].names_end);
        &self.names[start as usize..self.lines[at].names_end as usize]
    }
}

/// Calls `take` with each name in a line.
fn each_name(text: &[u8], mut take: impl FnMut(&[u8])) {
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_./:-".contains(byte);
    for word in text.split(|byte| !is_inside(byte)) {
        let is_first = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
        let Some(start) = word.iter().position(is_first) else { continue };
        let last = word.iter().rposition(|byte| !b"./:-".contains(byte)).unwrap_or(start);
        // The full stop of a sentence is not a part of a name.
        let name = &word[start..=last];
        if name.len() >= SHORTEST && is_distinctive(name) {
            take(name);
        }
    }
}

/// Returns a path without the line and column that follow it.
fn without_place(word: &[u8]) -> &[u8] {
    let is_place = |at: &usize| word.get(at + 1).is_some_and(u8::is_ascii_digit);
    let colon = memchr::memchr_iter(b':', word).find(is_place);
    colon.map_or(word, |at| &word[..at])
}

/// Tells whether a word stands for one thing: it contains a digit, `_`, `.`, `/` or an inner
/// capital.
fn is_distinctive(word: &[u8]) -> bool {
    word.iter().any(|byte| byte.is_ascii_digit() || b"_./".contains(byte))
        || word.windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase())
}

/// Returns the FNV-1a hash of a name.
fn hash(name: &[u8]) -> u32 {
    name.iter()
        .fold(0x811C_9DC5, |hash: u32, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// A hasher for names that are hashes already.
#[derive(Debug, Default)]
struct NameHash(u64);

impl Hasher for NameHash {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = u64::from(hash(bytes));
    }

    fn write_u32(&mut self, hash: u32) {
        // The hash table also uses the highest bits, so the multiplication spreads the hash there.
        self.0 = u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests;
