//! Processes as Linux has them.

mod child;
mod descriptors;
mod exec;
mod keys;
mod linger;
mod pty;
mod signals;
mod standing;
mod start;
mod until;
mod watch;
mod wires;

pub(crate) use descriptors::Descriptors;
pub(crate) use exec::{become_program, is_below};
pub(crate) use linger::{is_to_linger, linger};
pub(crate) use signals::{block_file_size_signal, end_like, restore_signals};
pub(crate) use standing::{is_one_output, is_talked_to};
pub(crate) use until::UntilAsked;
pub(crate) use watch::run;
