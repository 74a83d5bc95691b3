//! The command to run, and how to run it.

use std::ffi::OsString;
use std::time::Duration;

/// The command to run, and how to run it.
#[derive(Debug, Default)]
pub(crate) struct CommandSpec {
    /// The program and its arguments; never empty.
    pub(crate) words: Vec<OsString>,
    /// Where its standard error goes.
    pub(crate) stderr: Stderr,
    /// The terminal that it gets.
    pub(crate) terminal: CommandTerminal,
    /// The time after which it is ended, with everything that it has started.
    pub(crate) timeout: Option<Duration>,
    /// Variables that are added to our environment.
    pub(crate) variables: Vec<(&'static str, OsString)>,
    /// When its output is complete.
    #[allow(dead_code, reason = "the standard library cannot stop to read an output that is open")]
    pub(crate) until: OutputEnd,
    /// The use of output that background processes write after that.
    #[allow(dead_code, reason = "the standard library cannot stop to read an output that is open")]
    pub(crate) leftover: Leftover,
    /// We report at intervals that it still runs.
    #[allow(dead_code, reason = "the standard library cannot wait for a time and for output")]
    pub(crate) watched: bool,
    /// We report after each of these times that it still runs.
    #[allow(dead_code, reason = "the standard library cannot wait for a time and for output")]
    pub(crate) every: Option<Duration>,
}

/// When the output of a command is complete. Background processes of a command can outlast it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputEnd {
    /// The command has ended, and nothing came for this time, or the longest time has passed since then.
    Pause { pause: Duration, longest: Option<Duration> },
    /// This time has passed since the command ended, or every process has closed the output.
    After(Duration),
    /// Every process has closed the output.
    PipeEnd,
}

impl OutputEnd {
    /// The end of an output whose reader is not known.
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

/// The use of output that background processes write when the output of their command is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Leftover {
    /// It is read and dropped, because a background process must not end at its next line.
    #[default]
    Dropped,
    /// The same. Our standard output stays open until the background processes end, and this time longer if
    /// something was dropped: a reader that waits so long learns that there is more.
    Held(Duration),
    /// It goes to our standard output.
    Forwarded,
}

/// The terminal that a command gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum CommandTerminal {
    /// It writes to a pipe.
    #[default]
    None,
    /// A terminal whose output has plain line feeds, for a reader that is no terminal.
    Plain,
    /// A terminal like ours: with our modes, keys and job control. Its output goes to our terminal as it is.
    LikeOurs,
}

/// Where the command's standard error goes.
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
