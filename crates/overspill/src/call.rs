//! What is known of the call that an output comes from.

use serde::{Deserialize, Serialize};

/// The call of a tool, as far as the caller tells.
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
    /// A call of `tool`, and nothing else known.
    pub fn of(tool: impl Into<String>) -> Call {
        Call { tool: Some(tool.into()), ..Call::default() }
    }
}
