//! What became of an output, as plain values for programs in any language.

use overspill_core::{LeftOut, LineRule, Size, Span, Unit};
use serde::Serialize;

use crate::store::{Availability, Kept};
use crate::{Masked, Outcome, Spilled};

/// What became of an output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The output was too large.
    pub spilled: bool,
    /// What the reader gets, notice included.
    pub text: String,
    /// Not all that is shown is byte for byte the output's: bytes that are no UTF-8 replaced, and
    /// in a preview colours dropped and control bytes made visible.
    pub lossy: bool,
    /// The saved output.
    pub id: Option<String>,
    /// Where it is.
    pub path: Option<String>,
    /// All of the output is in `text`, or in the saved copy.
    pub complete: bool,
    /// The size of the output.
    pub total: Counts,
    /// The size of what is shown of it.
    pub shown: Counts,
    /// What is shown; none where it is not pieces of the output.
    pub pieces: Option<Vec<Stretch>>,
    /// What is left out; none where what is shown is not pieces of the output.
    pub gaps: Option<Vec<Stretch>>,
    /// How much is left out, in the unit that the profile counts it in.
    pub left_out: Option<Amount>,
    /// The limit because of which it was cut: `bytes`, `lines`, `chars` or `tokens`.
    pub limit: Option<&'static str>,
    /// Why it is not in the bucket yet.
    pub pending: Option<String>,
    /// How many secrets were masked in it.
    pub masked: u64,
    /// Why it could not be saved.
    pub error: Option<String>,
}

/// A size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[expect(missing_docs, reason = "they are what they are called")]
pub struct Counts {
    pub bytes: u64,
    pub lines: u64,
    pub chars: u64,
}

/// So many of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Amount {
    /// `lines`, `bytes` or `chars`.
    pub unit: &'static str,
    /// How many.
    pub count: u64,
}

/// A part of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Stretch {
    /// From one offset up to another.
    pub bytes: (u64, u64),
    /// From one line to another, both included, counted from 1.
    pub lines: (u64, u64),
}

impl Report {
    /// Says what became of an output. Lines of what was not cut are counted by `lines`, as the
    /// profile counts the others.
    pub fn of(outcome: &Outcome, lines: LineRule) -> Report {
        match outcome {
            Outcome::Whole(bytes) => Report::of_whole(bytes, lines),
            Outcome::Masked(Masked { bytes, count }) => {
                Report { masked: *count, ..Report::of_whole(bytes, lines) }
            }
            Outcome::Spilled(spilled) => Report::of_spilled(spilled),
        }
    }

    fn of_whole(bytes: &[u8], lines: LineRule) -> Report {
        let text = String::from_utf8_lossy(bytes);
        let is_same = text.as_bytes() == bytes;
        let size = Size::of(bytes, lines);
        let all = Stretch { bytes: (0, size.bytes), lines: (1, size.lines) };
        Report {
            spilled: false,
            text: text.into_owned(),
            lossy: !is_same,
            id: None,
            path: None,
            complete: is_same,
            total: size.into(),
            shown: size.into(),
            pieces: Some(if bytes.is_empty() { Vec::new() } else { vec![all] }),
            gaps: Some(Vec::new()),
            left_out: None,
            limit: None,
            pending: None,
            masked: 0,
            error: None,
        }
    }

    fn of_spilled(spilled: &Spilled) -> Report {
        let (saved, cut) = (spilled.saved.as_ref(), spilled.cut.as_ref());
        Report {
            spilled: true,
            text: spilled.text.clone(),
            lossy: cut.is_none_or(|cut| cut.pieces.iter().any(|piece| piece.altered > 0)),
            id: saved.ok().map(|saved| saved.name.to_string()),
            path: saved.ok().map(|saved| saved.path.clone()),
            complete: saved.is_ok_and(|saved| saved.kept == Kept::Whole),
            total: spilled.total.into(),
            shown: spilled.shown.into(),
            pieces: cut.map(|cut| cut.spans().iter().map(Stretch::from).collect()),
            gaps: cut.map(|cut| cut.gaps().map(|gap| Stretch::from(&gap)).collect()),
            left_out: Some(match spilled.left_out {
                LeftOut::Lines(count) => Amount { unit: word(Unit::Lines), count },
                LeftOut::Bytes(count) => Amount { unit: word(Unit::Bytes), count },
                LeftOut::Chars(count) => Amount { unit: word(Unit::Chars), count },
            }),
            limit: spilled.fired.map(word),
            pending: saved.ok().and_then(|saved| match &saved.within {
                Availability::UploadPending(reason) => Some(reason.clone()),
                Availability::ThisMachine | Availability::Shared => None,
            }),
            masked: spilled.masked,
            error: saved.err().map(ToString::to_string),
        }
    }
}

fn word(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes => "bytes",
        Unit::Lines => "lines",
        Unit::Chars => "chars",
        Unit::Tokens => "tokens",
    }
}

impl From<Size> for Counts {
    fn from(Size { bytes, lines, chars }: Size) -> Counts {
        Counts { bytes, lines, chars }
    }
}

impl From<&Span> for Stretch {
    fn from(span: &Span) -> Stretch {
        let Span { bytes, first_line, last_line, .. } = span;
        Stretch { bytes: (bytes.start, bytes.end), lines: (*first_line, *last_line) }
    }
}
