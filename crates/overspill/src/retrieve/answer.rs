//! Words answers about saved outputs.
//!
//! The program, the MCP tools and the packages show these sentences. Each adds only the request for
//! the next page in the form of its reader: a command line, arguments of a tool, or options of a
//! function.

use std::ops::Range;

#[cfg(feature = "diff")]
use super::diff::Differences;
#[cfg(feature = "grep")]
use super::grep::{GrepMatches, Query};
use super::json::{FromValue, JsonPath, Values};
use super::page::{Page, Part};
use super::partial::MissingLines;
use crate::notice::mark_line;
use crate::store::{Kept, OutputId, Store};

/// A page about a saved output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The id of the output.
    pub id: OutputId,
    /// The lines or values of this page.
    pub text: String,
    /// The sentence about the text, such as `lines 3–5 of 5000`, with warnings. May be empty.
    pub what: String,
    /// The request for the next page.
    pub next: Option<Request>,
    /// The parts of the output that the text shows, in bytes. Empty for JSON values.
    pub parts: Vec<Range<u64>>,
}

/// A request for a page about saved outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// A part of an output.
    Part {
        /// The id of the output.
        id: OutputId,
        /// The part to read.
        part: Part,
    },
    /// Values of a JSON output.
    Values {
        /// The id of the output.
        id: OutputId,
        /// The path to the values.
        path: JsonPath,
        /// The value to begin with.
        from: FromValue,
    },
    /// Lines that match.
    #[cfg(feature = "grep")]
    Search {
        /// The id of the output.
        id: OutputId,
        /// The pattern and the line to begin with.
        query: Query,
    },
    /// The differences between two outputs.
    Compare {
        /// The old output.
        old: OutputId,
        /// The new output.
        new: OutputId,
        /// The line of the differences to begin with, counted from 1.
        from_line: u64,
    },
}

impl Answer {
    /// Returns the text and the footer. `print` words the request for the next page.
    pub fn to_text(&self, print: impl FnOnce(&Request) -> String) -> String {
        let mut text = self.text.clone();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&self.footer(print));
        text
    }

    /// Returns the last line of the answer, `[overspill TOKEN: WHAT; next: REQUEST]`. Empty if the
    /// answer has neither a sentence nor a next page.
    pub fn footer(&self, print: impl FnOnce(&Request) -> String) -> String {
        let next = self.next.as_ref().map(|next| format!("next: {}", print(next)));
        let what = joined([Some(self.what.clone()), next]);
        if what.is_empty() { what } else { mark_line(Some(&self.id), &what) }
    }
}

/// Returns a warning if an output is not complete.
fn not_complete(store: &dyn Store, id: &OutputId) -> Option<String> {
    let record = store.record(id).ok().flatten()?;
    match (record.running, record.cut_short) {
        (true, _) => Some("the command still runs".into()),
        (false, true) => Some("cut short: the process that saved it was killed".into()),
        (false, false) => None,
    }
}

impl Page {
    /// Makes an answer that names the part of the output on this page.
    pub fn answer(self, store: &dyn Store, id: &OutputId) -> Answer {
        let what = match self.lines {
            Some((first, last)) if first > last => match self.total_lines(store, id) {
                TotalLines::Known(1) => "the output has 1 line".into(),
                TotalLines::Known(total) => format!("the output has {total} lines"),
                TotalLines::OfCopy | TotalLines::Unknown => "the output has fewer lines".into(),
            },
            Some((first, last)) => {
                let of = match self.total_lines(store, id) {
                    TotalLines::Known(total) => format!(" of {total}"),
                    TotalLines::OfCopy => {
                        " of the saved copy, which lacks the middle and numbers its own lines"
                            .into()
                    }
                    TotalLines::Unknown => String::new(),
                };
                format!("lines {first}–{last}{of}")
            }
            None if self.bytes.is_empty() && self.total == 1 => "the output has 1 byte".into(),
            None if self.bytes.is_empty() => format!("the output has {} bytes", self.total),
            None => format!("bytes {}–{} of {}", self.bytes.start, self.bytes.end, self.total),
        };
        let what = joined([Some(what), not_complete(store, id)]);
        let next = self.next.map(|part| Request::Part { id: id.clone(), part });
        let parts = vec![self.bytes];
        Answer { id: id.clone(), text: self.text, what, next, parts }
    }

