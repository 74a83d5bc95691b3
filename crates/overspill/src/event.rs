//! What is reported of each call: exactly one event.

use crate::{Call, Error};

/// What became of a call's output.
#[derive(Debug)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The call.
    pub call: &'a Call,
    /// How many bytes the tool produced.
    pub original_bytes: u64,
    /// How many bytes the reader gets.
    pub shown_bytes: u64,
    /// What happened.
    pub what: EventKind<'a>,
}

/// The three things that can happen.
#[derive(Debug)]
pub enum EventKind<'a> {
    /// It passed as it is: it fits, or is not to be cut.
    Skipped,
    /// It was cut, and saved here.
    Spilled {
        /// Where the whole output is, if it was to be saved.
        path: Option<&'a str>,
    },
    /// It was too large, and something failed.
    Failed {
        /// What failed.
        error: &'a Error,
    },
}
