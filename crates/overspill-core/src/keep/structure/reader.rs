//! Reads the lines of an output as what they are, and says how near each is.

use super::columns::Columns;
use super::diff::DiffReader;
use super::json;
use super::markup::MarkupReader;
use super::novelty::Novelty;
use super::table::TableReader;
use super::tap::TapReader;
use crate::keep::signal::has_failure_word;
use crate::{Kind, Why};

/// What a line is to its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineRank {
    /// How near it is; a line of which nothing is known is as far as can be.
    pub(super) near: u32,
    pub(super) why: Why,
    /// So many lines before it, one is as near.
    pub(super) with: Option<u64>,
    /// The lines between the two belong to them.
    pub(super) spans: bool,
}

impl LineRank {
    pub(super) const PLAIN: LineRank =
        LineRank { near: u32::MAX, why: Why::Words, with: None, spans: false };

    pub(super) fn new(near: u32, why: Why) -> LineRank {
        LineRank { near, why, with: None, spans: false }
    }
}

/// A line, as far as it is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct StructureLine<'a> {
    pub(super) text: &'a [u8],
    /// It goes on beyond that.
    pub(super) cut: bool,
    /// Counted from 0.
    pub(super) number: u64,
}

/// Reads lines of one kind.
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
        }))
    }

    /// Returns what the lines are.
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

/// Reads lines each of which is a JSON text.
#[derive(Debug, Clone)]
pub(crate) struct Records {
    scan: json::JsonScan,
    looks: Novelty,
    failed: u64,
    foreign: ForeignLines,
}

impl Records {
    fn read(&mut self, line: StructureLine) -> LineRank {
        if line.cut || line.text.is_empty() {
            return LineRank::PLAIN;
        }
        let found = self.scan.look(line.text);
        if let Some(rank) = self.foreign.read(line.text, found.is_none()) {
            return rank;
        }
        // Lines that are no JSON look alike.
        let (look, failed) = found.unwrap_or((0, false));
        graded(&mut self.looks, look, failed.then_some(&mut self.failed), line.number)
    }
}

/// Lines of another program among rows, such as the trace of a crash among lines of JSON.
#[derive(Debug, Clone, Default)]
pub(super) struct ForeignLines {
    /// The lines at hand belong to a failure.
    in_failure: bool,
    count: u64,
}

impl ForeignLines {
    /// Returns the rank of a line that belongs to a failure. A foreign line with a word of failure begins it, and the
    /// next row ends it.
    pub(super) fn read(&mut self, text: &[u8], is_foreign: bool) -> Option<LineRank> {
        self.in_failure = is_foreign && (self.in_failure || has_failure_word(text));
        if !self.in_failure {
            return None;
        }
        self.count += 1;
        Some(LineRank::new(1 + json::log2(self.count / 16) / 2, Why::Failure))
    }
}

/// Grades one of many items by what it looks like; one that failed adds to those that did.
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
