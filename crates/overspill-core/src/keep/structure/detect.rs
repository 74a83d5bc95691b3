//! Finds out from the start of an output whether the output has a structure, and which one.

use super::columns::{Columns, are_columns};
use super::diff::{DiffReader, is_diff, is_log};
use super::markup::{MarkupReader, is_markup};
use super::reader::LineReader;
use super::table::{TableReader, delimiter};
use super::tap::{TapReader, is_tap};
use super::{SAMPLE, json};
use crate::Kind;
use crate::keep::signal::has_job_columns;
use crate::text::clean;

/// The structure of an output.
#[derive(Debug, Clone)]
pub(crate) enum Format {
    /// Probably one JSON text: the first byte is `{` or `[`.
    Json,
    /// Lines that the reader reads one by one.
    Lines(LineReader),
}

/// The number of lines that must be JSON texts before all lines count as JSON texts.
const RECORDS: usize = 3;

/// Returns the structure of an output that begins with `sample`. A `forced` kind is not checked.
pub(crate) fn detect(sample: &[u8], forced: Option<Kind>) -> Option<Format> {
    if forced.is_some_and(|kind| !kind.is_structured()) {
        return None;
    }
    let text = clean(sample).text;
    let text = text.trim_start_matches('\u{feff}').trim_start();
    // The sample may end within a line.
    let whole = match text.rfind('\n') {
        Some(end) if sample.len() == SAMPLE => &text[..end],
        _ => text,
    };
    let lines = || whole.lines().filter(|line| !line.is_empty());
    if let Some(reader) = forced.and_then(|kind| reader_of(kind, lines())) {
        return Some(Format::Lines(reader));
    }
    if is_job_log(lines()) {
        return None;
    }
    match text.as_bytes().first()? {
        b'{' | b'[' if are_records(lines()) => Some(Format::Lines(LineReader::records())),
        b'{' | b'[' => Some(Format::Json),
        b'<' => is_markup(text).then(|| Format::Lines(LineReader::Markup(MarkupReader::default()))),
        _ if is_tap(lines()) => Some(Format::Lines(LineReader::Tap(TapReader::default()))),
        _ if is_log(lines()) || is_diff(lines()) => {
            Some(Format::Lines(LineReader::Diff(DiffReader::default())))
        }
        _ if are_columns(lines()) => Some(Format::Lines(LineReader::Columns(Columns::default()))),
        _ => delimiter(lines())
            .map(|delimiter| Format::Lines(LineReader::Table(TableReader::new(delimiter)))),
    }
}

/// Returns the reader for the lines of a kind.
fn reader_of<'a>(kind: Kind, lines: impl Iterator<Item = &'a str> + Clone) -> Option<LineReader> {
    Some(match kind {
        Kind::JsonLines => LineReader::records(),
        Kind::Table => LineReader::Table(TableReader::new(delimiter(lines).unwrap_or(b','))),
        Kind::Columns => LineReader::Columns(Columns::default()),
        Kind::Diff => LineReader::Diff(DiffReader::default()),
        Kind::Markup => LineReader::Markup(MarkupReader::default()),
        Kind::Tap => LineReader::Tap(TapReader::default()),
        _ => return None,
    })
}

/// The number of lines at the start that must have the columns of a job in the log of a CI job.
const JOB_LINES: usize = 3;

/// Tells whether the lines are the log of a CI job, with the job and the step before each line. Such
/// a log is not a table, although tabs separate its columns.
fn is_job_log<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let mut first = lines.take(JOB_LINES).map(|line| has_job_columns(line.as_bytes()));
    first.next() == Some(true) && first.all(|is_one| is_one)
}

fn are_records<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let mut scan = json::JsonScan::new(0);
    let mut records = 0;
    for line in lines.take(RECORDS) {
        if scan.look(line.as_bytes()).is_none() {
            return false;
        }
        records += 1;
    }
    records == RECORDS
}
