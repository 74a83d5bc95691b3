//! From what was chosen to what is said.

use overspill_core::{Cut, Keep, LeftOut, Notice, Policy, Reach, Saved, Size, Stored};

use crate::overspill::{Chosen, OwnText};
use crate::profile::{Accounting, Facts, Worded, Words, word};
use crate::store::{Kept, SpillRef, random};
use crate::{Error, Overspill, Spilled};

impl Overspill {
    /// Words what was chosen, in the profile's way.
    pub(crate) fn word(
        &self,
        chosen: Chosen,
        words: &Words,
        policy: &Policy,
        saved: Result<SpillRef, Error>,
        delegate: bool,
    ) -> Spilled {
        let own = (*words == Words::Own).then(|| self.notice(&saved, delegate));
        match (chosen, own) {
            (Chosen::Over(over), None) => self.source(over.cut(), words, policy, saved, delegate),
            (Chosen::Cut(cut, _), None) => self.source(cut, words, policy, saved, delegate),
            (Chosen::Text(own, _), None) => {
                let OwnText { text: preview, left_out, total } = own;
                let shown = Size::of(preview.as_bytes(), policy.lines);
                let (pieces, keep) = (vec![preview.clone()], policy.keep);
                let facts = Facts { pieces, total, shown, left_out, keep, saved: &saved, delegate };
                let Worded { notice, text } = word(words, &facts);
                Spilled {
                    text,
                    preview,
                    notice,
                    total,
                    shown,
                    left_out,
                    cut: None,
                    saved,
                    keep: policy.keep,
                    words: *words,
                }
            }
            (Chosen::Over(over), Some(notice)) => {
                let answer = notice.answer(&over);
                self.own(&notice, answer.cut, answer.text, policy, saved)
            }
            // What a strategy chose beyond the limits gives way to what the policy chooses.
            (Chosen::Cut(cut, otherwise), Some(notice)) => {
                match (notice.around(&cut, policy), otherwise) {
                    (None, Some(over)) => {
                        let answer = notice.answer(&over);
                        self.own(&notice, answer.cut, answer.text, policy, saved)
                    }
                    (text, _) => {
                        let text = text.unwrap_or_else(|| piece_texts(&cut, policy.keep).concat());
                        self.own(&notice, cut, text, policy, saved)
                    }
                }
            }
            (Chosen::Text(own, otherwise), Some(notice)) => {
                let OwnText { text: preview, left_out, total } = own;
                match (notice.above(&preview, &total, policy), otherwise) {
                    (None, Some(over)) => {
                        let answer = notice.answer(&over);
                        self.own(&notice, answer.cut, answer.text, policy, saved)
                    }
                    (text, _) => {
                        let text = text.unwrap_or_else(|| preview.clone());
                        let shown = Size::of(preview.as_bytes(), policy.lines);
                        let notice = String::new();
                        Spilled {
                            text,
                            preview,
                            notice,
                            total,
                            shown,
                            left_out,
                            cut: None,
                            saved,
                            keep: policy.keep,
                            words: *words,
                        }
                    }
                }
            }
        }
    }

    fn own(
        &self,
        notice: &Notice,
        cut: Cut,
        text: String,
        policy: &Policy,
        saved: Result<SpillRef, Error>,
    ) -> Spilled {
        Spilled {
            text,
            preview: piece_texts(&cut, policy.keep).concat(),
            notice: notice.for_person(&cut),
            total: cut.total,
            shown: cut.shown(),
            left_out: self.left_out(&cut, policy),
            cut: Some(cut.into_owned()),
            saved,
            keep: policy.keep,
            words: Words::Own,
        }
    }

    fn source(
        &self,
        cut: Cut,
        words: &Words,
        policy: &Policy,
        saved: Result<SpillRef, Error>,
        delegate: bool,
    ) -> Spilled {
        let pieces = piece_texts(&cut, policy.keep);
        let preview = pieces.concat();
        let (total, shown, left_out) = (cut.total, cut.shown(), self.left_out(&cut, policy));
        let facts =
            Facts { pieces, total, shown, left_out, keep: policy.keep, saved: &saved, delegate };
        let Worded { notice, text } = word(words, &facts);
        Spilled {
            text,
            preview,
            notice,
            total,
            shown,
            left_out,
            cut: Some(cut.into_owned()),
            saved,
            keep: policy.keep,
            words: *words,
        }
    }

    /// Returns our own notice.
    fn notice(&self, saved: &Result<SpillRef, Error>, delegate: bool) -> Notice {
        let copy = |saved: &SpillRef| Stored {
            id: saved.name.to_string(),
            path: Some(saved.path.clone()),
        };
        Notice {
            token: match saved {
                Ok(saved) => saved.name.token(),
                Err(_) => random(6).unwrap_or_default(),
            },
            saved: match saved {
                Err(error) => Saved::Failed(error.to_string()),
                Ok(saved) => match saved.kept {
                    Kept::Whole => Saved::Whole(copy(saved)),
                    Kept::Ends { first, last } => Saved::Partial(copy(saved), first + last),
                },
            },
            reach: Reach {
                delegate: self.reach.delegate.clone().filter(|_| delegate),
                ..self.reach.clone()
            },
        }
    }

    /// Counts what is left out, as the profile does.
    fn left_out(&self, cut: &Cut, policy: &Policy) -> LeftOut {
        let (total, shown) = (&cut.total, cut.shown());
        let lines_are_full = policy.limits.lines.is_some_and(|most| shown.lines >= most);
        let bytes_exceeded = policy.limits.bytes.is_some_and(|most| total.bytes > most);
        let in_bytes = match self.profile.accounting {
            Accounting::WhatStopped => !lines_are_full,
            Accounting::WhatIsExceeded => !lines_are_full || bytes_exceeded,
        };
        if in_bytes {
            LeftOut::Bytes(total.bytes.saturating_sub(shown.bytes))
        } else {
            LeftOut::Lines(total.lines.saturating_sub(shown.lines))
        }
    }
}

/// Returns the texts of the pieces, one for each end that `keep` asks for.
fn piece_texts(cut: &Cut, keep: Keep) -> Vec<String> {
    let text = |index: usize| {
        let piece = cut.pieces.get(index);
        piece.map_or(String::new(), |piece| String::from_utf8_lossy(&piece.text).into_owned())
    };
    match keep {
        Keep::Head | Keep::Tail => vec![text(0)],
        Keep::Ends { .. } if cut.pieces.len() >= 2 => (0..cut.pieces.len()).map(text).collect(),
        Keep::Ends { .. } => {
            // With one piece only, it says itself which end it is.
            let starts = cut.pieces.first().is_some_and(|piece| piece.bytes.start == 0);
            if starts { vec![text(0), String::new()] } else { vec![String::new(), text(0)] }
        }
    }
}
