//! From what was chosen to what is said.

use std::borrow::Cow;

use overspill_core::{Cut, Layout, LeftOut, Oversized, Policy, Preview, Size, Span, Unit, Wording};

use crate::chosen::{Chosen, OwnText};
use crate::notice::{ReaderAbilities, wording};
use crate::profile::{
    Accounting, Direction, NoticeFacts, NoticeStyle, WordedNotice, preview, word,
};
use crate::store::{SpillRef, random};
use crate::{Error, Overspill, Spilled};

impl Overspill {
    /// Words what was chosen, in the profile's way.
    pub(crate) fn word(
        &self,
        chosen: Chosen,
        words: &NoticeStyle,
        policy: &Policy,
        saved: Result<SpillRef, Error>,
        delegate: bool,
        masked: u64,
    ) -> Spilled {
        let shown = match words {
            NoticeStyle::Own => self.in_our_words(chosen, policy, &saved, delegate),
            _ => self.in_their_words(chosen, words, policy, &saved, delegate),
        };
        let Shown { text, layout, notice, preview, total, shown, left_out, cut, fired } = shown;
        let (keep, words) = (policy.keep, *words);
        Spilled {
            text,
            layout,
            preview,
            notice,
            total,
            shown,
            left_out,
            cut,
            fired,
            saved,
            masked,
            keep,
            words,
        }
    }

    /// Answers with our own notice, everything within the limits.
    ///
    /// What a strategy chose beyond the limits gives way to what the policy chooses.
    fn in_our_words(
        &self,
        chosen: Chosen,
        policy: &Policy,
        saved: &Result<SpillRef, Error>,
        delegate: bool,
    ) -> Shown {
        let notice = self.notice(saved, delegate);
        let by_policy = |over: &Oversized| match over.preview(&notice) {
            Preview { text, layout, cut, outline: None } => {
                let cut = cut.into_owned();
                let words = WordedNotice { notice: notice.for_person(&cut), text };
                Shown { layout: Some(layout), ..self.shown(policy, words, cut) }
            }
            Preview { text, layout, cut, outline: Some(outline) } => {
                let (total, fired) = (cut.total, Some(cut.fired));
                let left_out = LeftOut::Bytes(total.bytes.saturating_sub(outline.len() as u64));
                let own = OwnText { text: outline, left_out, total };
                let notice = notice.for_person_of_outline(&total);
                let shown = Shown::of_text(own, policy, WordedNotice { notice, text });
                Shown { fired, layout: Some(layout), ..shown }
            }
        };
        match chosen {
            Chosen::Over(over) => by_policy(&over),
            Chosen::Cut(cut, otherwise) => match (notice.around(&cut, policy), otherwise) {
                (None, Some(over)) => by_policy(&over),
                (worded, _) => {
                    let (text, layout) = match worded {
                        Some(Preview { text, layout, .. }) => (text, layout),
                        None => (piece_texts(&cut).concat(), SILENT),
                    };
                    let cut = cut.into_owned();
                    let words = WordedNotice { notice: notice.for_person(&cut), text };
                    Shown { layout: Some(layout), ..self.shown(policy, words, cut) }
                }
            },
            Chosen::Text(own, otherwise) => {
                match (notice.above(&own.text, &own.total, policy), otherwise) {
                    (None, Some(over)) => by_policy(&over),
                    (worded, _) => {
                        let (text, layout) = worded.unwrap_or_else(|| (own.text.clone(), SILENT));
                        let words = WordedNotice { notice: String::new(), text };
                        Shown { layout: Some(layout), ..Shown::of_text(own, policy, words) }
                    }
                }
            }
        }
    }

