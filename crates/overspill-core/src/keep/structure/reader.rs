//! Reads the lines of a structured output and gives each line a rank.
//!
//! Each structure has a reader of its own. This module calls the reader and ranks JSON lines.

use super::columns::Columns;
use super::diff::DiffReader;
use super::json;
use super::markup::MarkupReader;
use super::novelty::Novelty;
use super::table::TableReader;
use super::tap::TapReader;
use crate::keep::signal::has_failure_word;
use crate::{Kind, Why};

/// The rank of a line within its output. Lines with a low rank are shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineRank {
    /// The rank; `u32::MAX` for a line that has nothing special.
    pub(super) near: u32,
    pub(super) why: Why,
    /// The number of lines back to an earlier line that gets the same rank.
    pub(super) with: Option<u64>,
    /// The lines between the earlier line and this line also get a low rank.
    pub(super) spans: bool,
}

impl LineRank {
    pub(super) const PLAIN: LineRank =
        LineRank { near: u32::MAX, why: Why::Words, with: None, spans: false };

    pub(super) fn new(near: u32, why: Why) -> LineRank {
        LineRank { near, why, with: None, spans: false }
    }
}

/// A line that a reader ranks.
#[derive(Debug, Clone, Copy)]
pub(super) struct StructureLine<'a> {
    pub(super) text: &'a [u8],
    /// The line continues after `text`.
    pub(super) cut: bool,
    /// The number of the line, counted from 0.
    pub(super) number: u64,
}

/// The reader for the lines of one structure.
#[derive(Debug, Clone)]
pub(crate) enum LineReader {
    /// A JSON text on each line.
    Records(Box<Records>),
    /// Values between delimiters.
    Table(TableReader),
    /// Values in aligned columns.
    Columns(Columns),
    /// XML and HTML, test reports among them.
    Markup(MarkupReader),
    /// A unified diff.
    Diff(DiffReader),
    /// The Test Anything Protocol.
    Tap(TapReader),
}

impl LineReader {
    pub(crate) fn records() -> LineReader {
        LineReader::Records(Box::new(Records {
            scan: json::JsonScan::new(0),
            looks: Novelty::default(),
            failed: 0,
            foreign: ForeignLines::default(),
            test_began: 0,
        }))
    }

    /// Returns the kind of the output that has these lines.
    pub(super) fn kind(&self) -> Kind {
        match self {
            LineReader::Records(_) => Kind::JsonLines,
            LineReader::Table(_) => Kind::Table,
            LineReader::Columns(_) => Kind::Columns,
            LineReader::Markup(_) => Kind::Markup,
            LineReader::Diff(_) => Kind::Diff,
            LineReader::Tap(_) => Kind::Tap,
        }
    }

    pub(super) fn read(&mut self, line: StructureLine) -> LineRank {
        match self {
            LineReader::Records(records) => records.read(line),
            LineReader::Table(table) => table.read(line),
            LineReader::Columns(columns) => columns.read(line),
            LineReader::Markup(markup) => markup.read(line),
            LineReader::Diff(diff) => diff.read(line),
            LineReader::Tap(tap) => tap.read(line),
        }
    }
}

/// The reader for JSON lines: each line is a JSON text.
#[derive(Debug, Clone)]
pub(crate) struct Records {
    scan: json::JsonScan,
    looks: Novelty,
    failed: u64,
    foreign: ForeignLines,
    /// The line at which the current test of `go test -json` began.
    test_began: u64,
}

/// The largest number of lines above a failed test of `go test -json` that are shown with it.
const TEST_LINES: u64 = 8;

impl Records {
    fn read(&mut self, line: StructureLine) -> LineRank {
        if line.cut || line.text.is_empty() {
            return LineRank::PLAIN;
        }
        let found = self.scan.look(line.text);
        if let Some(rank) = self.foreign.read(line.text, found.is_none()) {
            return rank;
        }
        // All lines that are not JSON have the same shape.
        let (look, failed) = found.unwrap_or((0, false));
        let rank = graded(&mut self.looks, look, failed.then_some(&mut self.failed), line.number);
        match go_test_action(line.text) {
            // The messages of a test come before its result.
            Some(b'f') if failed => {
                let back = (line.number - self.test_began).min(TEST_LINES);
                LineRank { with: Some(back), spans: true, ..rank }
            }
            Some(b'r') => {
                self.test_began = line.number;
                rank
            }
            _ => rank,
        }
    }
}

/// Returns the first letter of the action in a line of `go test -json`: `r` if a test begins, `f` if
/// a test has failed.
fn go_test_action(line: &[u8]) -> Option<u8> {
    let start = line.get(..GO_TEST_START)?;
    let at = memchr::memmem::find(start, b"\"Action\":\"")? + 10;
    memchr::memmem::find(&line[at..], b"\"Package\":\"")?;
    line.get(at).copied()
}

/// The number of bytes of a line of `go test -json` that contain its time and its action.
const GO_TEST_START: usize = 64;

/// The state for lines of another program among the rows, such as a stack trace among JSON lines.
#[derive(Debug, Clone, Default)]
pub(super) struct ForeignLines {
    /// The current line belongs to a failure.
    in_failure: bool,
    count: u64,
}

impl ForeignLines {
    /// Returns the rank of a line that belongs to a failure. A foreign line with a failure word
    /// begins the failure, and the next row of the output ends it.
    pub(super) fn read(&mut self, text: &[u8], is_foreign: bool) -> Option<LineRank> {
        self.in_failure = is_foreign && (self.in_failure || has_failure_word(text));
        if !self.in_failure {
            return None;
        }
        self.count += 1;
        Some(LineRank::new(1 + json::log2(self.count / 16) / 2, Why::Failure))
    }
}

/// Ranks an item of a list by its shape. An item that reports a failure is counted in `failed`.
pub(super) fn graded(
    looks: &mut Novelty,
    look: u64,
    failed: Option<&mut u64>,
    number: u64,
) -> LineRank {
    let new = looks.is_new(look, number);
    if let Some(failed) = failed {
        *failed += 1;
        return LineRank::new(json::log2(*failed - 1) / 2, Why::Failure);
    }
    new.map_or(LineRank::PLAIN, |before| {
        LineRank::new(8 + json::log2(u64::from(before)) / 2, Why::Differs)
    })
}
