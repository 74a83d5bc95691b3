//! Ranks the lines of tables with delimiters, such as CSV.
//!
//! The header comes first, then rows that report a failure or differ from the rest.

use super::field_roles::{FieldRole, fails, role};
use super::json::log2;
use super::novelty::{Novelty, hash, mix};
use super::reader::{ForeignLines, LineRank, StructureLine, graded};
use crate::Why;
use crate::keep::signal::path_after_facts;

/// The largest number of columns whose names are read.
const COLUMNS: usize = 64;

/// The state of the reader within a table.
#[derive(Debug, Clone)]
pub(crate) struct TableReader {
    delimiter: u8,
    roles: Vec<FieldRole>,
    looks: Novelty,
    failed: u64,
    foreign: ForeignLines,
    /// The current row, if it continues on the next line: a quoted value contains a line break.
    open: Option<RowValues>,
    /// The rank of the current row, for the lines on which the row continues.
    grade: LineRank,
}

impl TableReader {
    pub(crate) fn new(delimiter: u8) -> TableReader {
        TableReader {
            delimiter,
            roles: Vec::new(),
            looks: Novelty::default(),
            failed: 0,
            foreign: ForeignLines::default(),
            open: None,
            grade: LineRank::PLAIN,
        }
    }

    pub(super) fn read(&mut self, line: StructureLine) -> LineRank {
        if let Some(row) = self.open.take() {
            return self.read_on(row, line);
        }
        let header = self.roles.is_empty();
        if self.delimiter == b'|' && is_rule(line.text) {
            return if header { LineRank::new(0, Why::Heading) } else { LineRank::PLAIN };
        }
        let mut row = RowValues::default();
        if header {
            row.is_open = each_value(line.text, self.delimiter, false, |value| {
                row.columns += 1;
                if row.columns <= COLUMNS {
                    self.roles.push(role(value));
                }
            });
        } else {
            row.read(line.text, self.delimiter, &self.roles);
        }
        let RowValues { columns, look, failed, is_open, .. } = row;
        self.open = (is_open && !line.cut).then_some(row);
        let is_foreign = columns.min(COLUMNS) != self.roles.len() && !is_open && !line.cut;
        let foreign = self.foreign.read(line.text, is_foreign);
        self.grade = match foreign {
            Some(rank) => rank,
            None if header => LineRank::new(0, Why::Heading),
            // The last columns may be missing only because the line was cut.
            None if line.cut && !failed => LineRank::PLAIN,
            None => {
                let look = mix(look, columns as u64);
                graded(&mut self.looks, look, failed.then_some(&mut self.failed), line.number)
            }
        };
        self.grade
    }

    /// Reads a line on which a row continues: a quoted value contains a line break.
    fn read_on(&mut self, mut row: RowValues, line: StructureLine) -> LineRank {
        row.lines += 1;
        let had_failed = row.failed;
        row.read(line.text, self.delimiter, &self.roles);
        let near = self.grade.near.saturating_add(4 + log2(row.lines / 4));
        let mut rank = LineRank { near, ..self.grade };
        if row.failed && !had_failed && self.grade.why != Why::Heading {
            // A column after the line break reports the failure.
            self.failed += 1;
            let grade = LineRank::new(log2(self.failed - 1) / 2, Why::Failure);
            rank = LineRank { with: Some(row.lines), spans: true, ..grade };
            self.grade = grade;
        }
        // If a line is too long to be read to its end, the row is assumed to end there.
        self.open = (row.is_open && !line.cut).then_some(row);
        rank
    }
}

/// A summary of the values of a row that have been read so far.
#[derive(Debug, Clone, Copy, Default)]
struct RowValues {
    columns: usize,
    /// A hash of the values in columns that have a role.
    look: u64,
    failed: bool,
    /// The closing quote of the last value has not come yet.
    is_open: bool,
    /// The number of lines of the row after the first line.
    lines: u64,
}

