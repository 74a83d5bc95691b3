//! Shown text in memory, with the place of each part in the original.

use std::borrow::Cow;
use std::ops::Range;

use crate::LineRule;

/// A run of shown text and the original bytes that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MappedRun {
    /// The offset of the run in the shown text.
    at: usize,
    /// The range of the original.
    original: Range<u64>,
    /// The run is one replacement character. Otherwise it is the original, unchanged.
    replaced: bool,
}

/// Shown text, with its places in the original.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct MappedText<'a> {
    text: Cow<'a, [u8]>,
    runs: Vec<MappedRun>,
    /// The end, in the original, of the text that was shown before this text.
    before: u64,
    /// The length up to which searching for lines to drop is not worth the time.
    enough: usize,
}

/// Lines are dropped after this many bytes of new text.
const LINES_AT_ONCE: usize = 64 * 1024;

impl<'a> MappedText<'a> {
    /// Borrows a part of the original that begins at `at`, unchanged.
    pub(crate) fn borrowed(at: u64, text: &'a [u8]) -> MappedText<'a> {
        let original = at..at + text.len() as u64;
        let runs = vec![MappedRun { at: 0, original, replaced: false }];
        MappedText { text: Cow::Borrowed(text), runs, before: at, enough: 0 }
    }

    /// Starts without text. The text that was shown before ends at `before`.
    pub(crate) fn starting_at(before: u64) -> MappedText<'a> {
        MappedText { before, ..MappedText::default() }
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    pub(crate) fn into_text(self) -> Vec<u8> {
        self.text.into_owned()
    }

    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Adds unchanged text that stands at `at` in the original.
    pub(crate) fn push(&mut self, at: u64, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        let end = at + text.len() as u64;
        let from = self.text.len();
        self.text.to_mut().extend_from_slice(text);
        match self.runs.last_mut() {
            Some(last) if last.original.end == at && !last.replaced => last.original.end = end,
            _ => self.runs.push(MappedRun { at: from, original: at..end, replaced: false }),
        }
    }

    /// Adds one character that replaces `len` bytes at `at`.
    pub(crate) fn push_replaced(&mut self, at: u64, len: u64, text: &str) {
        let original = at..at + len;
        self.runs.push(MappedRun { at: self.text.len(), original, replaced: true });
        self.text.to_mut().extend_from_slice(text.as_bytes());
    }

    /// Appends the text of `other`.
    pub(crate) fn append(&mut self, other: &MappedText) {
        for (index, run) in other.runs.iter().enumerate() {
            let text = &other.text[run.at..other.run_end(index)];
            if run.replaced {
                self.runs.push(MappedRun { at: self.text.len(), ..run.clone() });
                self.text.to_mut().extend_from_slice(text);
            } else {
                self.push(run.original.start, text);
            }
        }
    }

    /// Drops the text from `len` on.
    pub(crate) fn truncate(&mut self, len: usize) {
        if len >= self.text.len() {
            return;
        }
        let end = self.original_at(len);
        self.text.to_mut().truncate(len);
        self.runs.truncate(self.runs.partition_point(|run| run.at < len));
        if let Some(last) = self.runs.last_mut() {
            last.original.end = end;
        }
    }

    /// Drops the text before `from`.
    pub(crate) fn drop_front(&mut self, from: usize) {
        if from == 0 {
            return;
        }
        self.before = self.original_at(from);
        let first = self.runs.partition_point(|run| run.at <= from).saturating_sub(1);
        self.runs.drain(..first);
        for run in &mut self.runs {
            if run.at < from {
                run.original.start += (from - run.at) as u64;
            }
            run.at = run.at.saturating_sub(from);
        }
        self.text.to_mut().drain(..from);
        if self.text.is_empty() {
            self.runs.clear();
        }
    }

    /// Adds text of which only the last `reach` bytes will be needed.
    pub(crate) fn push_last(&mut self, at: u64, text: &[u8], reach: usize) {
        if text.len() < reach {
            return self.push(at, text);
        }
        let skipped = text.len() - reach;
        if text.is_empty() {
            return;
        }
        self.clear();
        self.before = at + skipped as u64;
        self.push(self.before, &text[skipped..]);
    }

    /// Drops text before the last `reach` bytes, only now and then, so that the cost stays low.
    pub(crate) fn keep_last(&mut self, reach: usize) {
        if self.len() > reach.saturating_mul(2) {
            self.drop_front(self.len() - reach);
        }
    }

    /// Drops text before the last `lines` lines, only now and then.
    pub(crate) fn keep_last_lines(&mut self, lines: u64) {
        if self.len() > self.enough {
            let from = super::lines::last_lines_start(self.text(), lines, LineRule::Terminated);
            self.drop_front(from.unwrap_or(0));
            self.enough = self.len().saturating_mul(2).max(LINES_AT_ONCE);
        }
    }

    /// Returns the last `reach` bytes.
    pub(crate) fn last(mut self, reach: usize) -> MappedText<'a> {
        self.drop_front(self.len().saturating_sub(reach));
        self
    }

