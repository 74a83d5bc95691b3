//! The event that an observer gets: exactly one for each call.

use jiff::Timestamp;

use crate::{Call, Error};

/// The event of a call.
#[derive(Debug)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The call.
    pub call: &'a Call,
    /// The time at which the call was handled, by the engine's clock.
    pub time: Timestamp,
    /// The number of bytes that the tool printed.
    pub original_bytes: u64,
    /// The number of bytes that the reader gets.
    pub shown_bytes: u64,
    /// The result of the call.
    pub what: EventKind<'a>,
}

/// The result of a call: whether its output was shortened.
#[derive(Debug)]
pub enum EventKind<'a> {
    /// The reader gets the output unchanged: it is short, or shortening is off.
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
