//! Where text may be cut: characters and lines. The only place that slices text.

mod clean;
mod defuse;
pub(crate) mod held;
pub(crate) mod lines;
pub(crate) mod utf8;

/// Makes `text` readable and keeps it on one line.
pub(crate) fn one_line(text: &str) -> String {
    clean(text.as_bytes()).text.replace('\n', "\u{240A}")
}

pub use clean::{Cleaned, clean};
pub(crate) use clean::{Cleaner, Sink};
pub(crate) use defuse::defuse;
pub(crate) use utf8::{ceil_char, count_chars, floor_char, nth_char, nth_char_from_end};
