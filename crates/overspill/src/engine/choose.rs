//! Chooses the parts of an output to show: by a strategy of the caller, or later by the policy.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use overspill_core::{Choice, Cut, LeftOut, Limits, Oversized, Policy, Size, Strategy};

use super::Overspill;
use super::plan::Plan;
use crate::Error;
use crate::store::{Draft, Excerpt, SpillRef};

/// The part that is shown of an output that is too large.
pub(crate) enum Chosen<'a> {
    /// The policy chooses once the length of the notice is known.
    Over(Oversized<'a>),
    /// Pieces that a strategy chose. The policy chooses instead if they leave no room for the
    /// notice.
    Cut(Cut<'a>, Option<Oversized<'a>>),
    /// A text that a strategy made. The policy chooses instead if it leaves no room for the notice.
    Text(OwnText, Option<Oversized<'a>>),
}

/// The answer of a strategy.
pub(super) struct Selected<'a> {
    /// The shown part. `None` shows the whole output.
    pub(super) chosen: Option<Chosen<'a>>,
    /// The error of a strategy that failed.
    pub(super) failure: Option<Error>,
}

/// A text that a strategy made of an output.
pub(crate) struct OwnText {
    pub(crate) text: String,
    pub(crate) left_out: LeftOut,
    pub(crate) total: Size,
}

impl Overspill {
    /// Asks a strategy for the parts to show. If the strategy fails, the policy chooses.
    pub(super) fn ask<'a>(
        &self,
        strategy: &dyn Strategy,
        output: &'a [u8],
        plan: &Plan,
    ) -> Selected<'a> {
        let policy = &plan.policy;
        let by_policy = || policy.measure(output).map(Chosen::Over);
        let (chosen, failure) = match Chosen::by(strategy, output, policy) {
            // The ceiling applies to strategies too.
            Ok(None) if !plan.is_below_ceiling(output) => (by_policy(), None),
            Ok(None) => (None, None),
            Ok(Some(chosen)) => {
                let may_exceed = self.profile.strategy_may_exceed;
                let most = if may_exceed { &plan.ceiling } else { &policy.limits };
                (chosen.within(most, policy), None)
            }
            Err(error) => (by_policy(), Some(error)),
        };
        Selected { chosen, failure }
    }
}

impl<'a> Chosen<'a> {
    /// Asks a strategy for the parts to show. `None` shows the whole output.
    fn by(
        strategy: &dyn Strategy,
        output: &'a [u8],
        policy: &Policy,
    ) -> Result<Option<Chosen<'a>>, Error> {
        let choice = catch_unwind(AssertUnwindSafe(|| strategy.choose(output, policy)))
            .unwrap_or_else(|_| Err("the strategy panicked".into()));
        let otherwise = policy.measure(output);
        match choice.map_err(Error::Other)? {
            Choice::Whole => Ok(None),
            Choice::Text(text, left_out) => {
                let total = Size::of(output, policy.lines);
                Ok(Some(Chosen::Text(OwnText { text, left_out, total }, otherwise)))
            }
            Choice::Pieces(pieces) => match Cut::of_pieces(output, &pieces, policy) {
                Some(cut) => Ok(Some(Chosen::Cut(cut, otherwise))),
                None => Err(Error::Other("the strategy chose invalid pieces".into())),
            },
        }
    }

    /// Publishes a draft of the output. If the store does not keep all bytes, it also gets the
    /// lines of the missing part that may be shown.
    pub(crate) fn publish(&mut self, mut draft: Box<dyn Draft>) -> Result<SpillRef, Error> {
        if let Some(hole) = draft.hole()? {
            draft.keep(self.excerpts(&hole))?;
        }
        draft.publish()
    }

    /// Returns the lines of a hole that may be shown. No preview shows another line of the hole.
    fn excerpts(&mut self, hole: &Range<u64>) -> Vec<Excerpt> {
        match self {
            Chosen::Over(over) => over.narrow(hole),
            Chosen::Text(_, otherwise) => {
                otherwise.as_mut().map_or_else(Vec::new, |over| over.narrow(hole))
            }
            Chosen::Cut(cut, otherwise) => {
                let mut excerpts: Vec<Excerpt> = cut
                    .pieces
                    .iter()
                    .zip(cut.spans())
                    .map(|(piece, span)| Excerpt {
                        bytes: piece.bytes.clone(),
                        line: span.first_line,
                        starts_line: span.starts_line,
                        text: piece.text.to_vec(),
                        verbatim: piece.altered == 0,
                    })
                    .collect();
                excerpts.extend(otherwise.iter_mut().flat_map(|over| over.narrow(hole)));
                Excerpt::in_order(excerpts)
            }
        }
    }

    /// Leaves the choice to the policy if the strategy chose more than `most`.
    fn within(self, most: &Limits, policy: &Policy) -> Option<Chosen<'a>> {
        let fits = |text: &[u8]| most.exceeded_by(text, policy.lines, &policy.tokens).is_none();
        match self {
            Chosen::Over(over) => Some(Chosen::Over(over)),
            Chosen::Cut(cut, otherwise) => {
                let text = cut.pieces.iter().flat_map(|piece| piece.text.iter().copied());
                if fits(&text.collect::<Vec<u8>>()) {
                    Some(Chosen::Cut(cut, otherwise))
                } else {
                    otherwise.map(Chosen::Over)
                }
            }
            Chosen::Text(own, otherwise) => {
                if fits(own.text.as_bytes()) {
                    Some(Chosen::Text(own, otherwise))
                } else {
                    otherwise.map(Chosen::Over)
                }
            }
        }
    }
}
