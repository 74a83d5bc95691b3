//! Reads the answer of a strategy that is written in another language.

use std::ops::Range;

use overspill::Layer;
use overspill::core::{Choice, LeftOut, Policy, Strategy, StrategyError};
use overspill::internal::settings::CallSetting;
use serde_json::Value;

use crate::keys::json;

/// A choice that a strategy in JavaScript made in advance, because Rust cannot wait for JavaScript
/// in the middle of a call.
#[derive(Debug, Clone)]
pub struct PrecomputedChoice(
    /// The choice, or the reason why the strategy failed.
    pub Result<Choice, String>,
);

impl Strategy for PrecomputedChoice {
    fn choose(&self, _: &[u8], _: &Policy) -> Result<Choice, StrategyError> {
        self.0.clone().map_err(Into::into)
    }
}

/// Reads the answer of a strategy about `output`. `true` shows the whole output, and null leaves
/// the choice to the policy. A list has the pieces as `[from, to]` in bytes. A string replaces the
/// output. An object has this string as `text`, and may have `left_out_lines` or `left_out_bytes`.
pub fn choice(answer: &Value, output: &[u8], policy: &Policy) -> Result<Choice, String> {
    let invalid = || {
        let mut text: String = answer.to_string();
        text = text.chars().take(80).collect();
        format!("the strategy answered {text}, which is not a valid choice")
    };
    match answer {
        Value::Null => Ok(policy.choose(output)),
        Value::Bool(true) => Ok(Choice::Whole),
        Value::String(text) => Ok(text_of(text, None, None, output)),
        Value::Array(pieces) => {
            let piece = |piece: &Value| -> Option<Range<usize>> {
                let at = |index: usize| usize::try_from(piece.get(index)?.as_u64()?).ok();
                Some(at(0)?..at(1)?)
            };
            let pieces: Option<Vec<_>> = pieces.iter().map(piece).collect();
            pieces.map(Choice::Pieces).ok_or_else(invalid)
        }
        Value::Object(fields) => {
            let number = |snake: &str, camel: &str| {
                fields.get(snake).or_else(|| fields.get(camel)).and_then(Value::as_u64)
            };
            let text = fields.get("text").and_then(Value::as_str).ok_or_else(invalid)?;
            let lines = number("left_out_lines", "leftOutLines");
            Ok(text_of(text, lines, number("left_out_bytes", "leftOutBytes"), output))
        }
        _ => Err(invalid()),
    }
}

fn text_of(text: &str, lines: Option<u64>, bytes: Option<u64>, output: &[u8]) -> Choice {
    let shorter = output.len().saturating_sub(text.len()) as u64;
    let left_out = match (lines, bytes) {
        (Some(lines), _) => LeftOut::Lines(lines),
        (None, bytes) => LeftOut::Bytes(bytes.unwrap_or(shorter)),
    };
    Choice::Text(text.to_owned(), left_out)
}

/// Returns the limits, `keep` and `fill` of a policy as JSON, for a strategy.
pub fn policy(policy: &Policy) -> Value {
    let layer = Layer::from(policy);
    let set = |setting: CallSetting| Some((setting.name().to_owned(), json(layer.get(setting)?)));
    CallSetting::ALL.into_iter().filter_map(set).collect()
}
