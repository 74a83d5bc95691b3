//! The event that an observer gets: exactly one for each call.

use jiff::Timestamp;

use crate::{Call, Error};

/// The event of a call.
#[derive(Debug)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The call.
    pub call: &'a Call,
    /// When the call was handled, by the engine's clock.
    pub time: Timestamp,
    /// How many bytes the tool produced.
    pub original_bytes: u64,
    /// How many bytes the reader gets.
    pub shown_bytes: u64,
    /// What happened.
    pub what: EventKind<'a>,
}

/// What happened to the output of a call.
#[derive(Debug)]
pub enum EventKind<'a> {
    /// The reader gets the output as it is: it fits, or shortening is off.
    Skipped,
    /// The reader gets a preview.
    Spilled {
        /// The path of the saved output. `None` if the profile saves nothing.
        path: Option<&'a str>,
    },
    /// The output was too large, and saving or the strategy failed.
    Failed {
        /// The error.
        error: &'a Error,
    },
}
