//! Describes the command to run: its arguments, streams, terminal and times.

use std::ffi::OsString;
use std::time::Duration;

/// The command to run, and how to run it.
#[derive(Debug, Default)]
pub(crate) struct CommandSpec {
    /// The program and its arguments; never empty.
    pub(crate) words: Vec<OsString>,
    /// The destination of its standard error.
    pub(crate) stderr: Stderr,
    /// The terminal that it gets.
    pub(crate) terminal: CommandTerminal,
    /// The time after which overspill ends the command and everything that it has started.
    pub(crate) timeout: Option<Duration>,
    /// The variables that are added to the environment of this process.
    pub(crate) variables: Vec<(&'static str, OsString)>,
    /// The condition that completes its output.
    #[allow(dead_code, reason = "the standard library cannot stop to read an output that is open")]
    pub(crate) until: OutputEnd,
    /// The use of output that background processes write after that.
    #[allow(dead_code, reason = "the standard library cannot stop to read an output that is open")]
    pub(crate) leftover: Leftover,
    /// Tells whether to report, at growing intervals, that the command still runs.
    #[allow(dead_code, reason = "the standard library cannot wait for a time and for output")]
    pub(crate) watched: bool,
    /// The interval for [`ProcessEvent::Interval`](super::ProcessEvent::Interval) events, if any.
    #[allow(dead_code, reason = "the standard library cannot wait for a time and for output")]
    pub(crate) every: Option<Duration>,
}

/// The condition that completes the output of a command. Background processes can outlast their
/// command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputEnd {
    /// The command has ended, and no output came for `pause`, or `longest` has passed since its
    /// end.
    Pause { pause: Duration, longest: Option<Duration> },
    /// This time has passed since the command ended, or every process has closed the output.
    After(Duration),
    /// Every process has closed the output.
    PipeEnd,
}

impl OutputEnd {
    /// The condition if overspill does not know the reader of the output.
    pub(crate) const USUAL: OutputEnd = OutputEnd::Pause {
        pause: Duration::from_millis(250),
        longest: Some(Duration::from_secs(2)),
    };
}

impl Default for OutputEnd {
    fn default() -> OutputEnd {
        OutputEnd::USUAL
    }
}

/// The use of output that background processes write after the output of their command is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Leftover {
    /// Read and drop the output, because a background process must not die at its next line.
    #[default]
    Dropped,
    /// Read and drop the output, but keep the standard output of this process open until the
    /// background processes end. If something was dropped, keep it open for this time longer, so
    /// that a reader that waits notices the output.
    Held(Duration),
    /// Copy the output to the standard output of this process.
    Forwarded,
}

/// The terminal that a command gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum CommandTerminal {
    /// No terminal: the command writes to a pipe.
    #[default]
    None,
    /// A terminal whose output has plain line feeds, for a reader that is not a terminal.
    Plain,
    /// A terminal like ours, with our modes, keys and job control. Its output goes to our terminal
    /// unchanged.
    LikeOurs,
}

/// The destination of the command's standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Stderr {
    /// Together with standard output, in the order written.
    #[default]
    Merged,
    /// Shortened and saved on its own, and shown on standard error.
    Separate,
    /// Unchanged.
    Pass,
    /// Shortened and saved together with standard output. Short output keeps its streams.
    #[value(skip)]
    Joined,
}
