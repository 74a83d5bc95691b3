//! Answers questions about a saved output: pages, searches, JSON values, differences.
//!
//! Every answer is within the limits of its question and has the request for the next page.

pub(crate) mod answer;
#[cfg(feature = "diff")]
pub(crate) mod diff;
#[cfg(any(feature = "diff", feature = "grep"))]
mod excerpt;
#[cfg(feature = "grep")]
pub(crate) mod grep;
pub(crate) mod json;
pub(crate) mod page;
pub(crate) mod partial;
pub(crate) mod seen;
mod source;
#[cfg(feature = "diff")]
pub(crate) mod test_report;
mod typed_range;
pub(crate) mod usage;

pub use answer::{Answer, Request};
#[cfg(feature = "grep")]
pub use grep::{GrepError, Query};
