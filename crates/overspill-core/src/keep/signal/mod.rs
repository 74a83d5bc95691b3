//! Chooses the lines that matter, at any place in the output.
//!
//! [`scan`] scores every line as it streams in: a table of weights has a value for the words of the
//! line, for the words of its neighbours and for its context. [`pool`] holds the first lines, the
//! last lines and the lines with the best scores. At the end, [`choose()`] and [`pack`] choose the
//! lines that are worth most together within the limits. The last lines are always among them.

mod belongs;
mod block;
mod bridge;
mod changes;
mod choose;
mod classify;
mod code_line;
mod config;
mod diagnostic;
mod failed_row;
mod failure;
mod failure_lines;
mod failure_prefilter;
mod features;
mod fold;
mod form;
mod late;
mod line;
mod line_cache;
mod listing;
mod long;
mod notes;
mod odd;
mod outcome;
mod pack;
mod pool;
mod prose;
mod quiet;
mod read_budget;
mod records;
mod redraw;
mod scan;
mod search;
mod share;
mod source;
mod stamp;
mod template_counts;
#[cfg(feature = "train")]
pub mod train;
mod weights;
mod words;

pub(crate) use choose::choose;
pub(crate) use line::ScoredLines;
pub(crate) use listing::path_after_facts;
pub(crate) use scan::SignalScan;
pub(crate) use stamp::has_job_columns;
pub(crate) use weights::Weights;

pub use failure_lines::CutFailures;

use crate::{Grain, LineRule, Policy};

/// Tells whether the policy chooses lines by their text.
pub(crate) fn applies(policy: &Policy) -> bool {
    policy.keep.reads_lines() && policy.grain == Grain::Line && policy.lines == LineRule::Terminated
}

/// Tells whether a line reports a failure in the form of a tool: `error: …`, `3 failed`. The line
/// comes without its line break.
pub fn is_failed_row(line: &[u8]) -> bool {
    has_failure_word(line) && form::RowForm::of(&line[stamp::len(line)..]) != form::RowForm::Other
}

/// Tells whether a line contains a failure word and does not report a success. The line comes
/// without its line break.
pub fn has_failure_word(line: &[u8]) -> bool {
    words::read(line).hit() && !outcome::has_passed(line)
}
