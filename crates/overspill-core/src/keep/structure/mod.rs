//! Chooses the shown parts of outputs that have a structure: JSON, tables, markup, diffs and test
//! reports.
//!
//! [`detect`] recognizes the structure from the start of an output. JSON becomes shorter JSON
//! ([`json`]). For the other structures, [`reader`] gives each line a rank, [`rows`] holds the
//! lines with the lowest ranks, and [`pick`] chooses among them at the end. A low rank stands for
//! a line that a person would look at first.

mod columns;
mod detect;
mod diff;
mod field_roles;
pub(crate) mod json;
mod markup;
mod novelty;
mod pick;
mod reader;
mod rows;
mod table;
mod tap;

pub(crate) use detect::{Format, detect};
pub(crate) use json::Outline;
pub(crate) use rows::StructuredLines;

use crate::{Grain, LineRule, Policy};

/// The number of bytes at the start of an output that are examined to find its structure.
pub(crate) const SAMPLE: usize = 64 * 1024;

/// Tells whether the policy chooses parts by structure.
pub(crate) fn applies(policy: &Policy) -> bool {
    policy.keep.reads_structure()
        && policy.grain == Grain::Line
        && policy.lines == LineRule::Terminated
}
