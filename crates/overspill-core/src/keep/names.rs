//! Spends room on the lines that name the most things.
//!
//! A name is a word that stands for one thing: a path, an identifier, a version. An agent that reads source,
//! a listing or a search result goes on with names from it. So the room goes to the blocks of lines that bring
//! the most names that are not shown yet, for each byte they cost.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

/// A word with fewer bytes is not a name.
const SHORTEST: usize = 8;

/// A chosen line at most so many lines away is close.
const NEAR: usize = 3;

/// A line that may be shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NamedLine<'a> {
    /// Counted from 0.
    pub(crate) number: u64,
    pub(crate) text: &'a [u8],
    /// Only its start is shown. The mark after it begins a line of its own.
    pub(crate) clipped: bool,
    /// How much its names count, from 0 to [`FULL_WEIGHT`].
    pub(crate) weight: u8,
}

/// The weight of a line whose names count in full.
pub(crate) const FULL_WEIGHT: u8 = 8;

/// In a room of so many bytes or fewer, the definitions of source come first and its imports last. In a larger one the
/// lines come first that name the most things, wherever they stand, and names that come often count more.
pub(crate) const SMALL: u64 = 4096;

/// How much a name counts that comes once. A name that comes often counts as the square root of its number.
const ONCE: u64 = 100;

/// The room that is left, and what the mark at a gap takes of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NamesRoom {
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
    pub(crate) mark_bytes: u64,
    pub(crate) mark_lines: u64,
    /// The names of all lines count the same, whatever their weight.
    pub(crate) even: bool,
    /// Names that come often count more than others.
    pub(crate) often: bool,
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

/// The names of lines, each as a hash.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineNames {
    lines: Vec<LineSize>,
    names: Vec<u32>,
    /// How often each name comes that comes more than once.
    repeated: HashMap<u32, u32, BuildHasherDefault<NameHash>>,
}

#[derive(Debug, Clone, Copy)]
struct LineSize {
    number: u64,
    bytes: u32,
    clipped: bool,
    weight: u8,
    /// Where the names of the line end.
    names_end: u32,
}

/// Names that are shown already. A name is its own hash.
type Seen = HashSet<u32, BuildHasherDefault<NameHash>>;

impl LineNames {
    pub(crate) fn of<'a>(lines: impl Iterator<Item = NamedLine<'a>>) -> LineNames {
        LineNames::with(lines, |name| name)
    }

    /// Like `of`, and the lines after a path do not count: `src/lib.rs:12` and `src/lib.rs:14` are one name.
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
        let mut sorted = all.names.clone();
        sorted.sort_unstable();
        let runs = sorted.chunk_by(|a, b| a == b).filter(|run| run.len() > 1);
        all.repeated = runs.map(|run| (run[0], run.len() as u32)).collect();
        all
    }

    /// Adds lines to `chosen` in this order, as long as they take no more than a share of the room.
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

    /// Adds lines to `chosen` as long as there is room. First come the lines with the most new names for each
    /// byte. A line close to a chosen one comes with the lines between them: they cost less than a mark.
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
            // The lines around it cost less now.
            let around = lines.start.saturating_sub(NEAR)..(lines.end + NEAR).min(chosen.len());
            for near in around.filter(|&near| !chosen[near]) {
                let worth = self.worth(near, chosen, &seen, room);
                heap.extend((worth > 0).then_some((worth, Reverse(near))));
            }
        }
    }

    /// Returns how many new names a line brings for each byte it costs.
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
        (new << 20) * weight / u64::from(FULL_WEIGHT) / self.with_bridge(at, chosen, room).1.max(1)
    }

    /// Returns the lines that must be shown with a line, and what they cost: the lines up to the nearest chosen
    /// one, if they cost less than a mark. Otherwise the line costs a mark.
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

    /// Tells whether a line stands right beside a chosen one.
    fn touches(&self, at: usize, chosen: &[bool]) -> bool {
        at > 0 && chosen[at - 1] && self.follow(at - 1, at)
            || chosen.get(at + 1) == Some(&true) && self.follow(at, at + 1)
    }

    /// Tells whether nothing stands between two lines. After a clipped line stands a mark.
    fn follow(&self, at: usize, next: usize) -> bool {
        self.lines[at].number + 1 == self.lines[next].number && !self.lines[at].clipped
    }

    /// Returns how much a name counts: an output is about the names that come often.
    fn worth_of_name(&self, name: u32) -> u64 {
        let count = self.repeated.get(&name).copied().unwrap_or(1);
        (ONCE * ONCE * u64::from(count)).isqrt()
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
        let word = &word[start..];
        if word.len() >= SHORTEST && is_distinctive(word) {
            let end = word.iter().rposition(|byte| !b"./:-".contains(byte));
            take(&word[..end.map_or(0, |last| last + 1)]);
        }
    }
}

/// Returns a path without the line and column that follow it.
fn without_place(word: &[u8]) -> &[u8] {
    let is_place = |at: &usize| word.get(at + 1).is_some_and(u8::is_ascii_digit);
    let colon = memchr::memchr_iter(b':', word).find(is_place);
    colon.map_or(word, |at| &word[..at])
}

