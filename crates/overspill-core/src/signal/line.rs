//! A line that may be shown.

use super::around::{Around, Counts, Own};
use super::weights::{Weights, Worth};

/// A line as it would be shown, where it stands, and what is known of its worth.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    /// Counted from 0.
    pub(crate) number: u64,
    /// Where in the original it begins.
    pub(crate) start: u64,
    /// Where in the original ends what is shown of it; its break is shown, too.
    pub(crate) end: u64,
    /// How many bytes of the original are shown unchanged.
    pub(crate) unchanged: u64,
    /// Where its text stands among the texts held with it, and how long that is.
    pub(crate) at: usize,
    pub(crate) len: u32,
    /// Its words have been looked at.
    pub(crate) read: bool,
    /// Only its start is shown.
    pub(crate) clipped: bool,
    pub(crate) template: u32,
    pub(crate) family: u32,
    pub(crate) own: Own,
    pub(crate) worth: Worth,
    /// What it is worth as far as that is known.
    pub(crate) score: i32,
    /// Its expected share of what matters, known at the end.
    pub(crate) share: f64,
}

impl Line {
    /// The score of a line that has none yet; less than any.
    pub(crate) const UNSCORED: i32 = i32::MIN / 2;

    pub(crate) fn is_unscored(&self) -> bool {
        self.score == Line::UNSCORED
    }

    /// Adds what is known only at the end.
    pub(crate) fn settle(&mut self, weights: &Weights, counts: Counts, lines: u64) {
        Around::at_the_end(&self.own, counts, lines, |index| self.score += weights.around(index));
    }
}

/// Lines and their texts, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines {
    pub(crate) lines: Vec<Line>,
    text: Vec<u8>,
}

impl Lines {
    pub(crate) fn push(&mut self, line: Line, text: &[u8]) {
        self.lines.push(Line { at: self.text.len(), ..line });
        self.text.extend_from_slice(text);
    }

    pub(crate) fn text(&self, line: &Line) -> &[u8] {
        &self.text[line.at..line.at + line.len as usize]
    }

    /// Returns how much memory the lines take, about.
    pub(crate) fn size(&self) -> usize {
        self.text.len() + self.lines.len() * size_of::<Line>()
    }

    /// Keeps the lines that `keep` wants, and their texts.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&Line) -> bool) {
        let mut end = 0;
        self.lines.retain_mut(|line| {
            let kept = keep(line);
            if kept {
                let len = line.len as usize;
                self.text.copy_within(line.at..line.at + len, end);
                line.at = end;
                end += len;
            }
            kept
        });
        self.text.truncate(end);
    }
}
