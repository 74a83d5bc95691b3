//! Items for the other crates of this workspace. Any version may change them: see
//! `docs/stability.md`.

pub use crate::excerpt::Excerpt;
pub use crate::keep::signal::{has_failure_word, is_failed_row};
pub use crate::measure::size::Meter;
pub use crate::observe::binary_label;
pub use crate::share::{share, share_limits};

/// Splits JSON into tokens, in chunks of any size.
pub mod json {
    pub use crate::json::{JsonToken, JsonTokens, MalformedJson};
}

/// Cleans text, and writes numbers with units.
pub mod text {
    pub use crate::text::{Cleaned, clean, counted, defused, whole_chars};
}
