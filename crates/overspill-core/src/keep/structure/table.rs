//! Tables of values between delimiters: the header, and rows that differ from the rest.

use super::field_roles::{FieldRole, fails, role};
use super::json::log2;
use super::novelty::{Novelty, hash, mix};
use super::reader::{ForeignLines, LineRank, StructureLine, graded};
use crate::Why;

/// How many columns are looked at for what they tell.
const COLUMNS: usize = 64;

/// Where we are in a table.
#[derive(Debug, Clone)]
pub(crate) struct TableReader {
    delimiter: u8,
    roles: Vec<FieldRole>,
    looks: Novelty,
    failed: u64,
    foreign: ForeignLines,
    /// The row at hand goes on: a value in quotes has line breaks.
    within_quotes: bool,
    /// What the row at hand is, for the lines it goes on with.
    grade: LineRank,
    lines: u64,
}

impl TableReader {
    pub(crate) fn new(delimiter: u8) -> TableReader {
        TableReader {
            delimiter,
            roles: Vec::new(),
            looks: Novelty::default(),
            failed: 0,
            foreign: ForeignLines::default(),
            within_quotes: false,
            grade: LineRank::PLAIN,
            lines: 0,
        }
    }

    pub(super) fn read(&mut self, line: StructureLine) -> LineRank {
        if self.within_quotes {
            self.lines += 1;
            let quotes = memchr::memchr_iter(b'"', line.text).count();
            // Where a line is too long to be read to its end, the row is taken to end with it.
            self.within_quotes = quotes.is_multiple_of(2) && !line.cut;
            let near = self.grade.near.saturating_add(4 + log2(self.lines / 4));
            return LineRank { near, ..self.grade };
        }
        let header = self.roles.is_empty();
        let (mut columns, mut look, mut failed) = (0, 0, false);
        let open = each_value(line.text, self.delimiter, |value| {
            if header && columns < COLUMNS {
                self.roles.push(role(value));
            } else if let Some(&role) = self.roles.get(columns)
                && role != FieldRole::Plain
            {
                failed |= fails(role, value);
                look = if value.len() <= 32 { mix(look, hash(value)) } else { look };
            }
            columns += 1;
        });
        self.within_quotes = open && !line.cut;
        self.lines = 0;
        let is_foreign = columns.min(COLUMNS) != self.roles.len() && !open && !line.cut;
        let foreign = self.foreign.read(line.text, is_foreign);
        self.grade = match foreign {
            Some(rank) => rank,
            None if header => LineRank::new(0, Why::Heading),
            // Its last columns may be missing for no other reason.
            None if line.cut && !failed => LineRank::PLAIN,
            None => {
                let look = mix(look, columns as u64);
                graded(&mut self.looks, look, failed.then_some(&mut self.failed), line.number)
            }
        };
        self.grade
    }
}

/// Shows each value of a row to `each`, without its quotes; tells whether the last one's are open.
fn each_value(text: &[u8], delimiter: u8, mut each: impl FnMut(&[u8])) -> bool {
    let (mut start, mut quoted) = (0, false);
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

fn without_quotes(value: &[u8]) -> &[u8] {
    let value = value.trim_ascii();
    value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value)
}

/// Tells whether lines are those of a file with their numbers, as `cat -n` and `nl` write them.
fn are_numbered<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let number = |line: &str| line.trim_start().split_once('\t')?.0.parse::<u64>().ok();
    let numbers: Option<Vec<u64>> = lines.take(50).map(number).collect();
    numbers.is_some_and(|numbers| {
        numbers.len() > 1 && numbers.windows(2).all(|two| two[0].checked_add(1) == Some(two[1]))
    })
}

/// Returns what stands between the values of a table; `None` if lines are those of none.
pub(super) fn delimiter<'a>(lines: impl Iterator<Item = &'a str> + Clone) -> Option<u8> {
    if are_numbered(lines.clone()) {
        return None;
    }
    // Commas stand in any text, tabs in some listings.
    [(b'\t', 2), (b',', 3), (b';', 3), (b'|', 3)].into_iter().find_map(|(delimiter, least)| {
        let (mut rows, mut alike, mut columns) = (0, 0, 0);
        let mut quoted = false;
        for line in lines.clone().take(200) {
            if quoted {
                quoted = memchr::memchr_iter(b'"', line.as_bytes()).count().is_multiple_of(2);
                continue;
            }
            let mut count = 0;
            quoted = each_value(line.as_bytes(), delimiter, |_| count += 1);
            if rows == 0 {
                columns = count;
            }
            rows += 1;
            alike += u32::from(quoted || count == columns);
        }
        (columns >= least && rows >= 5 && alike * 20 >= rows * 19).then_some(delimiter)
    })
}
