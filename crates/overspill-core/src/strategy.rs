//! The seam for users who bring their own cut.

use std::ops::Range;

use crate::{Policy, preview};

/// Why a strategy could not answer.
pub type StrategyError = Box<dyn std::error::Error + Send + Sync>;

/// What a [`Strategy`] wants shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// All of it.
    Whole,
    /// These parts of the output, in order and not overlapping.
    Pieces(Vec<Range<usize>>),
    /// A text of its own making, and what it leaves out.
    Text(String, LeftOut),
}

/// How much is left out, in the unit that says most about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// So many lines, or elements that take a line each.
    Lines(u64),
    /// So many bytes.
    Bytes(u64),
    /// So many characters: Unicode scalar values.
    Chars(u64),
}

/// Chooses what to show of an output. What we ship ourselves is [`Keep`](crate::Keep).
///
/// ```
/// use overspill_core::{Choice, LeftOut, Policy, Strategy, StrategyError};
///
/// /// Shows the lines that say `error`, or what the policy would.
/// struct Errors;
///
/// impl Strategy for Errors {
///     fn choose(&self, output: &[u8], policy: &Policy) -> Result<Choice, StrategyError> {
///         let text = std::str::from_utf8(output)?;
///         let (errors, rest): (Vec<_>, Vec<_>) = text.lines().partition(|line| line.contains("error"));
///         if errors.is_empty() {
///             return Ok(policy.choose(output));
///         }
///         Ok(Choice::Text(errors.join("\n"), LeftOut::Lines(rest.len() as u64)))
///     }
/// }
///
/// let choice = Errors.choose(b"fine\nerror: no\nfine\n", &Policy::default()).unwrap();
/// assert_eq!(choice, Choice::Text("error: no".into(), LeftOut::Lines(2)));
/// ```
pub trait Strategy: Send + Sync {
    /// Chooses what to show of `output`; `policy` says what there is room for.
    fn choose(&self, output: &[u8], policy: &Policy) -> Result<Choice, StrategyError>;
}

impl Policy {
    /// Chooses as the policy itself would, for strategies that leave the rest to it.
    pub fn choose(&self, output: &[u8]) -> Choice {
        if let Some(text) = self.measure(output).and_then(|over| over.outline(&self.limits)) {
            let left_out = output.len().saturating_sub(text.len());
            return Choice::Text(text, LeftOut::Bytes(left_out as u64));
        }
        match preview(output, self) {
            None => Choice::Whole,
            Some(pieces) => {
                let range = |bytes: Range<u64>| bytes.start as usize..bytes.end as usize;
                Choice::Pieces(pieces.into_iter().map(|piece| range(piece.bytes)).collect())
            }
        }
    }
}
