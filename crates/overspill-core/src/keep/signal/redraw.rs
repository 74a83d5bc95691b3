//! Finds lines that a terminal no longer shows, because a tool moved the cursor up and overwrote
//! them.
//!
//! Tools redraw progress in several lines many times: a build, downloads, a test run. Each time
//! they move the cursor up and print the lines again. A person sees only the last version at the
//! end.

use std::collections::VecDeque;

use crate::text::CursorMotion;

/// The number of rows of the screen.
const ROWS: usize = 256;

/// A row of the screen.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// The number of the line in the row.
    line: u64,
    is_blank: bool,
}

/// The last rows of a screen, used after the cursor has moved up.
#[derive(Debug, Clone, Default)]
pub(super) struct Screen {
    rows: VecDeque<Row>,
    /// The row of the cursor. It is the number of rows if the cursor is below the last row.
    cursor: usize,
    /// The number of lines since the cursor was last above the end.
    since_moved: usize,
}

impl Screen {
    /// Returns a screen that shows all lines before `next` in their order.
    pub(super) fn before(next: u64, blank: impl Fn(u64) -> bool) -> Screen {
        let rows = next.saturating_sub(ROWS as u64)..next;
        let rows = rows.map(|line| Row { line, is_blank: blank(line) });
        let rows: VecDeque<Row> = rows.collect();
        Screen { cursor: rows.len(), rows, since_moved: 0 }
    }

    /// Moves the cursor or erases lines. Calls `gone` with the number of each erased line.
    pub(super) fn go(&mut self, motion: CursorMotion, mut gone: impl FnMut(u64)) {
        match motion {
            CursorMotion::Up(lines) => self.cursor = self.cursor.saturating_sub(lines.into()),
            CursorMotion::Down(lines) => {
                self.cursor = (self.cursor + usize::from(lines)).min(self.rows.len());
            }
            CursorMotion::EraseLine => {
                self.rows.get_mut(self.cursor).into_iter().for_each(|row| row.erase(&mut gone));
            }
            CursorMotion::EraseBelow => {
                self.rows.iter_mut().skip(self.cursor).for_each(|row| row.erase(&mut gone));
            }
        }
        if self.cursor < self.rows.len() {
            self.since_moved = 0;
        }
    }

    /// Writes the next line into the row of the cursor. Returns the number of the line that is not
    /// shown: the earlier line in that row, or the next line itself if it has no text and only
    /// moves the cursor.
    pub(super) fn write(&mut self, line: u64, is_blank: bool) -> Option<u64> {
        let row = Row { line, is_blank };
        let Some(old) = self.rows.get_mut(self.cursor) else {
            self.rows.push_back(row);
            self.since_moved += 1;
            if self.rows.len() > ROWS {
                self.rows.pop_front();
            }
            self.cursor = self.rows.len();
            return None;
        };
        self.cursor += 1;
        let leaves_text = is_blank && !old.is_blank;
        Some(if leaves_text { line } else { std::mem::replace(old, row).line })
    }

    /// Tells whether every line of the screen came after the last move of the cursor.
    pub(super) fn is_plain(&self) -> bool {
        self.since_moved >= ROWS
    }
}

impl Row {
    fn erase(&mut self, gone: &mut impl FnMut(u64)) {
        if !self.is_blank {
            gone(self.line);
        }
        self.is_blank = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes lines and returns the lines that are left. `^` moves the cursor up, and `!` erases.
    fn left(text: &str) -> Vec<&str> {
        let lines: Vec<&str> = text.split('\n').collect();
        let mut screen = Screen::before(0, |_| false);
        let mut left = vec![true; lines.len()];
        for (number, line) in lines.iter().enumerate() {
            for char in line.chars().filter(|char| "^!".contains(*char)) {
                let motion =
                    if char == '^' { CursorMotion::Up(1) } else { CursorMotion::EraseLine };
                screen.go(motion, |line| left[line as usize] = false);
            }
            let over = screen.write(number as u64, line.trim_matches(['^', '!']).is_empty());
            over.into_iter().for_each(|line| left[line as usize] = false);
        }
        let left = lines.iter().zip(left).filter(|(_, left)| *left);
        left.map(|(line, _)| line.trim_matches(['^', '!'])).collect()
    }

    #[test]
    fn redrawn_lines_leave_their_last_state() {
        assert_eq!(
            left("head\na 1\nb 1\n^^a 2\nb 2\n^^a 3\nb 3\ntail"),
            ["head", "a 3", "b 3", "tail"]
        );
        assert_eq!(left("a 1\nb 1\n!^!^!done"), ["done"]);
    }

    #[test]
    fn empty_line_leaves_the_text_below_it() {
        assert_eq!(left("a\nb\n^^\nc"), ["a", "c"]);
    }
}