impl RowValues {
    /// Reads the next line of the row.
    fn read(&mut self, text: &[u8], delimiter: u8, roles: &[FieldRole]) {
        // The first value continues a value that has been counted already.
        let mut goes_on = self.is_open;
        self.is_open = each_value(text, delimiter, goes_on, |value| {
            if std::mem::take(&mut goes_on) {
                return;
            }
            if let Some(&role) = roles.get(self.columns)
                && role != FieldRole::Plain
            {
                self.failed |= fails(role, value);
                self.look = if value.len() <= 32 { mix(self.look, hash(value)) } else { self.look };
            }
            self.columns += 1;
        });
    }
}

/// Calls `each` with each value of a row, without quotes. Tells whether the last value still needs
/// its closing quote. With `quoted`, the first value continues a quoted value of the line before.
fn each_value(text: &[u8], delimiter: u8, mut quoted: bool, mut each: impl FnMut(&[u8])) -> bool {
    let mut start = 0;
    for at in memchr::memchr2_iter(delimiter, b'"', text) {
        if text[at] == b'"' {
            quoted = !quoted;
        } else if !quoted {
            each(without_quotes(&text[start..at]));
            start = at + 1;
        }
    }
    each(without_quotes(&text[start..]));
    quoted
}

/// Tells whether a line separates rows and has no values, such as `+----+------+` and `|---|:--|`.
fn is_rule(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    text.len() > 2
        && text.iter().all(|byte| b"+-=|: ".contains(byte))
        && text.iter().any(|byte| b"-=".contains(byte))
}

fn without_quotes(value: &[u8]) -> &[u8] {
    let value = value.trim_ascii();
    value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value)
}

/// Tells whether the lines are a file with line numbers, as `cat -n` and `nl` print it.
fn are_numbered<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let number = |line: &str| line.trim_start().split_once('\t')?.0.parse::<u64>().ok();
    let numbers: Option<Vec<u64>> = lines.take(50).map(number).collect();
    numbers.is_some_and(|numbers| {
        numbers.len() > 1 && numbers.windows(2).all(|two| two[0].checked_add(1) == Some(two[1]))
    })
}

/// Tells whether the lines are file sizes and paths, as `du -a` prints them, or other facts about
/// files before their paths, as `git ls-tree` prints them.
fn are_sizes<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    lines.take(50).all(|line| {
        line.split_once('\t').is_some_and(|(size, path)| {
            let size = size.trim_end_matches(['K', 'M', 'G', 'T']);
            size.parse::<f64>().is_ok() && path.contains('/') && !path.contains('\t')
        }) || path_after_facts(line.as_bytes()).is_some()
    })
}

/// Returns the delimiter between the values of a table, or `None` if the lines are not a table.
pub(super) fn delimiter<'a>(lines: impl Iterator<Item = &'a str> + Clone) -> Option<u8> {
    if are_numbered(lines.clone()) || are_sizes(lines.clone()) {
        return None;
    }
    // Commas occur in any text and tabs in some listings, so each delimiter needs several columns.
    [(b'\t', 2), (b',', 3), (b';', 3), (b'|', 3)].into_iter().find_map(|(delimiter, least)| {
        let (mut rows, mut alike, mut columns) = (0, 0, 0);
        let mut quoted = false;
        let is_row = |line: &&str| delimiter != b'|' || !is_rule(line.as_bytes());
        for line in lines.clone().take(200).filter(is_row) {
            if quoted {
                quoted = memchr::memchr_iter(b'"', line.as_bytes()).count().is_multiple_of(2);
                continue;
            }
            let mut count = 0;
            quoted = each_value(line.as_bytes(), delimiter, false, |_| count += 1);
            if rows == 0 {
                columns = count;
            }
            rows += 1;
            alike += u32::from(quoted || count == columns);
        }
        (columns >= least && rows >= 5 && alike * 20 >= rows * 19).then_some(delimiter)
    })
}
