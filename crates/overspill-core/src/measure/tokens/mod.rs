//! Counts the tokens of a language model: by an estimate that knows scripts, or by an exact counter
//! of the caller.

use std::sync::Arc;

mod estimate;

pub(crate) use estimate::Estimate;

/// A function that counts the tokens of a text.
type Counter = dyn Fn(&[u8]) -> u64 + Send + Sync;

/// The way in which tokens are counted.
///
/// The estimate needs no vocabulary and no start-up time. A program that has a real tokenizer can
/// use it instead. The tokenizer runs only if the length does not decide:
///
/// ```
/// use overspill_core::Tokens;
///
/// let words = Tokens::exact(|text| text.split(|b| b.is_ascii_whitespace()).count() as u64);
/// assert_eq!(words.count(b"three short words"), 3);
/// assert_eq!(Tokens::Estimate.count(b"three short words"), 3);
/// ```
#[derive(Clone, Default)]
pub enum Tokens {
    /// Our own estimate, calibrated against the o200k vocabulary.
    #[default]
    Estimate,
    /// An exact counter.
    Exact(Arc<Counter>),
}

impl Tokens {
    /// The largest number of bytes that count as one token.
    ///
    /// Vocabularies have longer tokens for runs of blanks. Counting such a run as several tokens
    /// limits the text that a token limit admits, and so the memory.
    pub const LONGEST: u64 = 16;

    /// Counts tokens with a function of the caller.
    pub fn exact(count: impl Fn(&[u8]) -> u64 + Send + Sync + 'static) -> Tokens {
        Tokens::Exact(Arc::new(count))
    }

    /// Counts the tokens of `text`.
    pub fn count(&self, text: &[u8]) -> u64 {
        let count = match self {
            Tokens::Estimate => Estimate::of(text),
            Tokens::Exact(count) => count(text),
        };
        count.max((text.len() as u64).div_ceil(Tokens::LONGEST))
    }

    /// Tells whether `text` has more than `most` tokens.
    pub(crate) fn exceed(&self, most: u64, text: &[u8]) -> bool {
        text.len() as u64 > most.saturating_mul(Tokens::LONGEST) || self.count(text) > most
    }

    /// Returns the end of the longest start of `text` with at most `most` tokens.
    pub(crate) fn prefix(&self, text: &[u8], most: u64) -> usize {
        if self.count(text) <= most {
            return text.len();
        }
        bisect(text.len(), |len| self.count(&text[..len]) <= most)
    }

    /// Returns the beginning of the longest end of `text` with at most `most` tokens.
    pub(crate) fn suffix(&self, text: &[u8], most: u64) -> usize {
        if self.count(text) <= most {
            return 0;
        }
        text.len() - bisect(text.len(), |len| self.count(&text[text.len() - len..]) <= most)
    }
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Tokens::Estimate => "Estimate",
            Tokens::Exact(_) => "Exact(..)",
        })
    }
}

/// Returns the largest length below `len` for which `fits` is true. It is true for 0.
fn bisect(len: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut good, mut bad) = (0, len);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if fits(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}
