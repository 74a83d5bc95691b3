//! Answers questions about a saved output: pages, searches, JSON values, differences.
//!
//! Every answer fits the limits of its question and says where the next page begins.

mod answer;
#[cfg(feature = "diff")]
mod diff;
#[cfg(any(feature = "diff", feature = "grep"))]
mod excerpt;
#[cfg(feature = "grep")]
mod grep;
mod json;
mod page;
mod partial;
mod source;
mod typed_range;
mod usage;

pub use answer::{Answer, Request, lines_not_searched, outputs_not_searched};
#[cfg(feature = "diff")]
pub use diff::{DiffError, Differences, diff, previous_run};
#[cfg(feature = "grep")]
pub use grep::{BadPattern, GrepError, GrepLine, GrepMatches, Query, count, grep};
pub use json::{BadJson, BadPath, FromValue, JsonError, JsonPath, Values, values};
pub use page::{Page, Part, read};
pub use partial::{MissingLines, missing_lines};
pub use usage::{Usage, usage};
