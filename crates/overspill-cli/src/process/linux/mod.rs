//! Processes as Linux has them.

mod child;
mod descriptors;
mod exec;
mod interruptible_input;
mod linger;
mod pipes;
mod pty;
mod signals;
mod start;
mod stdio_kind;
mod terminal_input;
mod watch;

pub(crate) use descriptors::Descriptors;
pub(crate) use exec::{become_program, is_below};
pub(crate) use interruptible_input::InterruptibleInput;
pub(crate) use linger::{is_to_linger, linger};
pub(crate) use signals::{block_file_size_signal, end_like, restore_signals};
pub(crate) use stdio_kind::{is_one_output, is_talked_to};
pub(crate) use watch::run;
