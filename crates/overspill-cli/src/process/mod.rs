//! A command that runs on our behalf, as much like an unwrapped one as can be.
//!
//! It stays in our process group, so that whatever is sent to the group still reaches it, and gets
//! our input, environment, directory, signal mask and descriptors as they are.

mod command_spec;
mod ended;
#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "other.rs")]
mod system;

pub(crate) use command_spec::{CommandSpec, Stderr};
pub(crate) use ended::{Ended, How, Unstartable};
pub(crate) use system::{
    Descriptors, InterruptibleInput, become_program, block_file_size_signal, end_like, is_below,
    is_one_output, is_talked_to, is_to_linger, linger, restore_signals, run,
};

/// Which of its two streams the command wrote to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Standard output, and standard error where they are one.
    Out,
    /// Standard error.
    Err,
}

/// What is heard of a command while it runs.
#[derive(Debug)]
pub(crate) enum ProcessEvent<'a> {
    /// It has written something.
    Bytes(Stream, &'a [u8]),
    /// Somebody asked us to end some time ago, and the command is still there.
    AskedToEnd,
    /// It has been running for as long as we were to wait before saying so.
    StillRunning,
}

/// Tells whether anybody is left who wants to hear more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Go on.
    More,
    /// Our reader has gone.
    NoMore,
}
