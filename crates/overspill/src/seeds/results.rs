//! The results and events that three of the source systems describe.

use overspill_core::{LeftOut, Unit};
use serde::{Deserialize, Serialize};

use crate::{Event, EventKind, Outcome};

/// Content, and whether and where it was cut: `{content, truncated, outputPath?, …}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceResult {
    /// What the model gets.
    pub content: String,
    /// Whether it was cut.
    pub truncated: bool,
    /// Where the whole output is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_path: Option<String>,
    /// How many lines were removed, where they are what is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_lines: Option<u64>,
    /// How many bytes were removed, where they are what is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_bytes: Option<u64>,
}

impl ServiceResult {
    /// Says what became of an output.
    pub fn of(outcome: &Outcome) -> ServiceResult {
        let content = String::from_utf8_lossy(outcome.bytes()).into_owned();
        match outcome {
            Outcome::Whole(_) | Outcome::Masked(_) => ServiceResult {
                content,
                truncated: false,
                output_path: None,
                removed_lines: None,
                removed_bytes: None,
            },
            Outcome::Spilled(spilled) => {
                let (removed_lines, removed_bytes) = match spilled.left_out {
                    LeftOut::Lines(n) => (Some(n), None),
                    LeftOut::Bytes(n) => (None, Some(n)),
                    LeftOut::Chars(_) => (None, None),
                };
                let output_path = spilled.path().map(str::to_owned);
                ServiceResult {
                    content,
                    truncated: true,
                    output_path,
                    removed_lines,
                    removed_bytes,
                }
            }
        }
    }
}

/// An event in the words of the `agent-v2` document. The time is the listener's to add.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceEvent {
    /// `truncated`, `skipped` or `error`.
    pub r#type: String,
    /// The tool.
    pub tool_name: String,
    /// Bytes of the output.
    pub original_size: u64,
    /// Bytes of what the model gets.
    pub truncated_size: u64,
    /// Where the whole output is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_path: Option<String>,
    /// What failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl ServiceEvent {
    /// Puts an event of ours in those words.
    pub fn of(event: &Event) -> ServiceEvent {
        let (r#type, output_path, error) = match &event.what {
            EventKind::Skipped => ("skipped", None, None),
            EventKind::Spilled { path } => ("truncated", path.map(str::to_owned), None),
            EventKind::Failed { error } => ("error", None, Some(error.to_string())),
        };
        ServiceEvent {
            r#type: r#type.to_owned(),
            tool_name: event.call.tool.clone().unwrap_or_default(),
            original_size: event.original_bytes,
            truncated_size: event.shown_bytes,
            output_path,
            error,
        }
    }
}

/// The result record of `klaude`; lengths in characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TruncationResult {
    /// What the model gets.
    pub output: String,
    /// Whether anything is hidden.
    pub was_truncated: bool,
    /// Where the whole output is.
    pub saved_file_path: Option<String>,
    /// Length of the whole output.
    pub original_length: u64,
    /// How much of it is hidden.
    pub truncated_length: u64,
}

/// What the user is shown of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TruncationUiExtra {
    /// Where the whole output is.
    pub saved_file_path: String,
    /// Length of the whole output.
    pub original_length: u64,
    /// How much of it is hidden.
    pub truncated_length: u64,
}

impl TruncationResult {
    /// Says what became of an output.
    pub fn of(outcome: &Outcome) -> TruncationResult {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match outcome {
            Outcome::Whole(_) | Outcome::Masked(_) => TruncationResult {
                output: text(outcome.bytes()),
                was_truncated: false,
                saved_file_path: None,
                original_length: text(outcome.bytes()).chars().count() as u64,
                truncated_length: 0,
            },
            Outcome::Spilled(spilled) => TruncationResult {
                output: spilled.text.clone(),
                was_truncated: true,
                saved_file_path: spilled.path().map(str::to_owned),
                original_length: spilled.total.chars,
                truncated_length: spilled.hidden(Unit::Chars),
            },
        }
    }

    /// What goes into the result's UI extra; there is one only when a file was saved.
    pub fn ui_extra(&self) -> Option<TruncationUiExtra> {
        Some(TruncationUiExtra {
            saved_file_path: self.saved_file_path.clone()?,
            original_length: self.original_length,
            truncated_length: self.truncated_length,
        })
    }
}

impl TruncationUiExtra {
    /// Returns the two lines for a terminal, without colour or indent.
    pub fn render(&self) -> String {
        let TruncationUiExtra { saved_file_path, original_length, truncated_length } = self;
        format!(
            "Output truncated: {original_length} chars total, {truncated_length} chars hidden\n\
             Full output saved to {saved_file_path}"
        )
    }
}