    fn total_lines(&self, store: &dyn Store, id: &OutputId) -> TotalLines {
        if let Some(total) = self.total_lines {
            return TotalLines::Known(total);
        }
        match store.record(id).ok().flatten() {
            // An earlier version saved the output, without the numbers of the missing lines.
            Some(record) if matches!(record.kept, Some(Kept::Ends { .. })) => TotalLines::OfCopy,
            Some(record) if record.lines > 0 => TotalLines::Known(record.lines),
            // The process that saved the output ended before it wrote the record.
            _ => TotalLines::Unknown,
        }
    }
}

/// The number of lines of an output.
enum TotalLines {
    Known(u64),
    /// Only the lines of the saved copy can be counted.
    OfCopy,
    Unknown,
}

impl Values {
    /// Makes an answer that names the values, and the parts of the output that are not JSON.
    pub fn answer(self, id: &OutputId, path: &JsonPath) -> Answer {
        let last = (self.first + self.shown).saturating_sub(1);
        let what = match self.shown {
            0 => {
                format!("{} has no value at {}", id.short_id(), one_line(&path.to_string(), 200))
            }
            1 if self.first == 1 && self.next.is_none() => "the only value".into(),
            1 => format!("value {last}"),
            _ => format!("values {}–{last}", self.first),
        };
        let wrong = match (&self.missing, &self.bad) {
            (Some(missing), _) => Some(missing.to_string()),
            (None, Some(bad)) => Some(format!("left out text that is {bad}")),
            (None, None) => None,
        };
        let next =
            self.next.map(|from| Request::Values { id: id.clone(), path: path.clone(), from });
        let what = joined([Some(what), wrong]);
        Answer { id: id.clone(), text: self.text, what, next, parts: Vec::new() }
    }
}

#[cfg(feature = "grep")]
impl GrepMatches {
    /// Makes an answer that names the next page and the lines that were not searched. `query` is
    /// the search.
    pub fn answer(&self, id: &OutputId, query: &Query) -> Answer {
        let is_empty = self.lines.is_empty() && self.next_line.is_none();
        let what = joined([
            is_empty.then(|| "nothing matches".to_owned()),
            self.next_line.map(|line| format!("more from line {line}")),
            self.not_searched.as_ref().map(|missing| lines_not_searched(missing, 0)),
        ]);
        let next = self.next_line.map(|from_line| {
            let most = query.most.map(|most| most.saturating_sub(self.shown));
            Request::Search { id: id.clone(), query: Query { from_line, most, ..query.clone() } }
        });
        let parts = self.lines.iter().map(|line| line.bytes.clone()).collect();
        Answer { id: id.clone(), text: self.text(), what, next, parts }
    }
}

/// Returns a sentence about the lines of an output that were not searched, and the number of other
/// outputs with such lines.
pub fn lines_not_searched(missing: &MissingLines, other_outputs: u64) -> String {
    let others = (other_outputs > 0)
        .then(|| format!("so it is in {}", counted(other_outputs, "other output")));
    joined([Some(format!("{missing} and not searched")), others])
}

/// Returns a sentence about the number of outputs that were not searched.
pub fn outputs_not_searched(outputs: u64) -> String {
    format!("{} not searched", counted(outputs, "more output"))
}

#[cfg(feature = "diff")]
impl Differences {
    /// Makes an answer that counts the lines that differ, and names the lines that were not
    /// compared.
    pub fn answer(&self, old: &OutputId, new: &OutputId) -> Answer {
        let what = match self.same {
            true => format!("{} and {} are the same", old.short_id(), new.short_id()),
            false => {
                let (added, removed) = (counted(self.added, "line"), counted(self.removed, "line"));
                format!("{added} added, {removed} removed")
            }
        };
        let [not_old, not_new] = &self.not_compared;
        let missing = |id: &OutputId, missing: &Option<MissingLines>| {
            Some(format!("{}: {} and not compared", id.short_id(), missing.as_ref()?))
        };
        let what = joined([Some(what), missing(old, not_old), missing(new, not_new)]);
        let compare =
            |from_line| Request::Compare { old: old.clone(), new: new.clone(), from_line };
        let (text, parts) = (self.text.clone(), self.new_parts.clone());
        Answer { id: new.clone(), text, what, next: self.next.map(compare), parts }
    }
}

/// Joins the parts that are not empty with semicolons.
fn joined<const N: usize>(parts: [Option<String>; N]) -> String {
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    parts.join("; ")
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Returns the beginning of a text, without characters that break the line.
fn one_line(text: &str, most: usize) -> String {
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    match text.chars().count() > most {
        true => text.chars().take(most - 1).map(visible).chain(['…']).collect(),
        false => text.chars().map(visible).collect(),
    }
}
