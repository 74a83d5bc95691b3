//! Ranks the lines of tables in aligned columns, as `kubectl get` and `docker ps` print them.
//!
//! The header in capitals comes first, then rows that report a failure or differ from the rest.

use super::field_roles::{FieldRole, fails, role};
use super::json::log2;
use super::novelty::{Novelty, hash, mix};
use super::reader::{LineRank, StructureLine, graded};
use crate::Why;
use crate::text::nth_char;

/// The largest number of columns of a table. A line with more columns is not a header.
const COLUMNS: usize = 32;

/// The state of the reader within a table.
#[derive(Debug, Clone, Default)]
pub(crate) struct Columns {
    /// For each column with a role: the number of its first character, the number of the first
    /// character of the next column, and the role.
    telling: Vec<(u64, u64, FieldRole)>,
    headers: u64,
    looks: Novelty,
    failed: u64,
    /// For each column without a role: the numbers of its first character and of the first character
    /// of the next column, and the words that its rows begin with.
    others: Vec<(u64, u64, Novelty)>,
}

impl Columns {
    pub(super) fn read(&mut self, line: StructureLine) -> LineRank {
        if line.text.is_empty() {
            return LineRank::PLAIN;
        }
        if let Some(header) = header(line.text) {
            return self.read_header(line.text, &header);
        }
        let (mut look, mut failed) = (0, false);
        for &(from, to, role) in &self.telling {
            let value = value(line.text, from, to);
            failed |= fails(role, value);
            // The first word is the status. A time or a count may follow.
            let word = value.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            look = mix(look, hash(&value[..word]));
        }
        let rank = graded(&mut self.looks, look, failed.then_some(&mut self.failed), line.number);
        let rare = self.rare_word(line);
        if rank == LineRank::PLAIN { rare.unwrap_or(rank) } else { rank }
    }

    /// Returns the rank of a row in which a column has a word that its other rows do not have, if
    /// the column has few different words: `Warning` among `Normal`.
    fn rare_word(&mut self, line: StructureLine) -> Option<LineRank> {
        let mut rare = None;
        for (from, to, words) in &mut self.others {
            let value = value(line.text, *from, *to);
            let word = value.split(|byte| *byte == b' ').next().unwrap_or_default();
            if !word.is_empty() && word.iter().all(u8::is_ascii_alphabetic) {
                rare = words.is_new(hash(word), line.number).or(rare);
            }
        }
        rare.map(|before| LineRank::new(8 + log2(u64::from(before)) / 2, Why::Differs))
    }

    fn read_header(&mut self, text: &[u8], header: &[usize]) -> LineRank {
        let nexts = header.iter().skip(1).map(|&next| next as u64).chain([u64::MAX]);
        let columns = header.iter().map(|&from| from as u64).zip(nexts);
        (self.telling, self.others) = (Vec::new(), Vec::new());
        for (from, to) in columns {
            match role(value(text, from, to)) {
                FieldRole::Plain => self.others.push((from, to, Novelty::default())),
                role => self.telling.push((from, to, role)),
            }
        }
        self.headers += 1;
        LineRank::new(log2(self.headers - 1) / 4, Why::Heading)
    }
}

/// Returns the value between two characters of a row, without the blanks around the value.
fn value(text: &[u8], from: u64, to: u64) -> &[u8] {
    let (from, to) = (nth_char(text, from), nth_char(text, to));
    text[from..to].trim_ascii()
}

/// Returns the starts of the columns if the line is a header.
///
/// A header has at least three columns in capitals, with at least two blanks between them.
fn header(text: &[u8]) -> Option<Vec<usize>> {
    let of_header = |byte: &u8| byte.is_ascii_uppercase() || b" -_/%.()#0123456789".contains(byte);
    if !text.first()?.is_ascii_uppercase() || !text.iter().all(of_header) {
        return None;
    }
    let begins = |&at: &usize| at == 0 || text[at] != b' ' && text[..at].ends_with(b"  ");
    let starts: Vec<usize> = (0..text.len()).filter(begins).collect();
    (3..=COLUMNS).contains(&starts.len()).then_some(starts)
}

/// Tells whether the lines are a table in aligned columns.
pub(super) fn are_columns<'a>(mut lines: impl Iterator<Item = &'a str>) -> bool {
    let Some(starts) = lines.next().and_then(|line| header(line.as_bytes())) else { return false };
    let (mut rows, mut aligned) = (0, 0);
    for line in lines.take(200) {
        let text = line.as_bytes();
        // Every column begins after a blank, or the row ends before the column.
        let is_aligned = starts.iter().skip(1).all(|&start| {
            let before = nth_char(text, start as u64 - 1);
            text.get(before).is_none_or(|byte| *byte == b' ')
        });
        let has_values = nth_char(text, starts[1] as u64) < text.len();
        rows += 1;
        aligned += u32::from(is_aligned && has_values || header(text).is_some());
    }
    rows >= 5 && aligned * 20 >= rows * 19
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_columns_are_distinguished_from_other_lines() {
        let table = |row: &str| format!("NAME   STATUS   AGE\n{}", format!("{row}\n").repeat(6));
        let are_columns = |text: &str| are_columns(text.lines());
        assert!(are_columns(&table("web-1  Running  3d")));
        assert!(are_columns(&table("wéb-1  Running  3d")));
        assert!(are_columns(&table("web-1           3d")));
        assert!(!are_columns(&table("a name that goes on beyond its column")));
        assert!(!are_columns(&"NOTHING BUT CAPITALS\n".repeat(9)));
        assert!(!are_columns("NAME   STATUS   AGE\nweb-1  Running  3d\n"));
    }
}
