//! What becomes of an output.

use std::borrow::Cow;

use overspill_core::{Cut, Keep, Layout, LeftOut, Limits, Size, Unit};

use crate::Error;
use crate::profile::{Direction, NoticeStyle};
use crate::store::SpillRef;

/// What became of an output.
#[derive(Debug)]
pub enum Outcome<'a> {
    /// The reader gets it as it is, byte for byte. Nothing was stored.
    Whole(Cow<'a, [u8]>),
    /// It fits, and has secrets in it that the reader does not get. Nothing was stored.
    Masked(Masked),
    /// It was too large.
    Spilled(Box<Spilled>),
}

/// An output that fits, with its secrets masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked {
    /// What the reader gets: as long as the output, line by line.
    pub bytes: Vec<u8>,
    /// How many secrets there were.
    pub count: u64,
}

/// An output that was too large.
#[derive(Debug)]
pub struct Spilled {
    /// What the reader gets, notice included.
    pub text: String,
    /// The shown part of the output, without the notice. In the profiles of other systems a mark stands
    /// between the start and the end.
    pub preview: String,
    /// The words alone.
    pub notice: String,
    /// The size of the whole output, as the profile measures it.
    pub total: Size,
    /// The size of what is shown of it. A line that is shown in two pieces counts once.
    pub shown: Size,
    /// How much is left out, as the profile counts it.
    pub left_out: LeftOut,
    /// Which parts are shown; a strategy's own text has none.
    pub cut: Option<Cut<'static>>,
    /// The limit because of which it was cut; none where a strategy made a text of its own.
    pub fired: Option<Unit>,
    /// Where the whole output is, or why it could not be saved.
    pub saved: Result<SpillRef, Error>,
    /// How many secrets were masked in it, where it is saved or also in what is shown.
    pub masked: u64,
    /// The way of keeping.
    pub keep: Keep,
    /// The limits of the preview.
    pub(crate) limits: Limits,
    /// The kind of preview, see [`PreviewRecord::kind`](crate::store::PreviewRecord::kind).
    pub(crate) kind: &'static str,
    pub(crate) words: NoticeStyle,
    /// Where the notice, pieces and marks stand in the text. Source systems have words of their own.
    pub(crate) layout: Option<Layout>,
}

impl<'a> Outcome<'a> {
    /// Returns what the reader gets.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Outcome::Whole(bytes) => bytes,
            Outcome::Masked(masked) => &masked.bytes,
            Outcome::Spilled(spilled) => spilled.text.as_bytes(),
        }
    }

    /// Says that an output is not cut, of which so many secrets are masked.
    pub(crate) fn of(output: Cow<'a, [u8]>, masked: u64) -> Outcome<'a> {
        match masked {
            0 => Outcome::Whole(output),
            count => Outcome::Masked(Masked { bytes: output.into_owned(), count }),
        }
    }

    /// Makes it independent of the output.
    pub(crate) fn into_owned(self) -> Outcome<'static> {
        match self {
            Outcome::Whole(bytes) => Outcome::Whole(Cow::Owned(bytes.into_owned())),
            Outcome::Masked(masked) => Outcome::Masked(masked),
            Outcome::Spilled(spilled) => Outcome::Spilled(spilled),
        }
    }
}

impl Spilled {
    /// Tells whether the reader is left alone with a cut: limits of a few bytes or of no line have no
    /// room for a word on where the rest is. Then [`Spilled::notice`] belongs beside what is shown.
    pub fn is_silent(&self) -> bool {
        self.layout.as_ref().is_some_and(|layout| layout.is_silent)
    }

    /// Returns the first line of the text, if that is our notice.
    pub fn notice_line(&self) -> Option<&str> {
        let place = self.layout.as_ref()?.notice.clone();
        self.text.get(place).filter(|line| !line.is_empty())
    }

    /// Returns where the whole output is, as the reader is told.
    pub fn path(&self) -> Option<&str> {
        self.saved.as_ref().ok().map(|saved| saved.path.as_str())
    }

    /// Returns the preview and the end it was kept from, where it is whole lines from one end.
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

    /// Returns which part of the output is shown.
    pub(crate) fn direction(&self) -> Direction {
        Direction::of(self.keep, self.cut.as_ref())
    }

    /// Returns how much of the output is hidden. Tokens are not counted: characters are.
    pub fn hidden(&self, unit: Unit) -> u64 {
        let (total, shown) = (&self.total, &self.shown);
        match unit {
            Unit::Bytes => total.bytes.saturating_sub(shown.bytes),
            Unit::Lines => total.lines.saturating_sub(shown.lines),
            Unit::Chars | Unit::Tokens => total.chars.saturating_sub(shown.chars),
        }
    }
}
