//! What is too much, and what is shown of it then.

use crate::{Keep, KindHint, Limits, LineRule, Tokens, Unit};

/// Where a cut may fall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Grain {
    /// Between lines. A long line, which would leave a good part of the room unused, is clipped
    /// between characters, so that something is always shown.
    #[default]
    Line,
    /// Between lines, whatever their length: one oversized line leaves nothing to show.
    WholeLine,
    /// Between characters.
    Char,
}

/// Whether what is shown is made readable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Cleaning {
    /// Colours dropped, redrawn lines collapsed, control bytes visible, broken UTF-8 replaced.
    #[default]
    Readable,
    /// Shown as it is; only bytes that are not UTF-8 are replaced.
    Off,
}

/// When an output is cut, and how.
///
/// ```
/// use overspill_core::{Keep, Limits, Policy, cut};
///
/// // More than 40 characters: show the first ten and the last ten.
/// let policy = Policy {
///     trigger: Limits::NONE.chars(40),
///     limits: Limits::NONE.chars(20),
///     keep: Keep::ENDS,
///     grain: overspill_core::Grain::Char,
///     ..Policy::default()
/// };
/// assert!(cut(&[b'x'; 40], &policy).is_none());
/// let cut = cut(&[b'x'; 41], &policy).unwrap();
/// assert_eq!(cut.pieces.iter().map(|piece| piece.text.len()).sum::<usize>(), 20);
/// ```
#[derive(Debug, Clone)]
pub struct Policy {
    /// An output that exceeds any of these is cut, unless it fits the `limits` all the same.
    pub trigger: Limits,
    /// How much is shown then, notice and marks included.
    pub limits: Limits,
    /// Which parts are shown.
    pub keep: Keep,
    /// Where a cut may fall.
    pub grain: Grain,
    /// What a line is.
    pub lines: LineRule,
    /// Whether what is shown is made readable.
    pub cleaning: Cleaning,
    /// How tokens are counted.
    pub tokens: Tokens,
    /// The preview of a failing log or a test run uses all of its room. Otherwise it ends when the next line is worth
    /// nothing.
    pub fill: bool,
    /// What the caller knows about the kind of the output.
    pub hint: KindHint,
}

impl Policy {
    /// What our own profile allows: 2000 lines and 50 KiB.
    pub const LIMITS: Limits = Limits::NONE.lines(2000).bytes(51_200);

    /// Cuts what exceeds `limits` down to `limits`; the rest as in the default.
    pub fn new(limits: Limits, keep: Keep) -> Policy {
        Policy {
            trigger: limits,
            limits,
            keep,
            grain: Grain::default(),
            lines: LineRule::default(),
            cleaning: Cleaning::default(),
            tokens: Tokens::default(),
            fill: false,
            hint: KindHint::NONE,
        }
    }

    /// Returns this policy with a bound on bytes where it has none of any kind that bounds them.
    #[must_use]
    pub fn below(self, ceiling: &Limits) -> Policy {
        let bound = |limits: Limits| match limits.most_bytes() {
            Some(_) => limits,
            None => Limits { bytes: ceiling.bytes, ..limits },
        };
        Policy { trigger: bound(self.trigger), limits: bound(self.limits), ..self }
    }

    /// Returns the limit because of which `bytes` are cut, or `None` if they are shown whole.
    #[inline]
    pub fn fired_by(&self, bytes: &[u8]) -> Option<Unit> {
        let fired = self.trigger.exceeded_by(bytes, self.lines, &self.tokens)?;
        if self.limits == self.trigger {
            return Some(fired);
        }
        self.limits.exceeded_by(bytes, self.lines, &self.tokens).and(Some(fired))
    }
}

impl Default for Policy {
    fn default() -> Policy {
        Policy::new(Policy::LIMITS, Keep::ENDS)
    }
}
