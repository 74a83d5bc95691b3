//! Compares two saved outputs line by line.

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::rc::Rc;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput};
use overspill_core::Limits;

use super::excerpt::{around, shown};
use super::page::Room;
use super::partial::MissingLines;
use super::source::Source;
use crate::Error;
use crate::notice::defused;
use crate::store::read_ranges::merged;
use crate::store::{KeptRanges, OutputId, Store};

/// The size in bytes up to which outputs are compared: both are in memory.
const MAX_BYTES: u64 = 64 << 20;
/// The largest number of lines of outputs that are compared. The time of a comparison grows faster
/// than the number of lines if the same few lines repeat in another order.
const MAX_LINES: u64 = 1_000_000;
/// The histogram algorithm compares outputs with at most this many lines. Myers' algorithm compares
/// larger outputs: it finds few changes among many lines much faster.
const HISTOGRAM_LINES: usize = 50_000;

/// Two outputs are compared if they have at most this many pairs of equal lines. With more pairs, a
/// comparison may take minutes.
const MAX_PAIRS: u64 = 100_000_000;

/// The number of lines that are shown before and after a change.
const CONTEXT: usize = 3;
/// The note after a line that ends without a line feed.
const UNENDED: &str = "\\ no line feed at the end\n";

/// The differences between two outputs, as many as the limits have room for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differences {
    /// Hunks in the unified format, with three lines around each change.
    pub text: String,
    /// Both outputs have the same bytes.
    pub same: bool,
    /// The number of added lines.
    pub added: u64,
    /// The number of removed lines.
    pub removed: u64,
    /// The number of lines of differences on all pages together.
    pub lines: u64,
    /// The line of the differences with which the next page begins.
    pub next: Option<u64>,
    /// The bytes of the new output that the hunks show.
    pub new_parts: Vec<Range<u64>>,
    /// The missing lines of the old and of the new output, which were not compared.
    pub not_compared: [Option<MissingLines>; 2],
}

/// The reason why two outputs were not compared.
#[derive(Debug, thiserror::Error)]
pub enum DiffError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Error),
    /// At least one output is too large.
    #[error("{} has {} {unit} and {} has {} {unit}: diff compares at most {max} {unit} each", old.short_id(), sizes[0], new.short_id(), sizes[1])]
    TooLarge {
        /// The id of the old output.
        old: OutputId,
        /// The id of the new output.
        new: OutputId,
        /// The sizes of the old and of the new output.
        sizes: [u64; 2],
        /// The largest size that is compared.
        max: u64,
        /// The unit of the sizes: `bytes` or `lines`.
        unit: &'static str,
    },
    /// The outputs repeat the same lines in a different order.
    #[error("{} and {} repeat the same lines too often: comparing them would take minutes", old.short_id(), new.short_id())]
    TooRepetitive {
        /// The id of the old output.
        old: OutputId,
        /// The id of the new output.
        new: OutputId,
    },
}

/// Compares two outputs. Shows the differences from a given line of them on, counted from 1, up to
/// `limits`.
pub fn diff(
    store: &dyn Store,
    old: &OutputId,
    new: &OutputId,
    from_line: u64,
    limits: &Limits,
) -> Result<Differences, DiffError> {
    let checked = |sizes: [u64; 2], max: u64, unit: &'static str| match sizes[0].max(sizes[1]) {
        size if size <= max => Ok(()),
        _ => Err(DiffError::TooLarge { old: old.clone(), new: new.clone(), sizes, max, unit }),
    };
    // A store that cannot record the use of the outputs can still be read.
    let _ = (store.touch(old), store.touch(new));
    checked([store.entry(old)?.bytes, store.entry(new)?.bytes], MAX_BYTES, "bytes")?;
    let (old_side, new_side) = (Side::read(store, old)?, Side::read(store, new)?);
    checked([old_side.count_lines(), new_side.count_lines()], MAX_LINES, "lines")?;
    let not_compared = [old_side.missing(), new_side.missing()];
    let mut writer = Writer::new(&old_side, &new_side, from_line, limits);
    let is_equal = old_side.bytes == new_side.bytes;
    if !is_equal && !writer.write_all() {
        return Err(DiffError::TooRepetitive { old: old.clone(), new: new.clone() });
    }
    // Lines that were not saved may differ.
    let same = is_equal && not_compared == [None, None];
    let Writer { text, added, removed, lines, next, new_parts, .. } = writer;
    let new_parts = merged(new_parts);
    Ok(Differences { text, same, added, removed, lines, next, new_parts, not_compared })
}

