//! Tables for people: rows with columns that fit the width of the terminal.

use super::{Colors, Tone};

/// A table. Columns are as wide as their cells, and the last column takes the rest of the width.
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    /// The meanings of cells: the row, the column and the meaning.
    tones: Vec<(usize, usize, Tone)>,
    /// Headings between rows: the index of the row below, and the text.
    headings: Vec<(usize, &'static str)>,
    /// The columns that a narrow terminal leaves out, the first to leave out first.
    optional: Vec<&'static str>,
}

struct Column {
    title: &'static str,
    align: Align,
}

/// The alignment of the cells of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// The text between two columns.
const GAP: &str = "  ";
/// The largest number of characters of a cell. Terminals are narrower.
const LONGEST_CELL: usize = 1_000;
/// The smallest number of columns that a text gets, on any terminal.
const LEAST: usize = 8;
/// The number of columns that the last text should get. If it gets less, optional columns are left
/// out.
const ENOUGH: usize = 14;

impl Table {
    /// Makes a table with these titles. A `>` before a title aligns the column right, for numbers.
    pub(crate) fn new(titles: &[&'static str]) -> Table {
        let columns = titles.iter().map(|title| match title.strip_prefix('>') {
            Some(title) => Column { title, align: Align::Right },
            None => Column { title, align: Align::Left },
        });
        Table {
            columns: columns.collect(),
            rows: Vec::new(),
            tones: Vec::new(),
            headings: Vec::new(),
            optional: Vec::new(),
        }
    }

    /// Adds a row. Cells may have foreign text, so each cell is escaped to one visible line.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        let escaped = |cell: String| super::escaped(&cell, LONGEST_CELL);
        self.rows.push(cells.into_iter().map(escaped).collect());
    }

    /// Gives a cell of the last row a meaning.
    pub(crate) fn tone(&mut self, title: &str, tone: Tone) {
        let column = self.columns.iter().position(|column| column.title == title);
        if let (Some(row), Some(column)) = (self.rows.len().checked_sub(1), column) {
            self.tones.push((row, column, tone));
        }
    }

    /// Adds a heading before the next row.
    #[allow(dead_code, reason = "the list of settings by area is to use it")]
    pub(crate) fn heading(&mut self, heading: &'static str) {
        self.headings.push((self.rows.len(), heading));
    }

