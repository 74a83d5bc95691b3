//! Words a preview. This module writes no files and reports no events.

use std::borrow::Cow;

use overspill_core::{
    Cut, Kind, Layout, LeftOut, Oversized, Policy, Preview, Size, Span, Unit, Wording,
};

use super::choose::{Chosen, OwnText};
use super::{EndedCall, Overspill};
use crate::notice::{
    ReaderAbilities, copy_of_binary, facts, kind_word, still_running, way_to, wording,
};
use crate::profile::{
    Accounting, Direction, NoticeFacts, NoticeStyle, WordedNotice, preview, word,
};
use crate::store::{SpillRef, random};
use crate::{Error, Spilled};

/// The average length of lines, in bytes, up to which a tool can read a file by lines.
const LONGEST_LINE: u64 = 1_000;

impl Overspill {
    /// Assembles the preview of an output and its notice.
    pub(super) fn present(
        &self,
        chosen: Chosen,
        style: &NoticeStyle,
        policy: &Policy,
        saved: Result<SpillRef, Error>,
        ended: &EndedCall,
    ) -> Spilled {
        let masked = saved.as_ref().map_or(ended.masked, |saved| saved.masked);
        let delegate = ended.delegate;
        let presentation =
            Presentation { engine: self, style, policy, saved, delegate, masked, ended };
        match style {
            NoticeStyle::Own => presentation.with_own_notice(chosen),
            _ => presentation.with_source_notice(chosen),
        }
    }

    /// Returns our own notice.
    pub(super) fn notice(
        &self,
        saved: &Result<SpillRef, Error>,
        ended: &EndedCall,
        total: &Size,
    ) -> Wording {
        let short_id = match saved {
            Ok(saved) => saved.id.short_id(),
            Err(_) => random(6).unwrap_or_default(),
        };
        let reader = self.reader_of(ended, total);
        Wording { facts: facts(ended.end), ..wording(short_id, saved.as_ref(), &reader) }
    }

    /// Returns the ways in which the reader of a preview can read an output of this size.
    pub(super) fn reader_of(&self, ended: &EndedCall, total: &Size) -> ReaderAbilities {
        let mut reader = self.reader_abilities(ended.delegate);
        // Tools that open files by lines cut long lines.
        reader.file_tool.take_if(|_| total.bytes / total.lines.max(1) > LONGEST_LINE);
        reader
    }

    /// Returns the shortest way for the reader to a saved output.
    pub fn way_to(&self, saved: &SpillRef) -> String {
        way_to(&saved.id, &saved.path, &self.reader_abilities(false))
    }

    /// Returns the line about the output of a command that still runs. `lines` is the number of its
    /// lines so far.
    pub fn still_running(&self, saved: Option<&SpillRef>, lines: u64) -> String {
        still_running(saved, lines, &self.reader_abilities(false))
    }

    fn reader_abilities(&self, delegate: bool) -> ReaderAbilities {
        let program = self.program.as_ref().map(|find| find());
        ReaderAbilities {
            program: program.or_else(|| self.reader.program.clone()),
            delegate: self.reader.delegate.clone().filter(|_| delegate),
            ..self.reader.clone()
        }
    }

    /// Counts the left-out part in the way of the profile.
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

/// The facts for the words of a preview.
struct Presentation<'a> {
    engine: &'a Overspill,
    style: &'a NoticeStyle,
    policy: &'a Policy,
    saved: Result<SpillRef, Error>,
    delegate: bool,
    masked: u64,
    ended: &'a EndedCall<'a>,
}

/// The layout of a text that has no room for a notice.
const SILENT: Layout = Layout { notice: 0..0, items: Vec::new(), is_silent: true };

