//! An outcome as plain values, for programs in any language.

use overspill_core::{LeftOut, LineRule, Size, Span, Unit};
use serde::{Serialize, Serializer};

use crate::store::{Availability, Kept};
use crate::{Masked, Outcome, Spilled};

/// An [`Outcome`] as plain values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The output was too large.
    pub spilled: bool,
    /// The text for the reader, notice included.
    pub text: String,
    /// The text differs from the bytes of the output: bytes that are not UTF-8 are replaced, and a
    /// preview also drops colours and makes control bytes visible.
    pub lossy: bool,
    /// The id of the saved output.
    pub id: Option<String>,
    /// The path or address of the saved output.
    pub path: Option<String>,
    /// The whole output is in `text` or in the saved copy.
    pub complete: bool,
    /// The size of the output.
    #[serde(with = "SizeJson")]
    pub total: Size,
    /// The size of the parts that are shown.
    #[serde(with = "SizeJson")]
    pub shown: Size,
    /// The parts that are shown. `None` if the text is not made of parts of the output.
    #[serde(serialize_with = "spans_json")]
    pub pieces: Option<Vec<Span>>,
    /// The parts that are left out. `None` if the text is not made of parts of the output.
    #[serde(serialize_with = "spans_json")]
    pub gaps: Option<Vec<Span>>,
    /// The amount that is left out, in the unit of the profile.
    pub left_out: Option<Amount>,
    /// The limit that the output exceeds: `bytes`, `lines`, `chars` or `tokens`.
    pub limit: Option<&'static str>,
    /// The reason why the output is not in the bucket yet.
    pub pending: Option<String>,
    /// The number of secrets that were masked.
    pub masked: u64,
    /// The reason why the output could not be saved.
    pub error: Option<String>,
}

/// An amount and its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Amount {
    /// `lines`, `bytes` or `chars`.
    pub unit: &'static str,
    /// The number of units.
    pub count: u64,
}

impl Report {
    /// Makes a report. `lines` is the rule for counting the lines of a short output.
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
        let all = Span {
            bytes: 0..size.bytes,
            first_line: 1,
            last_line: size.lines,
            starts_line: true,
            ends_line: true,
        };
        Report {
            spilled: false,
            text: text.into_owned(),
            lossy: !is_same,
            id: None,
            path: None,
            complete: is_same,
            total: size,
            shown: size,
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
            id: saved.ok().map(|saved| saved.id.to_string()),
            path: saved.ok().map(|saved| saved.path.clone()),
            complete: saved.is_ok_and(|saved| saved.kept == Kept::Whole),
            total: spilled.total,
            shown: spilled.shown,
            pieces: cut.map(|cut| cut.spans().to_vec()),
            gaps: cut.map(|cut| cut.gaps().collect()),
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

/// The JSON of a [`Size`].
#[derive(Serialize)]
#[serde(remote = "Size")]
struct SizeJson {
    bytes: u64,
    lines: u64,
    chars: u64,
}

/// The JSON of a [`Span`]: `bytes` up to an offset, `lines` up to and including a line.
#[derive(Serialize)]
struct SpanJson {
    bytes: (u64, u64),
    lines: (u64, u64),
}

fn spans_json<S: Serializer>(spans: &Option<Vec<Span>>, to: S) -> Result<S::Ok, S::Error> {
    let json = |Span { bytes, first_line, last_line, .. }: &Span| SpanJson {
        bytes: (bytes.start, bytes.end),
        lines: (*first_line, *last_line),
    };
    spans.as_ref().map(|spans| spans.iter().map(json).collect::<Vec<_>>()).serialize(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Nowhere;
    use crate::{Call, Layer, Limit, Overspill, Profile, Settings};

    #[test]
    fn report_json_has_sizes_and_pairs_in_a_fixed_order() {
        let user = Layer { max_lines: Some(Limit::AtMost(5)), ..Layer::default() };
        let overspill = Overspill::new(Profile::OWN, Nowhere::because("no reason"))
            .to_builder()
            .settings(Settings { user, ..Settings::default() })
            .build();
        let report = |output: &str| {
            let outcome = overspill.process(output.as_bytes(), &Call::default());
            serde_json::to_string(&Report::of(&outcome, LineRule::Terminated)).unwrap()
        };
        let short = report("one\ntwo\n");
        let size = r#"{"bytes":8,"lines":2,"chars":8}"#;
        assert!(short.contains(&format!(
            r#""total":{size},"shown":{size},"pieces":[{{"bytes":[0,8],"lines":[1,2]}}],"gaps":[]"#
        )));
        let long = report(&"word\n".repeat(9));
        assert!(long.contains(r#""gaps":[{"bytes":["#), "{long}");
        assert!(long.contains(r#"],"lines":["#), "{long}");
    }
}
