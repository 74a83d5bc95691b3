//! From lines that are held to the blocks that are shown.

use std::borrow::Cow;

use super::rows::{Row, Rows};
use crate::limits::Cost;
use crate::{Limits, Piece, Policy, Reason, Span, Why};

/// Lines one after the other that are shown, where they stand, and why.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) piece: Piece<'static>,
    pub(crate) span: Span,
    pub(crate) reason: Reason,
}

impl Rows {
    /// Chooses what to show of an output of `len` bytes within `limits`, of which each gap takes
    /// `mark`; `None` leaves the choice to others.
    pub(crate) fn choose(
        &self,
        policy: &Policy,
        limits: &Limits,
        mark: &Cost,
        len: u64,
    ) -> Option<Vec<Block>> {
        let ranks: Vec<(u32, Why)> = self.rows.iter().map(|row| row.rank(self.count)).collect();
        let mut bars: Vec<u32> = ranks.iter().map(|(rank, _)| *rank).collect();
        bars.sort_unstable();
        bars.dedup();
        let mut best = None;
        let (mut low, mut high) = (0, bars.len());
        while low < high {
            let at = low.midpoint(high);
            match self.within(&ranks, bars[at], policy, limits, mark, len) {
                Some(blocks) => (best, low) = (Some(blocks), at + 1),
                None => high = at,
            }
        }
        let blocks: Vec<Block> = best?;
        // Where clipping leaves much of the room unused, others know better what to do with it.
        let shown: u64 = blocks.iter().map(|block| block.piece.text.len() as u64).sum();
        let room = limits.most_bytes().unwrap_or(u64::MAX).min(len);
        let lines = blocks.iter().map(|block| block.span.last_line - block.span.first_line + 1);
        let few_lines = limits.lines.is_none_or(|most| lines.sum::<u64>() < most / 2);
        (shown >= room / 3 || !few_lines).then_some(blocks)
    }

    /// Shows the lines up to a rank, if there is room for them.
    fn within(
        &self,
        ranks: &[(u32, Why)],
        bar: u32,
        policy: &Policy,
        limits: &Limits,
        mark: &Cost,
        len: u64,
    ) -> Option<Vec<Block>> {
        let mut blocks: Vec<std::ops::Range<usize>> = Vec::new();
        for at in (0..ranks.len()).filter(|&at| ranks[at].0 <= bar) {
            match blocks.last_mut() {
                Some(block) if self.joins(block.end - 1, at, mark) => block.end = at + 1,
                _ => blocks.push(at..at + 1),
            }
        }
        let blocks: Vec<Block> =
            blocks.into_iter().map(|rows| self.block(rows, ranks, len)).collect();
        let mut sum = Cost::default();
        let mut shown_to = 0;
        for block in &blocks {
            let text = &block.piece.text;
            sum = sum + Cost::of(text, limits, policy.lines, &policy.tokens);
            sum = if block.piece.bytes.start > shown_to { sum + *mark } else { sum };
            shown_to = block.piece.bytes.end;
        }
        sum = if shown_to < len { sum + *mark } else { sum };
        let tokens = limits.tokens.is_none_or(|most| sum.tokens <= most);
        (limits.exceeded_by_size(&sum.size).is_none() && tokens).then_some(blocks)
    }

    /// Tells whether a line goes on where another left off, but for lines that are shorter than
    /// the mark that would stand for them.
    fn joins(&self, before: usize, at: usize, mark: &Cost) -> bool {
        let between = &self.rows[before + 1..at];
        let connected = self.rows[before..=at]
            .windows(2)
            .all(|pair| !pair[0].clipped && pair[0].number + 1 == pair[1].number);
        let len: u64 = between.iter().map(|row| u64::from(row.len)).sum();
        connected && len <= mark.size.bytes && between.len() as u64 <= mark.size.lines
    }

    fn block(&self, rows: std::ops::Range<usize>, ranks: &[(u32, Why)], len: u64) -> Block {
        let ranks = &ranks[rows.clone()];
        let rows: &[Row] = &self.rows[rows];
        let (first, last) = (&rows[0], &rows[rows.len() - 1]);
        let text: Vec<&[u8]> =
            rows.iter().map(|row| &self.text[row.at as usize..][..row.len as usize]).collect();
        let unchanged: u64 = rows.iter().map(|row| row.unchanged).sum();
        let bytes = first.start..last.end;
        let altered = bytes.end - bytes.start - unchanged;
        let nearest = (0..rows.len()).min_by_key(|&at| ranks[at].0).unwrap_or(0);
        let (rank, why) = ranks[nearest];
        Block {
            span: Span {
                bytes: bytes.clone(),
                first_line: first.number + 1,
                last_line: last.number + 1,
                starts_line: true,
                ends_line: !last.clipped || bytes.end == len,
            },
            piece: Piece { bytes, text: Cow::Owned(text.concat()), altered },
            reason: Reason { why, line: rows[nearest].number + 1, score: -(rank as i32) },
        }
    }
}