impl Presentation<'_> {
    /// Words a preview with our own notice, everything within the limits.
    fn with_own_notice(self, chosen: Chosen) -> Spilled {
        let total = match &chosen {
            Chosen::Over(over) => over.total(),
            Chosen::Cut(cut, _) => cut.total,
            Chosen::Text(own, _) => own.total,
        };
        let mut notice = self.engine.notice(&self.saved, self.ended, &total);
        if let (Chosen::Over(over), Ok(saved)) = (&chosen, &self.saved)
            && over.kind() == Some(Kind::Binary)
            && !self.policy.fill
        {
            let reader = self.engine.reader_abilities(self.delegate);
            notice.copy = copy_of_binary(saved, &reader);
        }
        match chosen {
            Chosen::Over(over) => self.by_policy(&notice, &over),
            Chosen::Cut(cut, otherwise) => match (notice.around(&cut, self.policy), otherwise) {
                (None, Some(over)) => self.by_policy(&notice, &over),
                (worded, _) => {
                    let (text, layout) = match worded {
                        Some(Preview { text, layout, .. }) => (text, layout),
                        None => (piece_texts(&cut).concat(), SILENT),
                    };
                    let worded = WordedNotice { notice: notice.for_person(&cut), text };
                    self.of_cut(worded, Some(layout), cut, "pieces")
                }
            },
            Chosen::Text(own, otherwise) => {
                match (notice.above(&own.text, &own.total, self.policy), otherwise) {
                    (None, Some(over)) => self.by_policy(&notice, &over),
                    (worded, _) => {
                        let (text, layout) = worded.unwrap_or_else(|| (own.text.clone(), SILENT));
                        let worded = WordedNotice { notice: String::new(), text };
                        self.of_text(worded, Some(layout), own, None, "text")
                    }
                }
            }
        }
    }

    /// Lets the policy choose within the room beside the notice.
    fn by_policy(self, notice: &Wording, over: &Oversized) -> Spilled {
        match over.preview(notice) {
            Preview { text, layout, cut, outline: None } => {
                let worded = WordedNotice { notice: notice.for_person(&cut), text };
                let kind = kind_word(over, &cut);
                let cut_failures = over.cut_failures(&cut);
                Spilled { cut_failures, ..self.of_cut(worded, Some(layout), cut, kind) }
            }
            Preview { text, layout, cut, outline: Some(outline) } => {
                let total = cut.total;
                let left_out = LeftOut::Bytes(total.bytes.saturating_sub(outline.len() as u64));
                let worded = WordedNotice { notice: notice.for_person_of_outline(&total), text };
                let own = OwnText { text: outline, left_out, total };
                self.of_text(worded, Some(layout), own, Some(cut.fired), Kind::Json.name())
            }
        }
    }

    /// Words a preview in the style of a source system.
    fn with_source_notice(self, chosen: Chosen) -> Spilled {
        let (keep, saved, delegate) = (self.policy.keep, &self.saved, self.delegate);
        let (cut, kind) = match chosen {
            Chosen::Over(over) => {
                let cut = over.cut();
                let kind = kind_word(&over, &cut);
                (cut, kind)
            }
            Chosen::Cut(cut, _) => (cut, "pieces"),
            Chosen::Text(own, _) => {
                let facts = NoticeFacts {
                    pieces: vec![Cow::Borrowed(own.text.as_str())],
                    total: own.total,
                    shown: Size::of(own.text.as_bytes(), self.policy.lines),
                    left_out: own.left_out,
                    direction: Direction::of(keep, None),
                    saved,
                    delegate,
                };
                let worded = word(self.style, &facts);
                return self.of_text(worded, None, own, None, "text");
            }
        };
        let facts = NoticeFacts {
            pieces: piece_texts(&cut),
            total: cut.total,
            shown: cut.shown(),
            left_out: self.engine.left_out(&cut, self.policy),
            direction: Direction::of(keep, Some(&cut)),
            saved,
            delegate,
        };
        let worded = word(self.style, &facts);
        self.of_cut(worded, None, cut, kind)
    }

    /// Shows pieces of the output.
    fn of_cut(
        self,
        worded: WordedNotice,
        layout: Option<Layout>,
        cut: Cut,
        kind: &'static str,
    ) -> Spilled {
        let left_out = self.engine.left_out(&cut, self.policy);
        let pieces = piece_texts(&cut);
        let preview = match self.engine.profile.words {
            NoticeStyle::Own => pieces.concat(),
            _ => preview(&pieces, left_out),
        };
        Spilled {
            text: worded.text,
            layout,
            preview,
            notice: worded.notice,
            total: cut.total,
            shown: shown_once(&cut),
            left_out,
            fired: Some(cut.fired),
            cut: Some(cut.into_owned()),
            saved: self.saved,
            masked: self.masked,
            keep: self.policy.keep,
            limits: self.policy.limits,
            fill: self.policy.fill,
            is_kind_forced: self.policy.hint.forced.is_some(),
            kind,
            cut_failures: None,
            words: *self.style,
        }
    }

    /// Shows a text that is not part of the output.
    fn of_text(
        self,
        worded: WordedNotice,
        layout: Option<Layout>,
        own: OwnText,
        fired: Option<Unit>,
        kind: &'static str,
    ) -> Spilled {
        Spilled {
            text: worded.text,
            layout,
            notice: worded.notice,
            total: own.total,
            shown: Size::of(own.text.as_bytes(), self.policy.lines),
            preview: own.text,
            left_out: own.left_out,
            fired,
            cut: None,
            saved: self.saved,
            masked: self.masked,
            keep: self.policy.keep,
            limits: self.policy.limits,
            fill: self.policy.fill,
            is_kind_forced: self.policy.hint.forced.is_some(),
            kind,
            cut_failures: None,
            words: *self.style,
        }
    }
}

/// Returns the texts of the pieces. Pieces without a gap between them are joined.
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

/// Returns the size of the shown part. A line that two pieces are parts of counts once.
fn shown_once(cut: &Cut) -> Size {
    let shown = cut.shown();
    let is_same = |two: &&[Span]| two[0].last_line == two[1].first_line;
    let twice = cut.spans().windows(2).filter(is_same).count() as u64;
    Size { lines: shown.lines.saturating_sub(twice), ..shown }
}

/// Converts pieces into text. They are usually UTF-8, and checking that is faster than a lossy
/// conversion.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
