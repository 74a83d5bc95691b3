//! Reads the lines of an output as what they are, and says how near each is.

use super::columns::Columns;
use super::diff::Diff;
use super::json;
use super::looks::Looks;
use super::markup::Markup;
use super::table::Table;
use super::tap::Tap;
use crate::Why;

/// What a line is to its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grade {
    /// How near it is; a line of which nothing is known is as far as can be.
    pub(super) near: u32,
    pub(super) why: Why,
    /// So many lines before it, one is as near.
    pub(super) with: Option<u64>,
}

impl Grade {
    pub(super) const PLAIN: Grade = Grade { near: u32::MAX, why: Why::Words, with: None };

    pub(super) fn new(near: u32, why: Why) -> Grade {
        Grade { near, why, with: None }
    }
}

/// A line, as far as it is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) text: &'a [u8],
    /// It goes on beyond that.
    pub(super) cut: bool,
    /// Counted from 0.
    pub(super) number: u64,
}

/// Reads lines of one kind.
#[derive(Debug, Clone)]
pub(crate) enum Reader {
    /// A JSON text on each line.
    Records(Box<Records>),
    /// Values between delimiters.
    Table(Table),
    /// Values in aligned columns.
    Columns(Columns),
    /// XML and HTML, test reports among them.
    Markup(Markup),
    /// A unified diff.
    Diff(Diff),
    /// The Test Anything Protocol.
    Tap(Tap),
}

impl Reader {
    pub(crate) fn records() -> Reader {
        Reader::Records(Box::new(Records {
            scan: json::Scan::new(0),
            looks: Looks::default(),
            failed: 0,
        }))
    }

    pub(super) fn read(&mut self, line: Line) -> Grade {
        match self {
            Reader::Records(records) => records.read(line),
            Reader::Table(table) => table.read(line),
            Reader::Columns(columns) => columns.read(line),
            Reader::Markup(markup) => markup.read(line),
            Reader::Diff(diff) => diff.read(line),
            Reader::Tap(tap) => tap.read(line),
        }
    }
}

/// Reads lines each of which is a JSON text.
#[derive(Debug, Clone)]
pub(crate) struct Records {
    scan: json::Scan,
    looks: Looks,
    failed: u64,
}

impl Records {
    fn read(&mut self, line: Line) -> Grade {
        if line.cut || line.text.is_empty() {
            return Grade::PLAIN;
        }
        // What is no JSON looks like nothing else.
        let (look, failed) = self.scan.look(line.text).unwrap_or((0, false));
        graded(&mut self.looks, look, failed.then_some(&mut self.failed), line.number)
    }
}

/// Grades one of many items by what it looks like; one that failed adds to those that did.
pub(super) fn graded(looks: &mut Looks, look: u64, failed: Option<&mut u64>, number: u64) -> Grade {
    let new = looks.is_new(look, number);
    if let Some(failed) = failed {
        *failed += 1;
        return Grade::new(json::log2(*failed - 1) / 2, Why::Failure);
    }
    new.map_or(Grade::PLAIN, |before| {
        Grade::new(8 + json::log2(u64::from(before)) / 2, Why::Differs)
    })
}
