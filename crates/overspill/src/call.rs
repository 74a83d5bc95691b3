//! The call that an output comes from, and how it ended.

use std::time::Duration;

use overspill_core::{KindHint, Oversized};
use serde::{Deserialize, Serialize};

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Call {
    /// The tool's name.
    pub tool: Option<String>,
    /// The id of the call.
    pub id: Option<String>,
    /// The session that the call belongs to.
    pub session: Option<String>,
    /// The command, if the call ran one.
    pub command: Option<String>,
    /// The directory in which the command ran.
    pub directory: Option<String>,
}

impl Call {
    /// Returns a call of `tool` without any other detail.
    pub fn new(tool: impl Into<String>) -> Call {
        Call { tool: Some(tool.into()), ..Call::default() }
    }
}

/// The way in which a call ended. The record of a saved output has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallEnd {
    /// The exit code of the command.
    pub exit: Option<i32>,
    /// The signal that ended the command.
    pub signal: Option<i32>,
    /// The output may be incomplete, because something stopped the command or the reading.
    pub interrupted: bool,
    /// A person watched the output on a terminal. No model read it.
    pub on_terminal: bool,
    /// The number of bytes that the reader got before the preview.
    pub sent_before: u64,
    /// The time that the command ran.
    pub took: Option<Duration>,
}

impl CallEnd {
    const NONE: CallEnd = CallEnd {
        exit: None,
        signal: None,
        interrupted: false,
        on_terminal: false,
        sent_before: 0,
        took: None,
    };

    /// Returns the end of a command that exited with this code.
    pub const fn exited(code: i32) -> CallEnd {
        CallEnd { exit: Some(code), ..CallEnd::NONE }
    }

    /// Returns the end of a command that this signal ended.
    pub const fn killed(signal: i32) -> CallEnd {
        CallEnd { signal: Some(signal), ..CallEnd::NONE }
    }

    /// Returns whether the command exited with 0, or `None` if its end is not known.
    pub fn succeeded(&self) -> Option<bool> {
        self.exit.map(|code| code == 0).or(self.signal.map(|_| false))
    }

    /// Adds to an output whether its command succeeded.
    pub(crate) fn hinted(self, over: Oversized<'_>) -> Oversized<'_> {
        let hint = KindHint { succeeded: self.succeeded(), ..over.policy().hint };
        over.with_hint(hint)
    }

    /// Sets whether the output may be incomplete.
    #[must_use]
    pub const fn interrupted(self, interrupted: bool) -> CallEnd {
        CallEnd { interrupted, ..self }
    }

    /// Sets the time that the command ran.
    #[must_use]
    pub const fn took(self, took: Duration) -> CallEnd {
        CallEnd { took: Some(took), ..self }
    }

    /// Sets whether a person watched the output on a terminal.
    #[must_use]
    pub const fn on_terminal(self, on_terminal: bool) -> CallEnd {
        CallEnd { on_terminal, ..self }
    }
}
