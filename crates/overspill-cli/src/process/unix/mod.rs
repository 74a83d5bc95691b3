//! Runs processes on Unix systems.
//!
//! `extra` contains the calls that differ between systems: it is the directory `linux` on Linux,
//! and `plain` elsewhere. The feature `portable-unix` selects `plain` on Linux, for tests.

mod ancestry;
mod child;
mod descriptors;
mod exec;
#[cfg_attr(all(target_os = "linux", not(feature = "portable-unix")), path = "../linux/mod.rs")]
#[cfg_attr(not(all(target_os = "linux", not(feature = "portable-unix"))), path = "plain/mod.rs")]
mod extra;
mod interruptible_input;
mod linger;
mod pipes;
mod pty;
mod service;
mod session;
mod signals;
mod stdio_kind;
mod stdio_target;
mod terminal_input;
mod times;
mod wait;
mod watch;

pub(crate) use ancestry::{is_below, parent_name};
pub(crate) use descriptors::Descriptors;
pub(crate) use exec::become_program;
pub(crate) use extra::widen;
pub(crate) use interruptible_input::InterruptibleInput;
pub(crate) use linger::{is_to_linger, linger};
pub(crate) use service::{end_group, is_reader_gone, take_end_signals};
pub(crate) use session::{GIVES_TERMINALS, is_in_foreground, is_to_lead, lead_session};
pub(crate) use signals::{
    block_file_size_signal, default_sigpipe, end_like, leave_keys_to_child, restore_signals,
    without_signals,
};
pub(crate) use stdio_kind::{
    input_ends_within, is_one_output, is_talked_to, is_terminal_plain, stdout_file, stdout_path,
    wait_for_reader,
};
pub(crate) use watch::run;

/// The size in bytes of the largest pipe that Linux allows for every user.
const LARGE_PIPE: usize = 1 << 20;