/// Tells whether a word stands for one thing: it has a digit, `_`, `.`, `/` or a capital inside.
fn is_distinctive(word: &[u8]) -> bool {
    word.iter().any(|byte| byte.is_ascii_digit() || b"_./".contains(byte))
        || word.windows(2).any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase())
}

/// Returns the FNV-1a hash of a name.
fn hash(name: &[u8]) -> u32 {
    name.iter()
        .fold(0x811C_9DC5, |hash: u32, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// Uses a hash as it is.
#[derive(Debug, Default)]
struct NameHash(u64);

impl Hasher for NameHash {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = u64::from(hash(bytes));
    }

    fn write_u32(&mut self, hash: u32) {
        // The table looks at the highest bits, too.
        self.0 = u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines<'a>(text: &'a str) -> Vec<NamedLine<'a>> {
        let line = |(number, text): (usize, &'a str)| NamedLine {
            number: number as u64,
            text: text.as_bytes(),
            clipped: false,
            weight: FULL_WEIGHT,
        };
        text.split_inclusive('\n').enumerate().map(line).collect()
    }

    fn covered(text: &str, bytes: u64) -> Vec<usize> {
        let lines = lines(text);
        let mut chosen = vec![false; lines.len()];
        let mut room = NamesRoom {
            bytes,
            lines: 1000,
            mark_bytes: 30,
            mark_lines: 1,
            even: false,
            often: false,
        };
        LineNames::of(lines.into_iter()).cover(&mut chosen, &mut room);
        (0..chosen.len()).filter(|&at| chosen[at]).collect()
    }

    #[test]
    fn name_that_comes_often_comes_first_in_a_large_room() {
        let text = "part_one_1 x\npart_two_2 x\nthe_reader_3 x\nx the_reader_3\n";
        let names = LineNames::of(lines(text).into_iter());
        for (often, first) in [(false, 0), (true, 2)] {
            let mut chosen = vec![false; 4];
            let (mark_bytes, mark_lines) = (10, 1);
            let mut room =
                NamesRoom { bytes: 30, lines: 9, mark_bytes, mark_lines, even: false, often };
            names.cover(&mut chosen, &mut room);
            assert!(chosen[first], "{often}: {chosen:?}");
        }
    }

    #[test]
    fn names_are_paths_identifiers_and_versions() {
        let mut found = Vec::new();
        let text = b"see src/lib.rs:12, parseHeader() or HTTP_TIMEOUT; unfortunately nothing v1.2.3-rc1 x.y";
        each_name(text, |name| found.push(String::from_utf8_lossy(name).into_owned()));
        assert_eq!(found, ["src/lib.rs:12", "parseHeader", "HTTP_TIMEOUT", "v1.2.3-rc1"]);
    }

    #[test]
    fn lines_with_new_names_come_first() {
        let plain = "the quick brown fox jumps over it\n".repeat(20);
        let text = format!(
            "{plain}src/first.rs defines parseHeader\n{plain}see src/first.rs once more for parseHeader, please\n{plain}"
        );
        assert_eq!(covered(&text, 70), [20]);
    }

    #[test]
    fn lines_between_two_close_lines_are_shown() {
        let plain = "word word word word word word word word word word\n".repeat(9);
        let text = format!("{plain}fn firstFunction()\n}}\nfn secondFunction()\n{plain}");
        assert_eq!(covered(&text, 90), [9, 10, 11]);
    }

    #[test]
    fn lines_without_new_names_are_not_chosen() {
        assert_eq!(covered(&"one two three\n".repeat(50), 45), [0; 0]);
    }

    proptest! {
        #[test]
        fn cover_stays_within_the_room(
            words in proptest::collection::vec("[a-z]{1,9}(_[a-z]{3,9})?", 1..60),
            bytes in 0u64..600,
            most_lines in 0u64..20,
            held in proptest::collection::vec(any::<(bool, bool)>(), 60),
        ) {
            let texts: Vec<String> = words.iter().map(|word| format!("{word}\n")).collect();
            let lines: Vec<NamedLine> = texts
                .iter()
                .enumerate()
                .filter(|(at, _)| held[*at].0)
                .map(|(at, text)| NamedLine {
                    number: at as u64,
                    text: text.as_bytes(),
                    clipped: held[at].1,
                    weight: FULL_WEIGHT,
                })
                .collect();
            let (mark_bytes, mark_lines) = (12, 1);
            let mut chosen = vec![false; lines.len()];
            let mut room = NamesRoom { bytes, lines: most_lines, mark_bytes, mark_lines, even: false, often: false };
            let names = LineNames::of(lines.iter().copied());
            names.take(&mut chosen, (0..lines.len()).rev(), 0.2, &mut room);
            names.cover(&mut chosen, &mut room);
            names.take(&mut chosen, 0..lines.len(), 1.0, &mut room);
            let (mut used, mut used_lines, mut last) = (0, 0, None);
            for (line, _) in lines.iter().zip(&chosen).filter(|(_, chosen)| **chosen) {
                let follows = line.number.checked_sub(1) == last || line.number == 0;
                let gap = u64::from(!follows);
                used += line.text.len() as u64 + u64::from(line.clipped) + gap * mark_bytes;
                used_lines += 1 + gap * mark_lines;
                last = Some(line.number).filter(|_| !line.clipped);
            }
            prop_assert!(used <= bytes && used_lines <= most_lines, "{used} {used_lines}");
        }
    }
}
