//! Lines that a preview shows although the store does not keep their bytes. A [`Policy`] chooses
//! them before the notice is known.

use std::cmp::Reverse;
use std::ops::Range;

use crate::measure::limits::Cost;
use crate::observe::selection::CandidateLine;
use crate::text::mapped::MappedText;
use crate::{LineRule, Oversized, Policy};

/// Lines of an output, or a part of one, as a preview shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The range of the original that the excerpt covers, in bytes.
    pub bytes: Range<u64>,
    /// The number of the line in which the excerpt begins, counted from 1.
    pub line: u64,
    /// The excerpt begins at the start of that line.
    pub starts_line: bool,
    /// The text as the preview shows it.
    pub text: Vec<u8>,
    /// The text is the original, unchanged. Otherwise colours are dropped from it, or control bytes
    /// made visible.
    pub verbatim: bool,
}

impl Excerpt {
    /// Drops the text before a byte of the original. Does nothing if the text is not verbatim.
    pub fn drop_before(&mut self, byte: u64) {
        let len = byte.saturating_sub(self.bytes.start) as usize;
        if len > 0 && self.verbatim && len <= self.text.len() {
            self.line += bytecount::count(&self.text[..len], b'\n') as u64;
            self.starts_line = self.text[len - 1] == b'\n';
            self.text.drain(..len);
            self.bytes.start = byte;
        }
    }

    /// Sorts excerpts, and drops text that another excerpt already has.
    pub fn in_order(mut excerpts: Vec<Excerpt>) -> Vec<Excerpt> {
        excerpts.sort_by_key(|it| (it.bytes.start, Reverse(it.bytes.end)));
        let mut end = 0;
        excerpts.retain_mut(|it| {
            if it.bytes.start < end {
                if !it.verbatim || it.bytes.end <= end {
                    return false;
                }
                it.drop_before(end);
            }
            end = it.bytes.end;
            true
        });
        excerpts
    }
}

impl Oversized<'_> {
    /// Returns the lines in `hole` that a preview may show, in order and without overlap.
    ///
    /// Later cuts of this output show no other line of the hole, because only lines that fit the
    /// limits without a notice remain. So a store can save these lines before the notice is known.
    pub fn narrow(&mut self, hole: &Range<u64>) -> Vec<Excerpt> {
        let (policy, len) = (self.policy().clone(), self.total().bytes);
        let (limits, mark) = (policy.limits, Cost::default());
        let mut excerpts = Vec::new();
        let chosen = self.view.select(&policy, &limits, &mark, len);
        let chosen = chosen.map_or(Vec::new(), |chosen| chosen.blocks);
        let chosen: Vec<_> = chosen.into_iter().map(|block| block.piece.bytes).collect();
        let candidates = self.view.selection.narrow(|line| is_kept(line, hole, &chosen));
        excerpts.extend(candidates.into_iter().map(excerpt));
        // Both ends as far as they are in memory: the notice decides how much of them a cut shows.
        let feeds = |held: &MappedText| bytecount::count(held.text(), b'\n') as u64;
        excerpts.extend(of_end(&self.view.head, 1, true));
        if counts_line_feeds(&policy) {
            let first = (self.breaks + 1).saturating_sub(feeds(&self.view.tail));
            excerpts.extend(of_end(&self.view.tail, first, self.view.tail_is_all));
        }
        let is_in = |it: &Excerpt| it.bytes.start < hole.end && it.bytes.end > hole.start;
        excerpts.retain(|it| is_in(it) && !it.text.is_empty());
        Excerpt::in_order(excerpts)
    }
}

/// Tells whether a line number is a number of line feeds.
fn counts_line_feeds(policy: &Policy) -> bool {
    policy.lines != LineRule::Universal
}

fn is_kept(line: &Range<u64>, hole: &Range<u64>, chosen: &[Range<u64>]) -> bool {
    let is_outside = line.end <= hole.start || line.start >= hole.end;
    let at = chosen.partition_point(|block| block.end <= line.start);
    is_outside || chosen.get(at).is_some_and(|block| block.start <= line.start)
}

fn excerpt(line: CandidateLine) -> Excerpt {
    let CandidateLine { bytes, number, starts_line, text, unchanged } = line;
    let verbatim = unchanged == bytes.end - bytes.start && unchanged == text.len() as u64;
    Excerpt { bytes, line: number, starts_line, text, verbatim }
}

/// Returns the lines of one end of the output. `first` is the number of its first line.
fn of_end(held: &MappedText, first: u64, starts_line: bool) -> Vec<Excerpt> {
    let mut at = 0;
    let lines = held.text().split_inclusive(|byte| *byte == b'\n').zip(first..);
    lines
        .map(|(text, number)| {
            let range = at..at + text.len();
            at = range.end;
            let bytes = held.original_at(range.start)..held.original_at(range.end);
            let unchanged = held.unchanged_within(&range);
            let starts_line = starts_line || range.start > 0;
            let text = text.to_vec();
            excerpt(CandidateLine { bytes, number, starts_line, text, unchanged })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Keep, Limits};

    #[test]
    fn narrowed_output_shows_only_excerpts_of_the_hole() {
        let mut text: String = (1..=5_000).map(|n| format!("\x1b[32mstep\x1b[0m {n}\n")).collect();
        text = text.replacen(" 2500\n", " 2500\nerror: the cause\n", 1);
        for keep in [Keep::Signal, Keep::Auto, Keep::ENDS, Keep::Head, Keep::Tail] {
            let policy = Policy::new(Limits::NONE.bytes(2_000), keep);
            let mut over = policy.measure(text.as_bytes()).unwrap();
            let hole = 500..text.len() as u64 - 500;
            let excerpts = over.narrow(&hole);
            assert!(excerpts.windows(2).all(|pair| pair[0].bytes.end <= pair[1].bytes.start));
            for it in &excerpts {
                let raw = &text.as_bytes()[it.bytes.start as usize..it.bytes.end as usize];
                assert!(!it.verbatim || raw == it.text, "{it:?}");
                let before = &text.as_bytes()[..it.bytes.start as usize];
                assert_eq!(it.line, bytecount::count(before, b'\n') as u64 + 1, "{it:?}");
            }
            for room in [2_000, 1_900, 1_500, 700] {
                let cut = over.cut_within(&Limits::NONE.bytes(room), &Cost::default());
                for piece in &cut.pieces {
                    let mut at = piece.bytes.start.max(hole.start);
                    let end = piece.bytes.end.min(hole.end);
                    for it in &excerpts {
                        if it.bytes.start <= at && at < it.bytes.end {
                            at = it.bytes.end;
                        }
                    }
                    assert!(at >= end, "{keep:?} {room}: {at} of {:?}", piece.bytes);
                }
            }
        }
    }
}