/// Returns the last run before this one of the same command in the same directory.
pub fn previous_run(store: &dyn Store, name: &OutputId) -> Result<Option<OutputId>, Error> {
    let Some(record) = store.record(name)?.filter(|record| record.call.command.is_some()) else {
        return Ok(None);
    };
    let mut last = None;
    for entry in store.list()? {
        // An output whose record cannot be read is skipped.
        let Ok(Some(other)) = store.record(&entry.name) else { continue };
        let same = other.call.command == record.call.command
            && other.call.directory == record.call.directory;
        let when = (other.created, entry.name);
        if same
            && when < (record.created, name.clone())
            && last.as_ref().is_none_or(|last| *last < when)
        {
            last = Some(when);
        }
    }
    Ok(last.map(|(_, name)| name))
}

/// One of the two outputs.
struct Side {
    bytes: Vec<u8>,
    /// The saved ranges of the original, if not all of it was saved.
    kept: Option<Rc<KeptRanges>>,
}

impl Side {
    fn read(store: &dyn Store, name: &OutputId) -> Result<Side, Error> {
        let mut source = Source::open(store, name)?;
        let mut bytes = Vec::new();
        loop {
            let block = source.block(bytes.len() as u64)?;
            if block.is_empty() {
                return Ok(Side { bytes, kept: source.kept });
            }
            bytes.extend_from_slice(block);
        }
    }

    fn count_lines(&self) -> u64 {
        bytecount::count(&self.bytes, b'\n') as u64
    }

    fn missing(&self) -> Option<MissingLines> {
        self.kept.as_deref().and_then(MissingLines::of)
    }

    /// Returns the first line and the number of lines in the form of a hunk. Lines are counted from
    /// 0.
    fn hunk_range(&self, lines: &Range<usize>) -> String {
        // A hunk without lines on this side names the line before it.
        let first = lines.start as u64 + u64::from(!lines.is_empty());
        let first = match &self.kept {
            Some(kept) if first > 0 => kept.original_line(first),
            _ => first,
        };
        format!("{first},{}", lines.len())
    }
}

/// Counts the pairs of equal lines between the parts that differ: each line of one output with each
/// equal line of the other.
fn equal_pairs(input: &InternedInput<&[u8]>) -> u64 {
    let (old, new) = (&input.before[..], &input.after[..]);
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[start..], &new[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let mut counts = vec![0_u64; input.interner.num_tokens() as usize];
    old[..old.len() - end].iter().for_each(|line| counts[line.0 as usize] += 1);
    new[..new.len() - end].iter().map(|line| counts[line.0 as usize]).sum()
}

/// Writes hunks from a given line of them on, up to the limits.
struct Writer<'a> {
    old: &'a Side,
    new: &'a Side,
    input: InternedInput<&'a [u8]>,
    text: String,
    room: Room,
    /// The number of the first line that is shown.
    from: u64,
    /// The number of lines so far.
    lines: u64,
    added: u64,
    removed: u64,
    next: Option<u64>,
    new_parts: Vec<Range<u64>>,
    /// The beginning of each line of the new output in its copy, and the end of the last line.
    new_starts: Vec<u64>,
    /// The index of the next line of the new output.
    new_at: usize,
}

