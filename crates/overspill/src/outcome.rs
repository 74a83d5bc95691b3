//! The result of shortening an output.

use std::borrow::Cow;

use overspill_core::{Cut, CutFailures, Keep, Layout, LeftOut, Limits, PreviewItem, Size, Unit};

use crate::Error;
use crate::profile::{Direction, NoticeStyle};
use crate::store::SpillRef;

/// The result of shortening an output.
#[derive(Debug)]
pub enum Outcome<'a> {
    /// The output is short. The reader gets it unchanged, and it is not saved.
    Whole(Cow<'a, [u8]>),
    /// The output is short, and secrets in it are masked. It is not saved.
    Masked(Masked),
    /// The output was too large. The reader gets a preview.
    Spilled(Box<Spilled>),
}

/// A short output with its secrets masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked {
    /// The masked output. Each line has the same length as before.
    pub bytes: Vec<u8>,
    /// The number of masked secrets.
    pub count: u64,
}

/// An output that was too large.
#[derive(Debug)]
pub struct Spilled {
    /// The text for the reader: the notice and the preview.
    pub text: String,
    /// The shown part of the output, without the notice. In the profiles of source systems a mark
    /// stands between the start and the end.
    pub preview: String,
    /// The notice alone.
    pub notice: String,
    /// The size of the whole output, as the profile measures it.
    pub total: Size,
    /// The size of the shown part. A line that is shown in two pieces counts once.
    pub shown: Size,
    /// The amount that is left out, in the unit of the profile.
    pub left_out: LeftOut,
    /// The parts that are shown. `None` for an outline and for a strategy's own text.
    pub cut: Option<Cut<'static>>,
    /// The limit that the output exceeds. `None` for a strategy's own text.
    pub fired: Option<Unit>,
    /// The saved output, or the error of a failed save.
    pub saved: Result<SpillRef, Error>,
    /// The number of secrets that are masked in the saved output, and with
    /// [`Redact::All`](crate::redact::Redact::All) also in the shown text.
    pub masked: u64,
    /// The setting that chose the shown part.
    pub keep: Keep,
    /// The limits of the preview.
    pub(crate) limits: Limits,
    /// The preview uses all of its room, see [`Policy::fill`](crate::core::Policy::fill).
    pub(crate) fill: bool,
    /// The caller named the kind of the output.
    pub(crate) is_kind_forced: bool,
    /// The kind of preview, see [`PreviewRecord::kind`](crate::store::PreviewRecord::kind).
    pub(crate) kind: &'static str,
    /// The lines with a sign of failure that are not shown. `None` if not every line was read.
    pub(crate) cut_failures: Option<CutFailures>,
    pub(crate) words: NoticeStyle,
    /// The places of the notice, pieces and marks in the text. `None` in the style of a source
    /// system.
    pub(crate) layout: Option<Layout>,
}

impl<'a> Outcome<'a> {
    /// Returns the bytes that the reader gets.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Outcome::Whole(bytes) => bytes,
            Outcome::Masked(masked) => &masked.bytes,
            Outcome::Spilled(spilled) => spilled.text.as_bytes(),
        }
    }

    /// Returns the text that the reader gets. Broken UTF-8 in a short output is replaced.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.bytes())
    }

    /// Returns the saved output. `None` if the output is short or could not be saved.
    pub fn saved(&self) -> Option<&SpillRef> {
        match self {
            Outcome::Whole(_) | Outcome::Masked(_) => None,
            Outcome::Spilled(spilled) => spilled.saved.as_ref().ok(),
        }
    }

    /// Returns a short output in which `masked` secrets are masked.
    pub(crate) fn of(output: Cow<'a, [u8]>, masked: u64) -> Outcome<'a> {
        match masked {
            0 => Outcome::Whole(output),
            count => Outcome::Masked(Masked { bytes: output.into_owned(), count }),
        }
    }

    /// Copies the output, so that the outcome no longer borrows it.
    pub(crate) fn into_owned(self) -> Outcome<'static> {
        match self {
            Outcome::Whole(bytes) => Outcome::Whole(Cow::Owned(bytes.into_owned())),
            Outcome::Masked(masked) => Outcome::Masked(masked),
            Outcome::Spilled(spilled) => Outcome::Spilled(spilled),
        }
    }
}

impl Spilled {
    /// Tells whether the text has no notice, because the limits leave no room for one. Then show
    /// [`Spilled::notice`] beside the text.
    pub fn is_silent(&self) -> bool {
        self.layout.as_ref().is_some_and(|layout| layout.is_silent)
    }

    /// Returns the first line of the text, if that is our notice.
    pub fn notice_line(&self) -> Option<&str> {
        let place = self.layout.as_ref()?.notice.clone();
        self.text.get(place).filter(|line| !line.is_empty())
    }

    /// Returns the text for a reader that has seen `shown`, the start of the output. The text
    /// leaves out the part of the first piece that is in `shown`.
    pub fn text_after(&self, shown: &str) -> String {
        let Some((start, piece)) = self.first_piece() else { return self.text.clone() };
        let seen = match (piece.starts_with(shown), shown.starts_with(piece)) {
            (true, _) => shown.len(),
            (false, true) => piece.len(),
            (false, false) => 0,
        };
        [&self.text[..start], &self.text[start + seen..]].concat()
    }

    /// Returns the place and the text of the first piece, if the preview begins with the start of
    /// the output.
    fn first_piece(&self) -> Option<(usize, &str)> {
        let starts = self.cut.as_ref()?.spans().first()?.bytes.start == 0;
        match self.layout.as_ref()?.items.first().filter(|_| starts)? {
            PreviewItem::Piece(place) => Some((place.start, self.text.get(place.clone())?)),
            PreviewItem::Gap { .. } => None,
        }
    }

    /// Returns the path or address of the saved output.
    pub fn path(&self) -> Option<&str> {
        self.saved.as_ref().ok().map(|saved| saved.path.as_str())
    }

    /// Returns the preview and the end of the output that it shows, if it is whole lines from one
    /// end.
    pub(crate) fn walked(&self) -> Option<(&str, Keep)> {
        match (self.words, self.direction()) {
            (NoticeStyle::Walk(_), Direction::Head) => Some((&self.preview, Keep::Head)),
            (NoticeStyle::Walk(_), Direction::Tail) => Some((&self.preview, Keep::Tail)),
            (NoticeStyle::Walk(_), Direction::Ends) => None,
            (
                NoticeStyle::Own
                | NoticeStyle::BothEnds
                | NoticeStyle::StartOnly
                | NoticeStyle::Envelope,
                _,
            ) => None,
        }
    }

    /// Returns the part of the output that is shown.
    pub(crate) fn direction(&self) -> Direction {
        Direction::of(self.keep, self.cut.as_ref())
    }

    /// Returns the amount of the output that is hidden. For tokens it returns characters.
    pub fn hidden(&self, unit: Unit) -> u64 {
        let (total, shown) = (&self.total, &self.shown);
        match unit {
            Unit::Bytes => total.bytes.saturating_sub(shown.bytes),
            Unit::Lines => total.lines.saturating_sub(shown.lines),
            Unit::Chars | Unit::Tokens => total.chars.saturating_sub(shown.chars),
        }
    }
}
