//! Differences as text, from one line of it on and as much as there is room for.

use overspill_core::Limits;
use overspill_core::text::defused;

use super::Differences;
use super::common::{CONTEXT, common_start};
use super::window::{Change, Side, Window};
use crate::Error;
use crate::retrieve::excerpt::{around, shown};
use crate::retrieve::page::Room;
use crate::retrieve::source::Source;

/// Stands after a line that ends without a line feed.
const UNENDED: &str = "\\ no line feed at the end\n";

pub(super) struct Writer {
    text: String,
    room: Room,
    /// The number of the first line that is shown.
    from: u64,
    /// How many lines there were.
    lines: u64,
    added: u64,
    removed: u64,
    next: Option<u64>,
}

/// Which lines of a window stand together: changes, and the lines around them.
struct Hunk<'a> {
    changes: &'a [Change],
    /// Lines before the first change.
    before: usize,
    /// Lines after the last one.
    after: usize,
}

impl Writer {
    pub(super) fn new(from_line: u64, limits: &Limits) -> Writer {
        let (text, room) = (String::new(), Room::of(limits));
        Writer { text, room, from: from_line.max(1), lines: 0, added: 0, removed: 0, next: None }
    }

    pub(super) fn is_full(&self) -> bool {
        self.next.is_some()
    }

    pub(super) fn finish(self, coarse: bool, to_the_end: bool) -> Differences {
        let Writer { text, added, removed, lines, next, .. } = self;
        let (same, not_compared) = (false, [None, None]);
        Differences { text, same, added, removed, lines, to_the_end, coarse, next, not_compared }
    }

    /// Writes what was found in a window.
    pub(super) fn write<'s>(
        &mut self,
        window: &Window,
        changes: &[Change],
        old: &mut Source<'s>,
        new: &mut Source<'s>,
    ) -> Result<(), Error> {
        for change in changes {
            self.removed += change.old.len() as u64;
            self.added += change.new.len() as u64;
        }
        let mut both = Both { window, old, new };
        let mut written = 0;
        let mut rest = changes;
        while let Some((hunk, after)) = next_hunk(rest, written, window.old.compared) {
            self.hunk(&mut both, &hunk)?;
            written = hunk.changes[hunk.changes.len() - 1].old.end + hunk.after;
            rest = after;
        }
        Ok(())
    }

    fn hunk(&mut self, both: &mut Both<'_, '_>, hunk: &Hunk<'_>) -> Result<(), Error> {
        let (first, last) = (&hunk.changes[0], &hunk.changes[hunk.changes.len() - 1]);
        let old = first.old.start - hunk.before..last.old.end + hunk.after;
        let new = first.new.start - hunk.before..last.new.end + hunk.after;
        let place = |side: &Side, source: &Source<'_>, lines: &std::ops::Range<usize>| {
            // Of no lines it is the one before that is named.
            let first = side.first_line + lines.start as u64 + u64::from(!lines.is_empty());
            let first = if first == 0 { 0 } else { source.original_line(first) };
            format!("{first},{}", lines.len())
        };
        let a = place(&both.window.old, both.old, &old);
        let b = place(&both.window.new, both.new, &new);
        self.line(1, || Ok(format!("@@ -{a} +{b} @@\n")))?;
        let mut at = old.start;
        for change in hunk.changes {
            self.unchanged(both, at..change.old.start)?;
            // Lines that stand for each other are shown where they differ.
            let pairs = change.old.len() == change.new.len();
            for (index, line) in change.old.clone().enumerate() {
                let pair = pairs.then_some((line, change.new.start + index));
                self.line(both.rows(Which::Old, line), || both.text(Which::Old, '-', line, pair))?;
            }
            for (index, line) in change.new.clone().enumerate() {
                let pair = pairs.then_some((change.old.start + index, line));
                self.line(both.rows(Which::New, line), || both.text(Which::New, '+', line, pair))?;
            }
            at = change.old.end;
        }
        self.unchanged(both, at..old.end)
    }

    fn unchanged(
        &mut self,
        both: &mut Both<'_, '_>,
        lines: std::ops::Range<usize>,
    ) -> Result<(), Error> {
        for line in lines {
            self.line(both.rows(Which::Old, line), || both.text(Which::Old, ' ', line, None))?;
        }
        Ok(())
    }

    /// Adds so many lines, if they are to be shown and have room.
    fn line(
        &mut self,
        lines: u64,
        text: impl FnOnce() -> Result<String, Error>,
    ) -> Result<(), Error> {
        let first = self.lines + 1;
        self.lines += lines;
        if first < self.from || self.next.is_some() {
            return Ok(());
        }
        let text = text()?;
        if self.room.take(text.len(), lines) {
            self.text.push_str(&text);
        } else {
            self.next = Some(first);
        }
        Ok(())
    }
}

