//! Limits in bytes, lines, characters and tokens.

use crate::measure::size::Meter;
use crate::{LineRule, Size, Tokens};

/// The unit of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Bytes of UTF-8.
    Bytes,
    /// Lines, by the policy's [`LineRule`].
    Lines,
    /// Characters (Unicode scalar values).
    Chars,
    /// Tokens of a language model, by the policy's [`Tokens`].
    Tokens,
}

/// Any set of upper limits. A limit is inclusive: an output of exactly that size is within it.
///
/// ```
/// use overspill_core::{LineRule, Limits, Tokens, Unit};
///
/// let limits = Limits::NONE.lines(2).bytes(100);
/// let over = |text: &str| limits.exceeded_by(text.as_bytes(), LineRule::Terminated, &Tokens::Estimate);
/// assert_eq!(over("one\ntwo\n"), None);
/// assert_eq!(over("one\ntwo\nthree\n"), Some(Unit::Lines));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Limits {
    /// The largest number of bytes. `None` is unlimited.
    pub bytes: Option<u64>,
    /// The largest number of lines. `None` is unlimited.
    pub lines: Option<u64>,
    /// The largest number of characters. `None` is unlimited.
    pub chars: Option<u64>,
    /// The largest number of tokens. `None` is unlimited.
    pub tokens: Option<u64>,
}

impl Limits {
    /// No limit: every output is within it.
    pub const NONE: Limits = Limits { bytes: None, lines: None, chars: None, tokens: None };

    /// Sets the limit on bytes.
    pub const fn bytes(self, most: u64) -> Limits {
        Limits { bytes: Some(most), ..self }
    }

    /// Sets the limit on lines.
    pub const fn lines(self, most: u64) -> Limits {
        Limits { lines: Some(most), ..self }
    }

    /// Sets the limit on characters.
    pub const fn chars(self, most: u64) -> Limits {
        Limits { chars: Some(most), ..self }
    }

    /// Sets the limit on tokens.
    pub const fn tokens(self, most: u64) -> Limits {
        Limits { tokens: Some(most), ..self }
    }

    /// Returns the first limit that `bytes` exceed, in the order of [`Unit`], or `None` if they are
    /// within the limits.
    ///
    /// For most outputs, the length decides, and the bytes are not read.
    #[inline]
    pub fn exceeded_by(&self, bytes: &[u8], rule: LineRule, tokens: &Tokens) -> Option<Unit> {
        let len = bytes.len() as u64;
        if self.bytes.is_some_and(|most| len > most) {
            return Some(Unit::Bytes);
        }
        // One byte makes at most one line (one more by `Separated`), one character, one token.
        if self.lines.is_some_and(|most| len >= most && more_lines_than(most, bytes, rule)) {
            return Some(Unit::Lines);
        }
        if self.chars.is_some_and(|most| len > most && more_chars_than(most, bytes)) {
            return Some(Unit::Chars);
        }
        if self.tokens.is_some_and(|most| len > most && tokens.exceed(most, bytes)) {
            return Some(Unit::Tokens);
        }
        None
    }

    /// Returns the first limit that a size exceeds. Ignores the limit on tokens.
    pub(crate) fn exceeded_by_size(&self, size: &Size) -> Option<Unit> {
        let over = |most: Option<u64>, size: u64| most.is_some_and(|most| size > most);
        if over(self.bytes, size.bytes) {
            Some(Unit::Bytes)
        } else if over(self.lines, size.lines) {
            Some(Unit::Lines)
        } else if over(self.chars, size.chars) {
            Some(Unit::Chars)
        } else {
            None
        }
    }

    /// Returns the limits that remain after `cost` is spent.
    pub(crate) fn less(&self, cost: &Cost) -> Limits {
        let less = |most: Option<u64>, cost: u64| most.map(|most| most.saturating_sub(cost));
        Limits {
            bytes: less(self.bytes, cost.size.bytes),
            lines: less(self.lines, cost.size.lines),
            chars: less(self.chars, cost.size.chars),
            tokens: less(self.tokens, cost.tokens),
        }
    }

    /// Returns the lower limit of each pair.
    pub fn tightened(&self, other: &Limits) -> Limits {
        let tighter = |mine: Option<u64>, theirs: Option<u64>| match (mine, theirs) {
            (Some(mine), Some(theirs)) => Some(mine.min(theirs)),
            (mine, theirs) => mine.or(theirs),
        };
        Limits {
            bytes: tighter(self.bytes, other.bytes),
            lines: tighter(self.lines, other.lines),
            chars: tighter(self.chars, other.chars),
            tokens: tighter(self.tokens, other.tokens),
        }
    }

