//! Tests the code that the packages share, from outside.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod embed;
mod redact;
mod results;
mod types;
mod variables;
