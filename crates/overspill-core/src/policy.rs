//! The policy: when an output is too large, and which part of it is shown then.

use crate::{Keep, KindHint, Limits, LineRule, Tokens, Unit};

/// The units between which a cut may fall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Grain {
    /// Between lines. A line so long that much of the room would stay unused is clipped between
    /// characters, so that the preview is never empty.
    #[default]
    Line,
    /// Between lines of any length. If the first line is too long, the preview is empty.
    WholeLine,
    /// Between characters.
    Char,
}

/// Whether overspill makes the shown text readable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Cleaning {
    /// Drops colours, collapses redrawn lines, makes control bytes visible, replaces broken UTF-8.
    #[default]
    Readable,
    /// Shows the text unchanged, except that bytes that are not UTF-8 are replaced.
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
    /// An output that exceeds any of these limits is cut, unless it is within `limits`.
    pub trigger: Limits,
    /// The limits of a preview, notice and marks included.
    pub limits: Limits,
    /// The parts that a preview shows.
    pub keep: Keep,
    /// The units between which a cut may fall.
    pub grain: Grain,
    /// The rule for line breaks.
    pub lines: LineRule,
    /// Whether the shown text is made readable.
    pub cleaning: Cleaning,
    /// The way in which tokens are counted.
    pub tokens: Tokens,
    /// The preview of a failing log or a test run uses all of its room. Otherwise the preview ends
    /// when no further line is worth its room.
    pub fill: bool,
    /// The facts that the caller knows about the kind of the output.
    pub hint: KindHint,
}

impl Policy {
    /// The limits of our own profile: 2000 lines and 50 KiB.
    pub const LIMITS: Limits = Limits::NONE.lines(2000).bytes(51_200);

    /// Returns a policy that cuts outputs over `limits` down to `limits`. The other fields have
    /// their defaults.
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

    /// Returns this policy with a limit on bytes from `ceiling` wherever nothing limits the bytes
    /// yet.
    #[must_use]
    pub fn below(self, ceiling: &Limits) -> Policy {
        let bound = |limits: Limits| match limits.most_bytes() {
            Some(_) => limits,
            None => Limits { bytes: ceiling.bytes, ..limits },
        };
        Policy { trigger: bound(self.trigger), limits: bound(self.limits), ..self }
    }

    /// Returns the unit of the limit that `bytes` exceed, or `None` if they are shown whole.
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