impl<'a> Writer<'a> {
    fn new(old: &'a Side, new: &'a Side, from_line: u64, limits: &Limits) -> Writer<'a> {
        let input = InternedInput::default();
        let (text, room, from) = (String::new(), Room::of(limits), from_line.max(1));
        Writer {
            old,
            new,
            input,
            text,
            room,
            from,
            lines: 0,
            added: 0,
            removed: 0,
            next: None,
            new_parts: Vec::new(),
            new_starts: Vec::new(),
            new_at: 0,
        }
    }

    /// Writes all differences. Tells whether the outputs could be compared.
    fn write_all(&mut self) -> bool {
        self.input = InternedInput::new(&self.old.bytes[..], &self.new.bytes[..]);
        if equal_pairs(&self.input) > MAX_PAIRS {
            return false;
        }
        let mut end = 0;
        self.new_starts = vec![0];
        for &line in &self.input.after {
            end += self.input.interner[line].len() as u64;
            self.new_starts.push(end);
        }
        let lines = self.input.before.len().max(self.input.after.len());
        let is_large = lines > HISTOGRAM_LINES;
        let algorithm = if is_large { Algorithm::Myers } else { Algorithm::Histogram };
        let mut diff = Diff::compute(algorithm, &self.input);
        diff.postprocess_no_heuristic(&self.input);
        (self.added, self.removed) = (diff.count_additions().into(), diff.count_removals().into());
        let changes: Vec<Hunk> = diff.hunks().collect();
        // Changes with few lines between them share a hunk.
        let apart = |a: &Hunk, b: &Hunk| (b.before.start - a.before.end) as usize <= 2 * CONTEXT;
        let mut written = 0;
        for group in changes.chunk_by(apart) {
            written = self.group(group, written);
        }
        true
    }

    /// Writes changes that share a hunk. Returns the old line after them. `written` lines come
    /// before.
    fn group(&mut self, changes: &[Hunk], written: usize) -> usize {
        let (first, last) = (&changes[0], &changes[changes.len() - 1]);
        let before = CONTEXT.min(first.before.start as usize - written);
        let after = CONTEXT.min(self.input.before.len() - last.before.end as usize);
        let range = |first: u32, last: u32| first as usize - before..last as usize + after;
        let old = range(first.before.start, last.before.end);
        let new = range(first.after.start, last.after.end);
        let (a, b) = (self.old.hunk_range(&old), self.new.hunk_range(&new));
        self.line(1, || format!("@@ -{a} +{b} @@\n"));
        let mut at = old.start;
        self.new_at = new.start;
        for change in changes {
            self.unchanged(at..change.before.start as usize);
            self.changed(change);
            at = change.before.end as usize;
        }
        self.unchanged(at..old.end);
        last.before.end as usize
    }

    fn unchanged(&mut self, lines: Range<usize>) {
        for number in lines {
            self.output_line(' ', self.old_line(number), 0);
        }
    }

    fn changed(&mut self, change: &Hunk) {
        // If the number of lines stays the same, each long line is shown around its first
        // difference.
        let pairs = change.before.len() == change.after.len();
        let difference = |old: &[u8], new: &[u8]| if pairs { shared_start(old, new) } else { 0 };
        let (old_start, new_start) = (change.before.start as usize, change.after.start as usize);
        for index in 0..change.before.len() {
            let old = self.old_line(old_start + index);
            let new = if pairs { self.new_line(new_start + index) } else { &[] };
            self.output_line('-', old, difference(old, new));
        }
        for index in 0..change.after.len() {
            let new = self.new_line(new_start + index);
            let old = if pairs { self.old_line(old_start + index) } else { &[] };
            self.output_line('+', new, difference(old, new));
        }
    }

    fn old_line(&self, number: usize) -> &'a [u8] {
        self.input.interner[self.input.before[number]]
    }

    fn new_line(&self, number: usize) -> &'a [u8] {
        self.input.interner[self.input.after[number]]
    }

    /// Writes a line of an output. A long line is shortened to the part around `at`.
    fn output_line(&mut self, mark: char, line: &[u8], at: usize) {
        let unended = if line.ends_with(b"\n") { "" } else { UNENDED };
        let range = around(line.len(), at);
        let is_shown = self.line(1 + u64::from(!unended.is_empty()), || {
            let text = shown(&line[range.clone()], &range, line.len());
            format!("{mark}{}\n{unended}", defused(text))
        });
        if mark != '-' {
            let start = self.new_starts[self.new_at];
            let place = |at: usize| {
                let at = start + at as u64;
                self.new.kept.as_ref().map_or(at, |kept| kept.original_byte(at))
            };
            if is_shown {
                self.new_parts.push(place(range.start)..place(range.end));
            }
            self.new_at += 1;
        }
    }

    /// Adds a text of `lines` lines, if it is on this page and within the room. Tells whether it is
    /// shown.
    fn line(&mut self, lines: u64, text: impl FnOnce() -> String) -> bool {
        let first = self.lines + 1;
        self.lines += lines;
        if first < self.from || self.next.is_some() {
            return false;
        }
        let text = text();
        if self.room.take(text.len(), lines) {
            self.text.push_str(&text);
        } else {
            self.next = Some(first);
        }
        self.next.is_none()
    }
}

/// Returns the number of bytes at the start that two lines have in common.
fn shared_start(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}