    /// Returns the fraction `part / whole` of each limit, rounded down.
    pub(crate) fn part(&self, part: u32, whole: u32) -> Limits {
        let share = |most: Option<u64>| {
            most.map(|most| (u128::from(most) * u128::from(part) / u128::from(whole.max(1))) as u64)
        };
        Limits {
            bytes: share(self.bytes),
            lines: share(self.lines),
            chars: share(self.chars),
            tokens: share(self.tokens),
        }
    }

    /// Tells whether every limit is at least as large as in `other`.
    pub(crate) fn at_least(&self, other: &Limits) -> bool {
        let holds = |mine: Option<u64>, theirs: Option<u64>| match (mine, theirs) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(mine), Some(theirs)) => mine >= theirs,
        };
        holds(self.bytes, other.bytes)
            && holds(self.lines, other.lines)
            && holds(self.chars, other.chars)
            && holds(self.tokens, other.tokens)
    }

    /// Returns the largest number of bytes of a text within these limits. `None` if nothing limits
    /// the bytes.
    pub(crate) fn most_bytes(&self) -> Option<u64> {
        let by_chars = self.chars.map(|chars| chars.saturating_mul(4));
        let by_tokens = self.tokens.map(|tokens| tokens.saturating_mul(Tokens::LONGEST));
        [self.bytes, by_chars, by_tokens].into_iter().flatten().min()
    }
}

impl Limits {
    /// Returns the usual number of bytes of a text within these limits: one byte for a character,
    /// four for a token. `None` if nothing limits the bytes.
    pub(crate) fn usual_bytes(&self) -> Option<u64> {
        let by_tokens = self.tokens.map(|tokens| tokens.saturating_mul(4));
        [self.bytes, self.chars, by_tokens].into_iter().flatten().min()
    }

    /// Returns the used share of the limit that `cost` uses most: 1 is the whole limit. Returns 0
    /// without a limit.
    pub(crate) fn used_by(&self, cost: &Cost) -> f64 {
        let units = [
            (cost.size.bytes, self.bytes),
            (cost.size.lines, self.lines),
            (cost.size.chars, self.chars),
            (cost.tokens, self.tokens),
        ];
        let share = |(used, most): (u64, Option<u64>)| match most {
            Some(0) if used > 0 => f64::INFINITY,
            Some(most) => used as f64 / most.max(1) as f64,
            None => 0.0,
        };
        units.into_iter().map(share).fold(0.0, f64::max)
    }

    /// Returns the limits with those of `other` added.
    pub(crate) fn more(&self, other: &Limits) -> Limits {
        let more = |mine: Option<u64>, theirs: Option<u64>| {
            mine.map(|mine| mine.saturating_add(theirs.unwrap_or(0)))
        };
        Limits {
            bytes: more(self.bytes, other.bytes),
            lines: more(self.lines, other.lines),
            chars: more(self.chars, other.chars),
            tokens: more(self.tokens, other.tokens),
        }
    }
}

/// The room that a piece of text takes from each limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cost {
    pub(crate) size: Size,
    pub(crate) tokens: u64,
}

impl Cost {
    /// Measures `text`. Counts tokens only if `limits` has a limit on them.
    pub(crate) fn of(text: &[u8], limits: &Limits, rule: LineRule, tokens: &Tokens) -> Cost {
        let tokens = if limits.tokens.is_some() { tokens.count(text) } else { 0 };
        Cost { size: Size::of(text, rule), tokens }
    }

    /// Returns the larger of two costs, unit by unit.
    pub(crate) fn max(self, other: Cost) -> Cost {
        let size = Size {
            bytes: self.size.bytes.max(other.size.bytes),
            lines: self.size.lines.max(other.size.lines),
            chars: self.size.chars.max(other.size.chars),
        };
        Cost { size, tokens: self.tokens.max(other.tokens) }
    }
}

impl std::ops::Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost { size: self.size + other.size, tokens: self.tokens + other.tokens }
    }
}

/// Tells whether `bytes` have more than `most` characters. A character has at most four bytes.
fn more_chars_than(most: u64, bytes: &[u8]) -> bool {
    bytes.len() as u64 > most.saturating_mul(4) || crate::text::count_chars(bytes) > most
}

/// Tells whether `bytes` have more than `most` lines. Stops reading as soon as that is known.
fn more_lines_than(most: u64, bytes: &[u8], rule: LineRule) -> bool {
    const BLOCK: usize = 64 * 1024;
    if rule == LineRule::Universal {
        let mut meter = Meter::new(rule);
        return bytes.chunks(BLOCK).any(|block| {
            meter.push(block);
            meter.size().lines > most
        });
    }
    let open = match rule {
        LineRule::Separated => true,
        LineRule::Terminated | LineRule::Universal => bytes.last().is_some_and(|&b| b != b'\n'),
    };
    let mut lines = u64::from(open);
    let mut blocks = bytes.chunks(BLOCK);
    while lines <= most {
        let Some(block) = blocks.next() else { return false };
        lines += bytecount::count(block, b'\n') as u64;
    }
    true
}
