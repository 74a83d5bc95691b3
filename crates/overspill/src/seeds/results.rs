//! The results and events that three of the source systems describe.

use overspill_core::{LeftOut, Unit};
use serde::{Deserialize, Serialize};

use crate::{Event, EventKind, Outcome};

/// The result of `agent-v2` and `opencode`.
///
/// The JSON of a result is `{content, truncated: false}` or `{content, truncated: true, outputPath, …}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "ResultFields", into = "ResultFields")]
pub enum ServiceResult {
    /// The model gets the output unchanged.
    Whole {
        /// The output.
        content: String,
    },
    /// The model gets a part of the output.
    Cut {
        /// The text for the model: preview, marker and hint.
        content: String,
        /// The path of the whole output. `None` if it could not be saved.
        output_path: Option<String>,
        /// The number of removed lines, if lines are counted.
        removed_lines: Option<u64>,
        /// The number of removed bytes, if bytes are counted.
        removed_bytes: Option<u64>,
    },
}

impl ServiceResult {
    /// Makes the result of an outcome.
    pub fn of(outcome: &Outcome) -> ServiceResult {
        let content = outcome.text().into_owned();
        let Outcome::Spilled(spilled) = outcome else { return ServiceResult::Whole { content } };
        let (removed_lines, removed_bytes) = match spilled.left_out {
            LeftOut::Lines(n) => (Some(n), None),
            LeftOut::Bytes(n) => (None, Some(n)),
            LeftOut::Chars(_) => (None, None),
        };
        let output_path = spilled.path().map(str::to_owned);
        ServiceResult::Cut { content, output_path, removed_lines, removed_bytes }
    }

    /// Returns the text for the model.
    pub fn content(&self) -> &str {
        match self {
            ServiceResult::Whole { content } | ServiceResult::Cut { content, .. } => content,
        }
    }

    /// Tells whether the output was cut.
    pub fn is_cut(&self) -> bool {
        matches!(self, ServiceResult::Cut { .. })
    }

    /// Returns the path of the whole output, if it was saved.
    pub fn output_path(&self) -> Option<&str> {
        match self {
            ServiceResult::Whole { .. } => None,
            ServiceResult::Cut { output_path, .. } => output_path.as_deref(),
        }
    }
}

/// The JSON of a [`ServiceResult`].
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResultFields {
    content: String,
    truncated: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    removed_lines: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    removed_bytes: Option<u64>,
}

impl From<ServiceResult> for ResultFields {
    fn from(result: ServiceResult) -> ResultFields {
        match result {
            ServiceResult::Whole { content } => ResultFields {
                content,
                truncated: false,
                output_path: None,
                removed_lines: None,
                removed_bytes: None,
            },
            ServiceResult::Cut { content, output_path, removed_lines, removed_bytes } => {
                ResultFields { content, truncated: true, output_path, removed_lines, removed_bytes }
            }
        }
    }
}

impl From<ResultFields> for ServiceResult {
    fn from(fields: ResultFields) -> ServiceResult {
        let ResultFields { content, truncated, output_path, removed_lines, removed_bytes } = fields;
        match truncated {
            false => ServiceResult::Whole { content },
            true => ServiceResult::Cut { content, output_path, removed_lines, removed_bytes },
        }
    }
}

/// An event as the document of `agent-v2` describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceEvent {
    /// `truncated`, `skipped` or `error`.
    pub r#type: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The size of the output in bytes.
    pub original_size: u64,
    /// The size of the text for the model in bytes.
    pub truncated_size: u64,
    /// The path of the whole output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_path: Option<String>,
    /// The error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The time, in milliseconds since 1970.
    pub timestamp: i64,
}

impl ServiceEvent {
    /// Converts one of our events.
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
            timestamp: event.time.as_millisecond(),
        }
    }
}

/// The result record of `klaude`. Lengths are in characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TruncationResult {
    /// The text for the model.
    pub output: String,
    /// Whether a part is hidden.
    pub was_truncated: bool,
    /// The path of the whole output.
    pub saved_file_path: Option<String>,
    /// The length of the whole output.
    pub original_length: u64,
    /// The length of the hidden part.
    pub truncated_length: u64,
}

/// The part of the result of `klaude` that the user sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TruncationUiExtra {
    /// The path of the whole output.
    pub saved_file_path: String,
    /// The length of the whole output.
    pub original_length: u64,
    /// The length of the hidden part.
    pub truncated_length: u64,
}

impl TruncationResult {
    /// Makes the result of an outcome.
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

    /// Returns the part for the user. `None` unless a file was saved.
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