    /// Answers as a source system does.
    fn in_their_words(
        &self,
        chosen: Chosen,
        words: &NoticeStyle,
        policy: &Policy,
        saved: &Result<SpillRef, Error>,
        delegate: bool,
    ) -> Shown {
        let keep = policy.keep;
        let cut = match chosen {
            Chosen::Over(over) => over.cut(),
            Chosen::Cut(cut, _) => cut,
            Chosen::Text(own, _) => {
                let OwnText { text, left_out, total } = &own;
                let pieces = vec![Cow::Borrowed(text.as_str())];
                let shown = Size::of(text.as_bytes(), policy.lines);
                let (total, left_out) = (*total, *left_out);
                let direction = Direction::of(keep, None);
                let facts =
                    NoticeFacts { pieces, total, shown, left_out, direction, saved, delegate };
                let worded = word(words, &facts);
                return Shown::of_text(own, policy, worded);
            }
        };
        let facts = NoticeFacts {
            pieces: piece_texts(&cut),
            total: cut.total,
            shown: cut.shown(),
            left_out: self.left_out(&cut, policy),
            direction: Direction::of(keep, Some(&cut)),
            saved,
            delegate,
        };
        let worded = word(words, &facts);
        self.shown(policy, worded, cut.into_owned())
    }

    fn shown(&self, policy: &Policy, words: WordedNotice, cut: Cut<'static>) -> Shown {
        let left_out = self.left_out(&cut, policy);
        let pieces = piece_texts(&cut);
        Shown {
            text: words.text,
            layout: None,
            notice: words.notice,
            preview: match self.profile.words {
                NoticeStyle::Own => pieces.concat(),
                _ => preview(&pieces, left_out),
            },
            total: cut.total,
            shown: shown_once(&cut),
            left_out,
            fired: Some(cut.fired),
            cut: Some(cut),
        }
    }

    /// Returns the words of our own notice.
    fn notice(&self, saved: &Result<SpillRef, Error>, delegate: bool) -> Wording {
        let token = match saved {
            Ok(saved) => saved.name.token(),
            Err(_) => random(6).unwrap_or_default(),
        };
        let reader = ReaderAbilities {
            program: self.program.map(|find| find()).or_else(|| self.reach.program.clone()),
            delegate: self.reach.delegate.clone().filter(|_| delegate),
            ..self.reach.clone()
        };
        wording(token, saved.as_ref(), &reader)
    }

    /// Counts what is left out, as the profile does.
    fn left_out(&self, cut: &Cut, policy: &Policy) -> LeftOut {
        let (total, shown) = (&cut.total, cut.shown());
        let lines_are_full = policy.limits.lines.is_some_and(|most| shown.lines >= most);
        let bytes_exceeded = policy.limits.bytes.is_some_and(|most| total.bytes > most);
        let in_bytes = match self.profile.accounting {
            Accounting::Chars => {
                return LeftOut::Chars(total.chars.saturating_sub(shown.chars));
            }
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

/// The layout of a text that has no room for a notice.
const SILENT: Layout = Layout { notice: 0..0, items: Vec::new(), is_silent: true };

/// What is shown and said; all of a [`Spilled`] but how it came about.
struct Shown {
    text: String,
    layout: Option<Layout>,
    notice: String,
    preview: String,
    total: Size,
    shown: Size,
    left_out: LeftOut,
    cut: Option<Cut<'static>>,
    fired: Option<Unit>,
}

impl Shown {
    fn of_text(own: OwnText, policy: &Policy, words: WordedNotice) -> Shown {
        Shown {
            text: words.text,
            layout: None,
            notice: words.notice,
            shown: Size::of(own.text.as_bytes(), policy.lines),
            preview: own.text,
            total: own.total,
            left_out: own.left_out,
            cut: None,
            fired: None,
        }
    }
}

/// Returns the texts of the pieces. Pieces without a gap between them are one.
fn piece_texts<'a>(cut: &'a Cut) -> Vec<Cow<'a, str>> {
    let mut texts: Vec<Cow<str>> = Vec::new();
    let mut end = None;
    for piece in &cut.pieces {
        let text = text_of(&piece.text);
        match texts.last_mut() {
            Some(last) if end == Some(piece.bytes.start) => last.to_mut().push_str(&text),
            _ => texts.push(text),
        }
        end = Some(piece.bytes.end);
    }
    texts
}

/// Returns the size of what is shown. A line that two pieces are parts of counts once.
fn shown_once(cut: &Cut) -> Size {
    let shown = cut.shown();
    let is_same = |two: &&[Span]| two[0].last_line == two[1].first_line;
    let twice = cut.spans().windows(2).filter(is_same).count() as u64;
    Size { lines: shown.lines.saturating_sub(twice), ..shown }
}

/// Pieces are UTF-8; checking that is quicker than a lossy look at each character.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
