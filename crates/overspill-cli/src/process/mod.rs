//! Runs a command as if it were started without overspill.
//!
//! The command stays in the process group of overspill, so signals to the group reach it. It
//! inherits the input, environment, directory, signal mask and descriptors.
//!
//! `unix` is the implementation for Unix systems, with faster Linux code in `linux`. `other.rs` is
//! for all other systems and needs only the standard library; the feature `portable-std` selects
//! it.

mod command_spec;
mod ended;
mod read;
#[cfg_attr(all(unix, not(feature = "portable-std")), path = "unix/mod.rs")]
#[cfg_attr(not(all(unix, not(feature = "portable-std"))), path = "other.rs")]
mod system;

pub(crate) use command_spec::{CommandSpec, CommandTerminal, Leftover, OutputEnd, Stderr};
pub(crate) use ended::{Ended, How, Unstartable};
pub(crate) use read::{Buffer, read_to_end};
pub(crate) use system::{
    Descriptors, GIVES_TERMINALS, InterruptibleInput, become_program, block_file_size_signal,
    end_group, end_like, input_ends_within, is_below, is_in_foreground, is_one_output,
    is_reader_gone, is_talked_to, is_terminal_plain, is_to_lead, is_to_linger, lead_session,
    leave_keys_to_child, linger, parent_name, restore_signals, run, stdout_file, stdout_path,
    take_end_signals, wait_for_reader, widen, without_signals,
};

/// Restores the default action of SIGPIPE. The standard library ignores the signal before `main`,
/// and the command would inherit that.
#[allow(dead_code, reason = "not every system starts the program with the standard library")]
pub(crate) fn default_sigpipe() {
    system::default_sigpipe();
}

/// The stream that the command wrote to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Standard output, and standard error if both go to one pipe.
    Out,
    /// Standard error.
    Err,
}

/// An event of a running command.
#[derive(Debug)]
pub(crate) enum ProcessEvent<'a> {
    /// The command has written these bytes.
    Bytes(Stream, &'a [u8]),
    /// A signal asked overspill to end, and the command still runs.
    #[allow(dead_code, reason = "systems without signals do not report it")]
    AskedToEnd,
    /// The command has printed something a moment ago, and still runs.
    #[allow(dead_code, reason = "the standard library cannot wait for a time and for output")]
    FirstLook,
    /// The command still runs. Each of these events comes after twice the time of the one before.
    #[allow(dead_code, reason = "the standard library cannot wait for a time and for output")]
    StillRunning,
    /// The command still runs. This event comes at equal intervals, if the caller asked for it.
    #[allow(dead_code, reason = "the standard library cannot wait for a time and for output")]
    Interval,
}

/// The way to ask a process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    /// The process may finish its work.
    Kindly,
    /// The process ends at once.
    Firmly,
}

/// Tells whether the caller wants more events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    More,
    /// The reader of the output of this process is gone.
    NoMore,
}
