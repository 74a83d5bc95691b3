//! The result of shortening an output, for JavaScript.

use napi_derive::napi;
use overspill::core::{LineRule, Size as CoreSize, Span as CoreSpan};
use overspill::{Error, Outcome};
use overspill_embed::{Misuse, Question};

/// A size.
#[napi(object)]
pub struct Size {
    /// The number of bytes of UTF-8.
    pub bytes: i64,
    /// The number of lines.
    pub lines: i64,
    /// The number of characters (Unicode scalar values).
    pub chars: i64,
}

/// A part of an output. Lines are counted from 1.
#[napi(object)]
pub struct Span {
    /// The first byte, and the end.
    #[napi(ts_type = "[number, number]")]
    pub bytes: Vec<i64>,
    /// The first and the last line.
    #[napi(ts_type = "[number, number]")]
    pub lines: Vec<i64>,
}

/// The amount that is left out, in the unit that fits best.
#[napi(object)]
pub struct LeftOut {
    /// The unit.
    #[napi(ts_type = "'lines' | 'bytes' | 'chars'")]
    pub unit: String,
    /// The number of units.
    pub count: i64,
}

/// An output that was too large: its preview, and the place of the whole output.
#[napi(object)]
pub struct Spilled {
    /// The output was too large.
    #[napi(ts_type = "true")]
    pub spilled: bool,
    /// The text for the model, notice included.
    pub text: String,
    /// The shown part of the output, without the notice. The profiles of other systems mark the gap
    /// in it.
    pub preview: String,
    /// The notice alone.
    pub notice: String,
    /// The text differs from the bytes of the output: some are cleaned or replaced.
    pub lossy: bool,
    /// The id of the saved output.
    #[napi(ts_type = "string | null")]
    pub id: napi::Either<String, napi::bindgen_prelude::Null>,
    /// The path or address of the saved output.
    #[napi(ts_type = "string | null")]
    pub path: napi::Either<String, napi::bindgen_prelude::Null>,
    /// The saved copy has every byte.
    pub complete: bool,
    /// The size of the output.
    pub total: Size,
    /// The size of the shown part.
    pub shown: Size,
    /// The shown parts. Null if the text is not made of parts of the output.
    #[napi(ts_type = "Span[] | null")]
    pub pieces: napi::Either<Vec<Span>, napi::bindgen_prelude::Null>,
    /// The left-out parts. Null if the text is not made of parts of the output.
    #[napi(ts_type = "Span[] | null")]
    pub gaps: napi::Either<Vec<Span>, napi::bindgen_prelude::Null>,
    /// The amount that is left out.
    pub left_out: LeftOut,
    /// The limit that the output exceeds.
    #[napi(ts_type = "'bytes' | 'lines' | 'chars' | 'tokens' | null")]
    pub limit: napi::Either<String, napi::bindgen_prelude::Null>,
    /// The reason why the output is not in the bucket yet.
    #[napi(ts_type = "string | null")]
    pub pending: napi::Either<String, napi::bindgen_prelude::Null>,
    /// The number of secrets that were masked.
    pub masked: i64,
    /// The reason why the output could not be saved.
    #[napi(ts_type = "string | null")]
    pub error: napi::Either<String, napi::bindgen_prelude::Null>,
}

/// An output whose secrets are masked.
#[napi(object, object_from_js = false)]
pub struct MaskedOutput {
    #[napi(ts_type = "string | Uint8Array")]
    pub output: napi::Either<String, napi::bindgen_prelude::Uint8Array>,
    /// The number of masked secrets.
    pub count: i64,
}

fn or_null<T>(value: Option<T>) -> napi::Either<T, napi::bindgen_prelude::Null> {
    value.map_or(napi::Either::B(napi::bindgen_prelude::Null), napi::Either::A)
}

impl From<CoreSize> for Size {
    fn from(CoreSize { bytes, lines, chars }: CoreSize) -> Size {
        Size { bytes: bytes as i64, lines: lines as i64, chars: chars as i64 }
    }
}

impl From<&CoreSpan> for Span {
    fn from(span: &CoreSpan) -> Span {
        let pair = |from: u64, to: u64| vec![from as i64, to as i64];
        Span {
            bytes: pair(span.bytes.start, span.bytes.end),
            lines: pair(span.first_line, span.last_line),
        }
    }
}

/// Converts an outcome. Returns `None` for a short output.
pub(crate) fn spilled(outcome: Outcome<'_>, lines: LineRule) -> Option<Spilled> {
    let Outcome::Spilled(cut) = outcome else { return None };
    let (preview, notice) = (cut.preview.clone(), cut.notice.clone());
    let report = overspill::Report::of(&Outcome::Spilled(cut), lines);
    let spans = |all: Option<Vec<CoreSpan>>| all.map(|all| all.iter().map(Span::from).collect());
    let left_out = report.left_out.map(|left| (left.unit, left.count)).unwrap_or(("bytes", 0));
    Some(Spilled {
        spilled: true,
        text: report.text,
        preview,
        notice,
        lossy: report.lossy,
        id: or_null(report.id),
        path: or_null(report.path),
        complete: report.complete,
        total: report.total.into(),
        shown: report.shown.into(),
        pieces: or_null(spans(report.pieces)),
        gaps: or_null(spans(report.gaps)),
        left_out: LeftOut { unit: left_out.0.into(), count: left_out.1 as i64 },
        limit: or_null(report.limit.map(str::to_owned)),
        pending: or_null(report.pending),
        masked: report.masked as i64,
        error: or_null(report.error),
    })
}

/// Makes an error for which JavaScript has a class.
pub(crate) fn failed(kind: &str, message: impl std::fmt::Display) -> napi::Error {
    napi::Error::from_reason(format!("{kind}: {message}"))
}

pub(crate) fn misuse(misuse: Misuse) -> napi::Error {
    failed("Misuse", misuse)
}

pub(crate) fn store(error: Error) -> napi::Error {
    match error {
        Error::NotFound { .. } => failed("NotFound", error),
        error => failed("StoreError", error),
    }
}

pub(crate) fn question(question: Question) -> napi::Error {
    match question {
        Question::Misuse(bad) => misuse(bad),
        Question::Store(error) => store(error),
    }
}
