//! A line that may be shown.

use std::ops::Range;
use std::sync::OnceLock;

use super::choose::Chooser;
use super::classify::{Class, classify};
use super::failure_lines::FailureLines;
use super::features::{ContextFeatures, LineFeatures, OutputCounts};
use super::long::LongLines;
use super::weights::{Weights, WordWeights};
use crate::keep::SelectedBlock;
use crate::measure::limits::Cost;
use crate::{Kind, KindHint, Limits, Policy};

/// A line as it would be shown, where it stands, and what is known of its worth.
///
/// Thousands are held, and memory that is touched for the first time is what takes longest: numbers
/// are as small as they can be. No line is shown, or looked at, beyond some hundred bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScoredLine {
    /// Counted from 0.
    pub(crate) number: u64,
    /// Where in the original it begins.
    pub(crate) start: u64,
    /// Where in the original ends what is shown of it; its break is shown, too.
    pub(crate) end: u64,
    /// What it is worth as far as that is known.
    pub(crate) score: i32,
    /// The same together with the failed row it belongs to.
    pub(crate) lifted: i32,
    /// Where its text stands among the texts held with it, and how long that is.
    pub(super) at: u32,
    pub(crate) len: u16,
    /// How many lines of one kind stand right above it.
    pub(crate) alike_above: u16,
    /// How many bytes of the original are shown unchanged.
    pub(crate) unchanged: u16,
    pub(crate) kinds: LineKinds,
    pub(crate) own: LineFeatures,
    pub(crate) worth: WordWeights,
    /// Its words have been looked at.
    pub(crate) read: bool,
    /// Only its start is shown.
    pub(crate) clipped: bool,
    /// A later line was written over it.
    pub(crate) overwritten: bool,
}

/// The kinds of a line, see [`TemplateCounts`](super::template_counts::TemplateCounts).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LineKinds {
    pub(crate) template: u16,
    pub(crate) family: u16,
}

impl ScoredLine {
    /// The score of a line that has none yet; less than any.
    pub(crate) const UNSCORED: i32 = i32::MIN / 2;

    /// Returns the line with its text at another place.
    #[must_use]
    pub(crate) fn at(self, at: usize) -> ScoredLine {
        ScoredLine { at: at as u32, ..self }
    }

    /// Returns where its text stands among the texts held with it.
    pub(crate) fn place(&self) -> Range<usize> {
        self.at as usize..self.at as usize + usize::from(self.len)
    }

    pub(crate) fn is_unscored(&self) -> bool {
        self.score == ScoredLine::UNSCORED
    }

    /// Adds what is known only at the end.
    pub(crate) fn settle(&mut self, weights: &Weights, counts: OutputCounts, lines: u64) {
        let ScoredLine { own, number, .. } = *self;
        ContextFeatures::at_the_end(&own, number, counts, lines, |index| {
            self.score += weights.around(index);
        });
    }
}

/// What a line counts for besides its text.
const LINE: usize = 128;

/// Lines and their texts, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScoredLines {
    pub(crate) lines: Vec<ScoredLine>,
    /// The expected share of each in what matters, known at the end.
    pub(crate) shares: Vec<f64>,
    text: Vec<u8>,
    /// The lines with a failure word, held or not.
    pub(super) failures: FailureLines,
    /// The kind of the lines, once all have come.
    pub(super) class: Option<Class>,
    /// Both ends of each line, if there are few lines.
    pub(super) long: Option<LongLines>,
    /// Made when lines are first chosen. A preview is tried with several notices.
    chooser: OnceLock<Chooser>,
}

impl ScoredLines {
    /// Makes room for lines of this [`Lines::size`], once: to move what is held when it grows would
    /// touch twice the memory. What room is not used costs nothing.
    pub(crate) fn reserve(&mut self, size: usize) {
        self.lines.reserve_exact(size / LINE);
        self.text.reserve_exact(size);
    }

    pub(crate) fn push(&mut self, line: ScoredLine, text: &[u8]) {
        self.lines.push(line.at(self.text.len()));
        self.text.extend_from_slice(text);
    }

    pub(crate) fn text(&self, line: &ScoredLine) -> &[u8] {
        &self.text[line.place()]
    }

    /// Returns how many lines the output has, held or not; 0 if none is held.
    pub(super) fn count(&self) -> u64 {
        self.lines.last().map_or(0, |last| last.number + 1)
    }

    /// Returns what the choice among these lines is made from.
    pub(super) fn chooser(&self, hint: KindHint) -> &Chooser {
        self.chooser.get_or_init(|| Chooser::new(self, hint))
    }

    /// Returns what the lines are and how much they look like a failing log.
    pub(super) fn class(&self, hint: KindHint) -> Class {
        self.class.unwrap_or_else(|| classify(self, hint))
    }

    /// Chooses both ends of each line, if there are few lines.
    pub(crate) fn ends_of_lines(
        &self,
        policy: &Policy,
        limits: &Limits,
        mark: &Cost,
    ) -> Option<Vec<SelectedBlock>> {
        self.long.as_ref()?.choose(policy, limits, mark)
    }

    /// Returns what the lines are.
    pub(crate) fn kind(&self, hint: KindHint) -> Kind {
        self.chooser(hint).kind()
    }

    /// Returns how much memory the lines take, about, and the same on every machine: what is held
    /// depends on it.
    pub(crate) fn size(&self) -> usize {
        self.text.len() + self.lines.len() * LINE
    }

    /// Keeps the lines that `keep` wants, and their texts.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&ScoredLine) -> bool) {
        let mut end = 0;
        self.lines.retain_mut(|line| {
            let kept = keep(line);
            if kept {
                self.text.copy_within(line.place(), end);
                *line = line.at(end);
                end += usize::from(line.len);
            }
            kept
        });
        self.text.truncate(end);
    }

    /// Keeps the lines that `keep` wants once their shares are known.
    pub(crate) fn narrow(&mut self, keep: impl Fn(&ScoredLine) -> bool) {
        let mut kept = self.lines.iter().map(&keep).collect::<Vec<bool>>().into_iter();
        self.shares.retain(|_| kept.next() == Some(true));
        (self.class, self.chooser, self.long) = (None, OnceLock::new(), None);
        self.retain(keep);
    }
}