/// Takes as many changes as stand together, and the lines around them up to the end of what was
/// compared.
fn next_hunk(changes: &[Change], written: usize, compared: usize) -> Option<(Hunk<'_>, &[Change])> {
    let context = CONTEXT as usize;
    let first = changes.first()?;
    let apart = |pair: &[Change]| pair[1].old.start - pair[0].old.end > 2 * context;
    let count = changes.windows(2).position(apart).map_or(changes.len(), |at| at + 1);
    let (changes, rest) = changes.split_at(count);
    let end = rest.first().map_or(compared, |next| next.old.start);
    let before = context.min(first.old.start - written);
    let after = context.min(end - changes[count - 1].old.end);
    Some((Hunk { changes, before, after }, rest))
}

#[derive(Clone, Copy)]
enum Which {
    Old,
    New,
}

/// Both outputs, and the part of them that was compared.
struct Both<'a, 's> {
    window: &'a Window,
    old: &'a mut Source<'s>,
    new: &'a mut Source<'s>,
}

impl<'s> Both<'_, 's> {
    fn side(&mut self, which: Which) -> (&Side, &mut Source<'s>) {
        match which {
            Which::Old => (&self.window.old, self.old),
            Which::New => (&self.window.new, self.new),
        }
    }

    /// Returns how many lines are shown for a line: two for one that has no line feed.
    fn rows(&mut self, which: Which, line: usize) -> u64 {
        let (side, source) = self.side(which);
        // Only the last line of an output can be such a one.
        let is_last = side.line(line).end == source.total;
        1 + u64::from(is_last && self.is_unended(which))
    }

    fn is_unended(&mut self, which: Which) -> bool {
        let (_, source) = self.side(which);
        let total = source.total;
        source.range(total - 1, total).is_ok_and(|last| last != b"\n")
    }

    /// Returns a line as it is shown; of a long one of a pair what is around where the two differ.
    fn text(
        &mut self,
        which: Which,
        mark: char,
        line: usize,
        pair: Option<(usize, usize)>,
    ) -> Result<String, Error> {
        let at = match pair {
            Some((old, new)) => self.first_difference(old, new)?,
            None => 0,
        };
        let unended = if self.rows(which, line) > 1 { UNENDED } else { "" };
        let (side, source) = self.side(which);
        let place = side.line(line);
        let len = (place.end - place.start) as usize;
        let range = around(len, at);
        let from = place.start;
        let bytes = source.range(from + range.start as u64, from + range.end as u64)?;
        Ok(format!("{mark}{}\n{unended}", defused(shown(bytes, &range, len))))
    }

    fn first_difference(&mut self, old: usize, new: usize) -> Result<usize, Error> {
        let (old, new) = (self.window.old.line(old), self.window.new.line(new));
        let mut same = 0;
        loop {
            let a = self.old.range(old.start + same, old.end)?;
            let b = self.new.range(new.start + same, new.end)?;
            let more = common_start(a, b);
            same += more as u64;
            if more == 0 || more < a.len() {
                return Ok(same as usize);
            }
        }
    }
}
