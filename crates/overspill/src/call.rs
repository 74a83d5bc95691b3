//! The call that an output comes from, and how it ended.

use serde::{Deserialize, Serialize};

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Call {
    /// The tool's name.
    pub tool: Option<String>,
    /// The call's own id.
    pub id: Option<String>,
    /// The session it belongs to.
    pub session: Option<String>,
    /// The command, where it was one.
    pub command: Option<String>,
    /// The directory it ran in.
    pub directory: Option<String>,
}

impl Call {
    /// Returns a call of `tool` without any other detail.
    pub fn new(tool: impl Into<String>) -> Call {
        Call { tool: Some(tool.into()), ..Call::default() }
    }
}

/// How a call ended. The record of a saved output says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallEnd {
    /// The exit code of the command.
    pub exit: Option<i32>,
    /// The signal that ended the command.
    pub signal: Option<i32>,
    /// The output may be incomplete, because something stopped the command or the reading.
    pub interrupted: bool,
}

impl CallEnd {
    /// The command exited with this code.
    pub const fn exited(code: i32) -> CallEnd {
        CallEnd { exit: Some(code), signal: None, interrupted: false }
    }

    /// This signal ended the command.
    pub const fn killed(signal: i32) -> CallEnd {
        CallEnd { exit: None, signal: Some(signal), interrupted: false }
    }

    /// Also says whether the output may be incomplete.
    #[must_use]
    pub const fn interrupted(self, interrupted: bool) -> CallEnd {
        CallEnd { interrupted, ..self }
    }
}
