//! The program from outside: what is typed, what is printed, what is left behind.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod children;
mod crowd;
mod cut;
mod kills;
mod power;
mod program;
mod retrieval;
mod run;
mod scarce;
mod signals;
mod terminal;
