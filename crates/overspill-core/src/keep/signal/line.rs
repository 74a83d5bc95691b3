//! The lines that may be shown, with their texts, scores and places.

use std::ops::Range;
use std::sync::OnceLock;

use super::choose::Chooser;
use super::classify::{Class, classify};
use super::diagnostic::{self, Diagnostic};
use super::failure_lines::FailureLines;
use super::features::{ContextFeatures, LineFeatures, OutputCounts};
use super::long::LongLines;
use super::stamp;
use super::weights::{Weights, WordWeights};
use crate::keep::SelectedBlock;
use crate::measure::limits::Cost;
use crate::{Kind, KindHint, Limits, Policy};

/// A line that may be shown, with its place and its score.
///
/// Thousands of lines are held, and touching new memory takes the most time. So the numbers are as
/// small as possible. At most some hundred bytes of a line are read or shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScoredLine {
    /// The number of the line, counted from 0.
    pub(crate) number: u64,
    /// The offset in the original at which the line begins.
    pub(crate) start: u64,
    /// The offset in the original at which the shown part ends, its line break included.
    pub(crate) end: u64,
    /// The score of the line, as far as it is known.
    pub(crate) score: i32,
    /// The score of the line, raised if the line belongs to a failed row.
    pub(crate) lifted: i32,
    /// The offset of the text of the line among the texts that are held with it.
    pub(super) at: u32,
    /// The number of bytes of the text.
    pub(crate) len: u16,
    /// The number of consecutive lines of one kind directly above the line.
    pub(crate) alike_above: u16,
    /// The number of bytes of the original that are shown unchanged.
    pub(crate) unchanged: u16,
    pub(crate) kinds: LineKinds,
    pub(crate) own: LineFeatures,
    pub(crate) worth: WordWeights,
    /// The words of the line have been read.
    pub(crate) read: bool,
    /// Only the start of the line is shown.
    pub(crate) clipped: bool,
    /// A later line has overwritten the line.
    pub(crate) overwritten: bool,
    /// The line is a message of a compiler or a linter, known at the end of the output.
    pub(super) is_message: bool,
}

/// The kinds of a line, see [`TemplateCounts`](super::template_counts::TemplateCounts).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LineKinds {
    pub(crate) template: u16,
    pub(crate) family: u16,
}

impl ScoredLine {
    /// The score of a line that has not been scored yet. It is lower than any other score.
    pub(crate) const UNSCORED: i32 = i32::MIN / 2;

    /// Returns the line with its text at another place.
    #[must_use]
    pub(crate) fn at(self, at: usize) -> ScoredLine {
        ScoredLine { at: at as u32, ..self }
    }

    /// Returns the place of the text among the texts that are held with the line.
    pub(crate) fn place(&self) -> Range<usize> {
        self.at as usize..self.at as usize + usize::from(self.len)
    }

    /// Returns `text`, the text of this line, without its time stamp and the columns of a CI system.
    pub(crate) fn body<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        let from = if self.read { usize::from(self.own.from) } else { stamp::len(text) };
        text.get(from..).unwrap_or_default()
    }

    pub(crate) fn is_unscored(&self) -> bool {
        self.score == ScoredLine::UNSCORED
    }

    /// Adds the weights of the features that are known only at the end of the output.
    pub(crate) fn settle(&mut self, weights: &Weights, counts: OutputCounts, lines: u64) {
        let ScoredLine { own, number, .. } = *self;
        ContextFeatures::at_the_end(&own, number, counts, lines, |index| {
            self.score += weights.around(index);
        });
    }
}

/// The number of bytes that a line counts for in [`ScoredLines::size`], in addition to its text.
const LINE: usize = 128;

/// Lines and their texts, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScoredLines {
    pub(crate) lines: Vec<ScoredLine>,
    /// The share of each line in the explanation of the failure, known at the end of the output.
    pub(crate) shares: Vec<f64>,
    text: Vec<u8>,
    /// The lines with a failure word, held or not.
    pub(super) failures: FailureLines,
    /// The kind of the output, known at its end.
    pub(super) class: Option<Class>,
    /// Both ends of each line, if there are few lines.
    pub(super) long: Option<LongLines>,
    /// The chooser, made at the first choice. A preview is tried with several notices.
    chooser: OnceLock<Chooser>,
}

impl ScoredLines {
    /// Reserves memory for lines of this [`ScoredLines::size`] once. A vector that grows would be
    /// moved and touch twice the memory. Reserved memory that is not used costs nothing.
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

    /// Returns the text of a line without its time stamp and the columns of a CI system.
    pub(crate) fn body(&self, line: &ScoredLine) -> &[u8] {
        line.body(self.text(line))
    }

    /// Finds the messages of compilers and linters. Several tests need them, and reading every line
    /// again for each test takes long.
    pub(super) fn find_messages(&mut self) {
        for line in &mut self.lines {
            let text = line.body(&self.text[line.place()]);
            line.is_message = diagnostic::read(text).is_some();
        }
    }

    /// Returns the message of a compiler or a linter in a line.
    pub(super) fn message(&self, line: &ScoredLine) -> Option<Diagnostic<'_>> {
        if line.is_message { diagnostic::read(self.body(line)) } else { None }
    }

    /// Returns the number of lines of the output, held or not; 0 if no line is held.
    pub(super) fn count(&self) -> u64 {
        self.lines.last().map_or(0, |last| last.number + 1)
    }

    /// Returns the chooser for these lines.
    pub(super) fn chooser(&self, hint: KindHint) -> &Chooser {
        self.chooser.get_or_init(|| Chooser::new(self, hint))
    }

    /// Returns the kind of the output, with the degree to which it looks like a failing log.
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

    /// Returns the kind of the output.
    pub(crate) fn kind(&self, hint: KindHint) -> Kind {
        self.chooser(hint).kind()
    }

    /// Returns the number of bytes of memory that the lines take, approximately. The number is the
    /// same on every machine, because it decides which lines are held.
    pub(crate) fn size(&self) -> usize {
        self.text.len() + self.lines.len() * LINE
    }

    /// Drops the lines that `keep` rejects, and their texts.
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

    /// Drops the lines that `keep` rejects, after their shares are known.
    pub(crate) fn narrow(&mut self, keep: impl Fn(&ScoredLine) -> bool) {
        let mut kept = self.lines.iter().map(&keep).collect::<Vec<bool>>().into_iter();
        self.shares.retain(|_| kept.next() == Some(true));
        (self.class, self.chooser, self.long) = (None, OnceLock::new(), None);
        self.retain(keep);
    }
}