    /// Sets the columns that are left out if the table is too wide, the first to leave out first.
    pub(crate) fn optional(mut self, titles: &[&'static str]) -> Table {
        self.optional = titles.to_vec();
        self
    }

    /// Returns the table in lines of at most `width` columns. A column that is empty in all rows is
    /// left out.
    pub(crate) fn text(&self, width: usize) -> String {
        self.painted(width, Colors::OFF)
    }

    /// Like [`Table::text`], in colours.
    pub(crate) fn painted(&self, width: usize, colors: Colors) -> String {
        let widest = |column: usize| {
            let cells = self.rows.iter().map(|row| super::columns(&row[column]));
            cells.chain([super::columns(self.columns[column].title)]).max().unwrap_or(0)
        };
        let used = self.used(width, widest);
        let Some((&last, others)) = used.split_last() else { return String::new() };
        let mut widths: Vec<usize> = others.iter().map(|&column| widest(column)).collect();
        let taken = |widths: &[usize]| widths.iter().map(|width| width + GAP.len()).sum::<usize>();
        let over = (taken(&widths) + self.needed(last, widest)).saturating_sub(width);
        // The first column of text is shortened to fit; a number is never cut.
        let is_text = |column: &usize| self.columns[*column].align == Align::Left;
        if let Some(first) = others.iter().position(is_text) {
            widths[first] = widths[first].saturating_sub(over).max(widths[first].min(LEAST));
        }
        let least = if is_text(&last) { LEAST } else { widest(last) };
        let left = width.saturating_sub(taken(&widths)).max(least);
        let titles: Vec<&str> = self.columns.iter().map(|column| column.title).collect();
        let mut text = String::new();
        let rows = self.rows.iter().map(|row| row.iter().map(String::as_str).collect());
        for (at, row) in [titles].into_iter().chain(rows).enumerate() {
            let tone = |column: usize| match at.checked_sub(1) {
                None => Some(Tone::Faint),
                Some(row) => self.tone_of(row, column),
            };
            let is_next = |heading: &&(usize, &str)| Some(heading.0) == at.checked_sub(1);
            if let Some((_, heading)) = self.headings.iter().find(is_next) {
                text.push_str(&format!("\n{}\n", colors.paint(Tone::Heading, heading)));
            }
            let mut line = String::new();
            for (&column, &width) in others.iter().zip(&widths) {
                let align = self.columns[column].align;
                let cell = super::short(row[column], width);
                line.push_str(&padded(&cell, width, align, colors, tone(column)));
                line.push_str(GAP);
            }
            let align = self.columns[last].align;
            let cell = super::short(row[last], left);
            let width = if align == Align::Right { widest(last) } else { 0 };
            line.push_str(&padded(&cell, width, align, colors, tone(last)));
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// Returns the columns to show: those with text, without optional columns for which the table
    /// has no room.
    fn used(&self, width: usize, widest: impl Fn(usize) -> usize) -> Vec<usize> {
        let is_empty = |column: usize| self.rows.iter().all(|row| row[column].is_empty());
        let mut used: Vec<usize> =
            (0..self.columns.len()).filter(|&column| !is_empty(column)).collect();
        let fits = |used: &[usize]| {
            let Some((&last, others)) = used.split_last() else { return true };
            let taken: usize = others.iter().map(|&column| widest(column) + GAP.len()).sum();
            taken + self.needed(last, &widest) <= width
        };
        for title in &self.optional {
            if fits(&used) {
                break;
            }
            used.retain(|&column| self.columns[column].title != *title);
        }
        used
    }

    /// Returns the width that the last column needs: the whole width for numbers, enough to
    /// recognise a text.
    fn needed(&self, last: usize, widest: impl Fn(usize) -> usize) -> usize {
        match self.columns[last].align {
            Align::Right => widest(last),
            Align::Left => widest(last).min(ENOUGH),
        }
    }

    fn tone_of(&self, row: usize, column: usize) -> Option<Tone> {
        let found = self.tones.iter().find(|(at, of, _)| (*at, *of) == (row, column));
        found.map(|(.., tone)| *tone)
    }
}

fn padded(cell: &str, width: usize, align: Align, colors: Colors, tone: Option<Tone>) -> String {
    let blanks = " ".repeat(width.saturating_sub(super::columns(cell)));
    let cell = tone.map_or_else(|| cell.to_owned(), |tone| colors.paint(tone, cell));
    match align {
        Align::Left => format!("{cell}{blanks}"),
        Align::Right => format!("{blanks}{cell}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_leaves_out_optional_columns_until_it_fits() {
        let mut table =
            Table::new(&["ID", ">SIZE", ">LINES", "COMMAND"]).optional(&["LINES", "SIZE"]);
        table.row(vec!["abcdef".into(), "20.5 KiB".into(), "100".into(), "cargo build".into()]);
        table.tone("ID", Tone::Id);
        assert_eq!(table.text(40).lines().next(), Some("ID          SIZE  LINES  COMMAND"));
        assert_eq!(table.text(30).lines().next(), Some("ID          SIZE  COMMAND"));
        assert_eq!(table.text(20), "ID      COMMAND\nabcdef  cargo build\n");
    }

    #[test]
    fn table_has_headings_between_rows() {
        let mut table = Table::new(&["A", ">B"]);
        table.heading("First");
        table.row(vec!["x".into(), "1".into()]);
        table.row(vec!["y".into(), "2".into()]);
        table.heading("Second");
        table.row(vec!["z".into(), "30".into()]);
        assert_eq!(table.text(40), "A   B\n\nFirst\nx   1\ny   2\n\nSecond\nz  30\n");
    }

    #[test]
    fn table_fits_the_width_and_leaves_out_empty_columns() {
        let mut table = Table::new(&["ID", ">SIZE", "STATE", "COMMAND"]);
        table.row(vec!["a".into(), "1 B".into(), String::new(), "日本日本日本日本".into()]);
        table.row(vec!["bcd".into(), "20.5 KiB".into(), String::new(), "ls\n-l".into()]);
        let expected = "ID       SIZE  COMMAND\na         1 B  日本日本…\nbcd  20.5 KiB  ls\\n-l\n";
        assert_eq!(table.text(25), expected);
        assert_eq!(Table::new(&["ID"]).text(80), "");
    }
}
