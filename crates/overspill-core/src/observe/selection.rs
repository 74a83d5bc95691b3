//! The lines or the outline that a preview is chosen from, beyond the two ends of an output.
//!
//! Each way of keeping that reads more than the ends has a variant here, and one in
//! [`collector`](crate::observe::collector), which fills it. All questions about a selection are
//! answered here.

use std::ops::Range;

use crate::keep::SelectedBlocks;
use crate::keep::signal::{self, ScoredLines};
use crate::keep::structure::{self, Outline, StructuredLines};
use crate::measure::limits::Cost;
use crate::{Cut, CutFailures, Kind, KindHint, Limits, Policy};

/// The lines or the outline that a preview is chosen from.
#[derive(Debug, Clone)]
pub(crate) enum Selection {
    /// Nothing: the two ends are shown.
    Ends,
    /// Lines that may matter.
    Lines(Box<ScoredLines>),
    /// Lines of a table, a diff or a test report.
    Rows(Box<StructuredLines>),
    /// A shorter text that keeps the structure. It is shown instead of parts of the output.
    Outline(Box<Outline>),
}

/// A line that a preview may show.
pub(crate) struct CandidateLine {
    /// The range of the original.
    pub(crate) bytes: Range<u64>,
    /// The number of the line, counted from 1.
    pub(crate) number: u64,
    /// Whether the text is the start of a line. A report on one line has many parts.
    pub(crate) starts_line: bool,
    pub(crate) text: Vec<u8>,
    /// The number of bytes of the original that are shown unchanged.
    pub(crate) unchanged: u64,
}

impl Selection {
    /// Tells whether the policy needs more of an output than its ends.
    pub(crate) fn looks_at_all(policy: &Policy) -> bool {
        signal::applies(policy) || structure::applies(policy)
    }

    /// Chooses lines of an output of `len` bytes within `limits`. Each gap takes the room of
    /// `mark`.
    ///
    /// Returns `None` if the two ends are to be shown.
    pub(crate) fn choose(
        &self,
        policy: &Policy,
        limits: &Limits,
        mark: &Cost,
        len: u64,
    ) -> Option<SelectedBlocks> {
        match self {
            Selection::Ends | Selection::Outline(_) => None,
            Selection::Lines(lines) => {
                if let Some(blocks) = lines.ends_of_lines(policy, limits, mark) {
                    return Some(SelectedBlocks { blocks, is_enough: false });
                }
                let chosen = signal::choose(lines, policy, limits, mark)?;
                let blocks = chosen.blocks.iter().map(|block| lines.selected(block, len)).collect();
                Some(SelectedBlocks { blocks, is_enough: chosen.is_enough })
            }
            Selection::Rows(rows) => {
                let blocks = rows.choose(policy, limits, mark, len)?;
                Some(SelectedBlocks { blocks, is_enough: false })
            }
        }
    }

    /// Writes a shorter text of our own within `limits`, if the structure of the output calls for
    /// it.
    pub(crate) fn outline(&self, policy: &Policy, limits: &Limits) -> Option<String> {
        match self {
            Selection::Outline(outline) => outline.fit(policy, limits),
            Selection::Ends | Selection::Lines(_) | Selection::Rows(_) => None,
        }
    }

    /// Tells whether a preview may have more than one gap.
    pub(crate) fn has_lines(&self) -> bool {
        match self {
            Selection::Lines(_) | Selection::Rows(_) => true,
            Selection::Ends | Selection::Outline(_) => false,
        }
    }

    /// Returns the kind of the output, if it is text. `None` if only the ends were read.
    pub(crate) fn kind(&self, hint: KindHint) -> Option<Kind> {
        match self {
            Selection::Ends => None,
            Selection::Outline(_) => Some(Kind::Json),
            Selection::Rows(rows) => Some(rows.kind()),
            Selection::Lines(lines) => Some(lines.kind(hint)),
        }
    }

    /// Returns the lines with a sign of failure that `cut` leaves out. `None` if not every line was
    /// read.
    pub(crate) fn cut_failures(&self, cut: &Cut, hint: KindHint) -> Option<CutFailures> {
        match self {
            Selection::Lines(lines) => Some(lines.cut_failures(cut, hint)),
            Selection::Ends | Selection::Rows(_) | Selection::Outline(_) => None,
        }
    }

    /// Drops the lines whose range `is_kept` rejects, and returns the others.
    pub(crate) fn narrow(&mut self, is_kept: impl Fn(&Range<u64>) -> bool) -> Vec<CandidateLine> {
        match self {
            Selection::Ends | Selection::Outline(_) => Vec::new(),
            Selection::Lines(lines) => {
                lines.narrow(|line| is_kept(&(line.start..line.end)));
                let candidates = lines.lines.iter().map(|line| CandidateLine {
                    bytes: line.start..line.end,
                    number: line.number + 1,
                    starts_line: true,
                    text: lines.text(line).to_vec(),
                    unchanged: u64::from(line.unchanged),
                });
                candidates.collect()
            }
            Selection::Rows(rows) => {
                rows.narrow(is_kept);
                let candidates = rows.shown().map(|row| CandidateLine {
                    bytes: row.bytes,
                    number: row.line + 1,
                    starts_line: row.starts_line,
                    text: row.text.to_vec(),
                    unchanged: row.unchanged,
                });
                candidates.collect()
            }
        }
    }
}
