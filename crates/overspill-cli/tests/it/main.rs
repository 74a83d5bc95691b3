//! The program from outside: what is typed, what is printed, what is left behind.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod cut;
mod program;
mod retrieval;
mod run;
