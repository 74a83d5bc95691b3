//! The record of a preview: the policy that made the preview, and the lines that it shows.

use overspill_core::Limits;
use serde::{Deserialize, Serialize};

use super::sent_text::SentText;

/// The policy that made a preview, and the lines that the preview shows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PreviewRecord {
    /// The limits of the preview.
    #[serde(with = "LimitsJson")]
    pub limits: Limits,
    /// The value of the setting `keep`, as in [`KEEPS`](crate::settings::KEEPS).
    pub keep: String,
    /// The name of the output's [`Kind`](crate::core::Kind), or `ends` if overspill looked only at
    /// the ends, or `pieces` or `text` for a strategy.
    pub kind: String,
    /// Whether the preview uses all of its room, see [`Policy::fill`](crate::core::Policy::fill).
    #[serde(skip_serializing_if = "is_false")]
    pub fill: bool,
    /// Whether the caller named the kind, instead of overspill detecting it.
    #[serde(skip_serializing_if = "is_false")]
    pub is_kind_forced: bool,
    /// The first and the last line of each part that [`Record::shown`](super::Record::shown) names.
    pub lines: Vec<(u64, u64)>,
    /// The host's tool that the notice names, if it names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_tool: Option<String>,
    /// The text around the shown parts. Older versions and the profiles of source systems do not
    /// record it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_text: Option<SentText>,
}

// The signature is what serde asks for.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// The JSON form of [`Limits`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "Limits")]
struct LimitsJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chars: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
}

impl PreviewRecord {
    /// Tells whether this version can have written this record of another machine, with a pair of
    /// lines for each of `parts`.
    #[cfg(feature = "bucket")]
    pub(in crate::store) fn is_plausible(&self, parts: usize) -> bool {
        let is_word = |text: &str| {
            text.len() <= 32 && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        };
        let is_name = |text: &String| {
            text.len() <= 32 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        let is_order = |(first, last): &(u64, u64)| first <= last;
        is_word(&self.keep)
            && is_word(&self.kind)
            && self.file_tool.as_ref().is_none_or(is_name)
            && self.lines.len() == parts
            && self.lines.iter().all(is_order)
            && self.sent_text.as_ref().is_none_or(|text| text.is_plausible(parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Record;

    fn preview() -> PreviewRecord {
        let limits = Limits::NONE.lines(10).bytes(51_200);
        let (keep, kind) = ("auto".into(), "diff".into());
        PreviewRecord { limits, keep, kind, lines: vec![(1, 4)], ..PreviewRecord::default() }
    }

    #[test]
    fn record_json_contains_the_preview() {
        let record = Record { preview: Some(preview()), ..Record::default() };
        let json = serde_json::to_string(&record).unwrap();
        let expected = r#""preview":{"limits":{"bytes":51200,"lines":10},"keep":"auto","kind":"diff","lines":[[1,4]]}"#;
        assert!(json.contains(expected), "{json}");
        assert_eq!(serde_json::from_str::<Record>(&json).unwrap(), record);
    }

    #[test]
    fn record_of_an_older_version_has_no_preview() {
        let old = r#"{"exit":2,"bytes":9,"shown":[{"start":0,"end":4}],"kept":"whole"}"#;
        let record: Record = serde_json::from_str(old).unwrap();
        assert_eq!((record.exit, record.preview), (Some(2), None));
    }

    #[cfg(feature = "bucket")]
    #[test]
    fn implausible_preview_of_another_machine_is_dropped() {
        let sanitized = |preview: PreviewRecord| {
            let record = Record {
                bytes: 9,
                shown: std::iter::once(0..4).collect(),
                preview: Some(preview),
                ..Record::default()
            };
            record.sanitized().preview
        };
        assert_eq!(sanitized(preview()), Some(preview()));
        for bad in [
            PreviewRecord { keep: "\u{1b}[2J".into(), ..preview() },
            PreviewRecord { kind: "x".repeat(33), ..preview() },
            PreviewRecord { file_tool: Some("\u{1b}[2J".into()), ..preview() },
            PreviewRecord { lines: vec![(1, 4), (5, 6)], ..preview() },
            PreviewRecord { lines: vec![(4, 1)], ..preview() },
        ] {
            assert_eq!(sanitized(bad), None);
        }
    }
}
