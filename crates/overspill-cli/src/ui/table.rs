//! Rows under each other.

/// A table whose columns are as wide as they must be, and whose last one takes what is left.
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

struct Column {
    title: &'static str,
    align: Align,
}

/// Which side the cells of a column stand on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// What is between two columns.
const GAP: &str = "  ";
/// The longest cell, in characters. Terminals are narrower.
const LONGEST_CELL: usize = 1_000;
/// The last column gets at least so much, whatever the width.
const LEAST: usize = 10;

impl Table {
    /// Begins a table; titles with a `>` in front are of numbers, which stand on the right.
    pub(crate) fn new(titles: &[&'static str]) -> Table {
        let columns = titles.iter().map(|title| match title.strip_prefix('>') {
            Some(title) => Column { title, align: Align::Right },
            None => Column { title, align: Align::Left },
        });
        Table { columns: columns.collect(), rows: Vec::new() }
    }

    /// Adds a row. Cells may hold foreign text: each is escaped to one visible line.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        let escaped = |cell: String| super::escaped(&cell, LONGEST_CELL);
        self.rows.push(cells.into_iter().map(escaped).collect());
    }

    /// Returns the table in lines of at most `width` columns. What is empty in all rows is left out.
    pub(crate) fn text(&self, width: usize) -> String {
        let used: Vec<usize> = (0..self.columns.len())
            .filter(|&column| self.rows.iter().any(|row| !row[column].is_empty()))
            .collect();
        let Some((&last, others)) = used.split_last() else { return String::new() };
        let widest = |column: usize| {
            let cells = self.rows.iter().map(|row| super::columns(&row[column]));
            cells.chain([self.columns[column].title.len()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = others.iter().map(|&column| widest(column)).collect();
        let taken: usize = widths.iter().map(|width| width + GAP.len()).sum();
        let left = width.saturating_sub(taken).max(LEAST);
        let titles: Vec<&str> = self.columns.iter().map(|column| column.title).collect();
        let mut text = String::new();
        let rows = self.rows.iter().map(|row| row.iter().map(String::as_str).collect());
        for row in [titles].into_iter().chain(rows) {
            let mut line = String::new();
            for (&column, &width) in others.iter().zip(&widths) {
                line.push_str(&padded(row[column], width, self.columns[column].align));
                line.push_str(GAP);
            }
            line.push_str(&super::short(row[last], left));
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

fn padded(cell: &str, width: usize, align: Align) -> String {
    let blanks = " ".repeat(width.saturating_sub(super::columns(cell)));
    match align {
        Align::Left => format!("{cell}{blanks}"),
        Align::Right => format!("{blanks}{cell}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_fits_and_leaves_out_what_is_empty() {
        let mut table = Table::new(&["ID", ">SIZE", "STATE", "COMMAND"]);
        table.row(vec!["a".into(), "1 B".into(), String::new(), "日本日本日本日本".into()]);
        table.row(vec!["bcd".into(), "20.5 KiB".into(), String::new(), "ls\n-l".into()]);
        let expected = "ID       SIZE  COMMAND\na         1 B  日本日本…\nbcd  20.5 KiB  ls\\n-l\n";
        assert_eq!(table.text(25), expected);
        assert_eq!(Table::new(&["ID"]).text(80), "");
    }
}
