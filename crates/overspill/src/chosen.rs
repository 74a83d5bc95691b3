//! What is to be shown of an output that is too large, and whose choice it was.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use overspill_core::{Choice, Cut, LeftOut, Limits, Oversized, Policy, Size, Strategy};

use crate::Error;
use crate::store::{Draft, Excerpt, SpillRef};

/// What was chosen of an output that is too large.
pub(crate) enum Chosen<'a> {
    /// Nothing yet: the policy chooses, once the words are known.
    Over(Oversized<'a>),
    /// Pieces that a strategy chose, and what the policy would have.
    Cut(Cut<'a>, Option<Oversized<'a>>),
    /// A text that a strategy made, and what the policy would have.
    Text(OwnText, Option<Oversized<'a>>),
}

/// A text that a strategy made of an output.
pub(crate) struct OwnText {
    pub(crate) text: String,
    pub(crate) left_out: LeftOut,
    pub(crate) total: Size,
}

impl<'a> Chosen<'a> {
    /// Asks a strategy what to show; `None` if that is all of it.
    pub(crate) fn by(
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
                None => Err(Error::Other("the strategy chose pieces that are not there".into())),
            },
        }
    }

    /// Publishes a draft of the output. Of one that is larger than the store keeps, the lines that may
    /// be shown are kept as well.
    pub(crate) fn publish(&mut self, mut draft: Box<dyn Draft>) -> Result<SpillRef, Error> {
        if let Some(hole) = draft.hole()? {
            draft.keep(self.excerpts(&hole))?;
        }
        draft.publish()
    }

    /// Returns the lines of a hole that may be shown, and leaves it at those.
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

    /// Gives way to what the policy would have chosen, if it is more than `most`.
    pub(crate) fn within(self, most: &Limits, policy: &Policy) -> Option<Chosen<'a>> {
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
