//! Keeps the lines that matter, wherever they stand.
//!
//! Every line is scored as it streams by ([`scan`]): its words, those of the lines beside it, and
//! its circumstances are looked up in a table of weights. The first lines, the last ones and the
//! best of those between are held ([`pool`]). At the end the ones that are worth most together
//! under the budget are chosen ([`pack`]), the last lines among them in any case.

mod belongs;
mod block;
mod bridge;
mod choose;
mod classify;
mod diagnostic;
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
mod read_budget;
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
pub(crate) use scan::SignalScan;
pub(crate) use weights::Weights;

pub use failure_lines::CutFailures;

use crate::{Grain, LineRule, Policy};

/// Tells whether lines are chosen by what they say.
pub(crate) fn applies(policy: &Policy) -> bool {
    policy.keep.reads_lines() && policy.grain == Grain::Line && policy.lines == LineRule::Terminated
}

/// Tells whether a line without its break says in the form of a tool that something failed: `error: …`, `3 failed`.
pub fn is_failed_row(line: &[u8]) -> bool {
    has_failure_word(line) && form::RowForm::of(&line[stamp::len(line)..]) != form::RowForm::Other
}

/// Tells whether a line without its break holds a word of failure and did not pass.
pub fn has_failure_word(line: &[u8]) -> bool {
    words::read(line).hit() && !outcome::has_passed(line)
}
