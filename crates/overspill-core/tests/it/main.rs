//! Tests the library from outside: laws, twins, and previews of real outputs.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod belongs;
mod cleaning;
mod common;
mod folds;
mod forms;
mod kinds;
mod kinds_of_files;
mod laws;
mod limits;
mod logs;
mod logs_with_source;
mod long_lines;
mod notes;
mod prefixes;
mod redraws;
mod runs;
mod signal;
mod structure;
mod tokens;
mod twin;
mod wording;
