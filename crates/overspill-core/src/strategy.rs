//! The interface for users who choose the shown parts themselves.

use std::ops::Range;

use crate::{Policy, preview};

/// The reason why a strategy could not answer.
pub type StrategyError = Box<dyn std::error::Error + Send + Sync>;

/// The answer of a [`Strategy`]: the parts to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The whole output.
    Whole,
    /// These parts of the output, in order and not overlapping.
    Pieces(Vec<Range<usize>>),
    /// A text that the strategy wrote, and the amount that it leaves out.
    Text(String, LeftOut),
}

/// The amount that is left out, in the unit that fits best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// A number of lines, or of elements that take a line each.
    Lines(u64),
    /// A number of bytes.
    Bytes(u64),
    /// A number of characters (Unicode scalar values).
    Chars(u64),
}

/// Chooses the parts of an output to show. [`Keep`](crate::Keep) lists the choices that are built
/// in.
///
/// ```
/// use overspill_core::{Choice, LeftOut, Policy, Strategy, StrategyError};
///
/// /// Shows the lines that say `error`, or the choice of the policy.
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
    /// Chooses the parts of `output` to show. `policy` has the limits.
    fn choose(&self, output: &[u8], policy: &Policy) -> Result<Choice, StrategyError>;
}

impl Policy {
    /// Chooses as the policy does, for a strategy that handles only some outputs.
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