    pub(crate) fn clear(&mut self) {
        self.text.to_mut().clear();
        self.runs.clear();
    }

    /// Returns the end, in the original, of the text before `offset` of this text.
    ///
    /// Bytes that cleaning dropped belong to the text after them.
    pub(crate) fn original_at(&self, offset: usize) -> u64 {
        let after = self.runs.partition_point(|run| run.at < offset);
        match self.runs[..after].last() {
            None => self.before,
            Some(run) if run.replaced => run.original.end,
            Some(run) => run.original.start + (offset - run.at) as u64,
        }
    }

    /// Returns the offset in this text of the byte `original`, or of the next byte that is shown.
    pub(crate) fn offset_of(&self, original: u64) -> usize {
        let index = self.runs.partition_point(|run| run.original.end <= original);
        let Some(run) = self.runs.get(index) else { return self.text.len() };
        if run.original.start >= original || run.replaced {
            return run.at;
        }
        run.at + (original - run.original.start) as usize
    }

    /// Returns the ranges of the original that are shown unchanged.
    pub(crate) fn unchanged(&self) -> Vec<Range<u64>> {
        self.runs.iter().filter(|run| !run.replaced).map(|run| run.original.clone()).collect()
    }

    /// Returns the number of original bytes within `range` of this text that are shown unchanged.
    pub(crate) fn unchanged_within(&self, range: &Range<usize>) -> u64 {
        let first = self.runs.partition_point(|run| run.at <= range.start).saturating_sub(1);
        let mut unchanged = 0;
        for (index, run) in self.runs.iter().enumerate().skip(first) {
            if run.at >= range.end {
                break;
            }
            if !run.replaced {
                let (from, to) = (run.at.max(range.start), self.run_end(index).min(range.end));
                unchanged += to.saturating_sub(from) as u64;
            }
        }
        unchanged
    }

    fn run_end(&self, index: usize) -> usize {
        self.runs.get(index + 1).map_or(self.text.len(), |next| next.at)
    }

    /// Returns `range` of this text, borrowed from the original if possible.
    pub(crate) fn piece(&self, range: Range<usize>) -> Cow<'a, [u8]> {
        match &self.text {
            Cow::Borrowed(text) => Cow::Borrowed(&text[range]),
            Cow::Owned(text) => Cow::Owned(text[range].to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows `ab`, then `␀` for one byte, then `cd` after three dropped bytes.
    fn sample() -> MappedText<'static> {
        let mut held = MappedText::default();
        held.push(0, b"a");
        held.push(1, b"b");
        held.push_replaced(2, 1, "␀");
        held.push(6, b"cd");
        held
    }

    #[test]
    fn offsets_lead_back_to_the_original() {
        let held = sample();
        let original: Vec<u64> = [0, 1, 2, 5, 6, 7].map(|at| held.original_at(at)).to_vec();
        assert_eq!(original, [0, 1, 2, 3, 7, 8]);
        let offsets: Vec<usize> = (0..9).map(|at| held.offset_of(at)).collect();
        assert_eq!(offsets, [0, 1, 2, 5, 5, 5, 5, 6, 7]);
        assert_eq!(held.unchanged(), [0..2, 6..8]);
        assert_eq!(held.unchanged_within(&(1..6)), 2);
    }

    #[test]
    fn mapped_text_drops_its_front() {
        for from in [0, 1, 2, 5, 6, 7] {
            let (mut held, whole) = (sample(), sample());
            held.drop_front(from);
            assert_eq!(held.text(), &whole.text()[from..]);
            for at in from..=whole.len() {
                if [0, 1, 2, 5, 6, 7].contains(&at) {
                    assert_eq!(held.original_at(at - from), whole.original_at(at), "{from} {at}");
                }
            }
        }
    }

    #[test]
    fn mapped_text_truncates_and_grows_again() {
        for len in [0, 1, 2, 5, 6, 7] {
            let mut held = sample();
            held.truncate(len);
            let end = held.original_at(len);
            assert_eq!(end, sample().original_at(len));
            held.push(100, b"x");
            assert_eq!(held.original_at(len + 1), 101);
        }
    }
}
