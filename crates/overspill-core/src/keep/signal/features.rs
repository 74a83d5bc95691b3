//! The features of a line that are not words: its place, the number of similar lines, and the lines
//! around it. Each feature has an index into the table of weights.

use super::form::RowForm;

/// The number of lines after a line that must be known before the line is scored.
pub(crate) const LOOK_AHEAD: u32 = 8;

/// The number of lines that [`Recent`] remembers.
pub(crate) const RECENT: usize = u64::BITS as usize;

/// One bit for each of the latest lines. The lowest bit stands for the newest line.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Recent {
    hits: u64,
    blanks: u64,
}

impl Recent {
    /// Adds the next line.
    pub(crate) fn push(&mut self, hit: bool, blank: bool) {
        self.hits = self.hits << 1 | u64::from(hit);
        self.blanks = self.blanks << 1 | u64::from(blank);
    }

    /// Returns the distance of the nearest hit above the scored line, or 0 without a hit.
    ///
    /// The scored line is [`LOOK_AHEAD`] lines above the newest line.
    fn above(&self) -> u32 {
        match self.hits >> (LOOK_AHEAD + 1) {
            0 => 0,
            hits => hits.trailing_zeros() + 1,
        }
    }

    /// Returns the distance of the nearest hit below the scored line, or 0 without a hit.
    fn below(&self) -> u32 {
        match self.hits & ((1 << LOOK_AHEAD) - 1) {
            0 => 0,
            hits => LOOK_AHEAD - (63 - hits.leading_zeros()),
        }
    }

    /// Returns the number of hits within five lines, the scored line included.
    fn near(&self) -> u32 {
        (self.hits >> (LOOK_AHEAD - 5) & 0x7FF).count_ones()
    }

    fn blank_above(&self) -> bool {
        self.blanks >> (LOOK_AHEAD + 1) & 1 == 1
    }

    fn blank_below(&self) -> bool {
        self.blanks >> (LOOK_AHEAD - 1) & 1 == 1
    }
}

/// The context of a line as indices of weights.
pub(crate) struct ContextFeatures;

// The first index of each group of weights. The groups follow each other.
const LENGTH: usize = 0;
const INDENT: usize = LENGTH + 10;
const FLAGS: usize = INDENT + 7;
const BLANKS: usize = FLAGS + 8;
const SO_FAR: usize = BLANKS + 4;
const ABOVE: usize = SO_FAR + 2 * COUNTS;
const BELOW: usize = ABOVE + 2 * DISTANCES;
const NEAR: usize = BELOW + 2 * (LOOK_AHEAD as usize + 1);
const FROM_START: usize = NEAR + 12;
const FINALLY: usize = FROM_START + PLACES;
const FROM_END: usize = FINALLY + 2 * COUNTS;
const TENTHS: usize = FROM_END + 2 * PLACES;
const FAMILY_SO_FAR: usize = TENTHS + 10;
const FAMILY_FINALLY: usize = FAMILY_SO_FAR + 2 * COUNTS;
const RED: usize = FAMILY_FINALLY + 2 * COUNTS;

const COUNTS: usize = 14;
const DISTANCES: usize = 12;
const PLACES: usize = 24;

/// The numbers of lines in the output with the same template and of the same family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutputCounts {
    pub(crate) template: u16,
    pub(crate) family: u16,
}

/// The features of a line that depend on its own text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LineFeatures {
    pub(crate) len: u16,
    /// The number of bytes of the time stamp and the columns at the start of the line.
    pub(crate) from: u8,
    /// The number of earlier lines with the same template.
    pub(crate) so_far: u16,
    /// The number of earlier lines of the same family.
    pub(crate) family_so_far: u16,
    pub(crate) indent: u8,
    pub(crate) hit: bool,
    /// The form in which a hit reports a failure.
    pub(crate) form: RowForm,
    pub(crate) place: bool,
    pub(crate) bare: bool,
    /// A part of the line is red.
    pub(crate) red: bool,
    pub(crate) blank: bool,
    /// The line begins a trace whose last line says what failed.
    pub(crate) trace: bool,
    /// The first character of a line of a diff: `-`, `+` or `?`; 0 for any other line.
    pub(crate) diff: u8,
    /// The offset at which reading stopped. The words after it are unknown.
    pub(crate) read_to: u16,
}

impl LineFeatures {
    /// Returns the features of a line whose words are not read.
    pub(crate) fn unread(text: &[u8]) -> LineFeatures {
        let blank = text.iter().all(u8::is_ascii_whitespace);
        // Most lines of a long output are not the first of their kind, so the counts are high.
        let len = text.len() as u16;
        LineFeatures { len, blank, so_far: 1000, family_so_far: 1000, ..LineFeatures::default() }
    }
}

impl ContextFeatures {
    pub(crate) const COUNT: usize = RED + 4;

    /// Calls `each` with the features that are known [`LOOK_AHEAD`] lines after a line. `number`
    /// lines came before the line.
    pub(crate) fn known(
        own: &LineFeatures,
        number: u64,
        recent: &Recent,
        mut each: impl FnMut(usize),
    ) {
        let hit = usize::from(own.hit);
        each(LENGTH + log(u64::from(own.len)).min(9));
        each(INDENT + usize::from(own.indent.div_ceil(2).min(6)));
        let flags = usize::from(own.bare) + 2 * usize::from(own.place) + 4 * hit;
        each(FLAGS + flags);
        each(RED + usize::from(own.red) + 2 * hit);
        let blanks = usize::from(recent.blank_above()) + 2 * usize::from(recent.blank_below());
        each(BLANKS + blanks);
        each(SO_FAR + hit * COUNTS + log(u64::from(own.so_far)).min(COUNTS - 1));
        each(FAMILY_SO_FAR + hit * COUNTS + log(u64::from(own.family_so_far)).min(COUNTS - 1));
        each(ABOVE + hit * DISTANCES + distance(recent.above()));
        each(BELOW + hit * (LOOK_AHEAD as usize + 1) + recent.below() as usize);
        each(NEAR + recent.near() as usize);
        each(FROM_START + log(number).min(PLACES - 1));
    }

    /// Calls `each` with the features that are known at the end of an output of `lines` lines.
    pub(crate) fn at_the_end(
        own: &LineFeatures,
        number: u64,
        counts: OutputCounts,
        lines: u64,
        mut each: impl FnMut(usize),
    ) {
        let hit = usize::from(own.hit);
        let from_end = lines.saturating_sub(number + 1);
        each(FINALLY + hit * COUNTS + log(u64::from(counts.template)).min(COUNTS - 1));
        each(FAMILY_FINALLY + hit * COUNTS + log(u64::from(counts.family)).min(COUNTS - 1));
        each(FROM_END + hit * PLACES + log(from_end).min(PLACES - 1));
        each(TENTHS + (number * 10 / lines.max(1)).min(9) as usize);
    }
}

/// Returns the number of binary digits of a number.
fn log(number: u64) -> usize {
    64 - number.leading_zeros() as usize
}

fn distance(lines: u32) -> usize {
    match lines {
        0..=5 => lines as usize,
        6..=7 => 6,
        8..=11 => 7,
        12..=17 => 8,
        18..=27 => 9,
        28..=41 => 10,
        42.. => 11,
    }
}
