//! Chooses the blocks that the preview shows from the lines that were held.

use std::borrow::Cow;
use std::ops::Range;

use super::rows::{HeldRow, StructuredLines};
use crate::keep::SelectedBlock;
use crate::keep::names::{FULL_WEIGHT, LineNames, NamedLine, NamesRoom, SMALL};
use crate::measure::limits::Cost;
use crate::{Limits, Piece, Policy, Reason, Span, Why};

/// The smallest share of the room that clipped lines must use. With less,
/// [`StructuredLines::choose`] declines.
const LEAST_USED: f64 = 1.0 / 3.0;

/// The share of the room for the first lines of a diff, and for the last lines. The room is the
/// room that the headings leave.
const ENDS: f64 = 0.1;

/// The number of last lines of a diff that are chosen before its headings.
const LAST: usize = 2;

/// Returns the weight of the names in a line of a diff: full for changed lines, 0 for the hashes of
/// blobs.
fn weight(text: &[u8]) -> u8 {
    match text.first() {
        _ if text.starts_with(b"index ") => 0,
        Some(b' ') => FULL_WEIGHT / 2,
        _ => FULL_WEIGHT,
    }
}

/// The largest number of attempts to find the share of the room for names.
const TRIES: u32 = 12;

/// The limits count as full if at least this share of them is used.
const FULL: f64 = 0.99;

/// The precision of the search for the share of the room for names.
const NEAR: f64 = 1.0 / 256.0;

impl StructuredLines {
    /// Chooses the rows with the lowest ranks, as many as fit within `limits`, for an output of
    /// `len` bytes. Each gap costs a `mark`. Returns `None` if another way of choosing is better.
    ///
    /// The function declines in two cases. First, not even the row with the lowest rank fits; this happens
    /// only if the limit is some hundred bytes. Second, all rows are shown, some are clipped, and
    /// most of the room is still unused: lines are so long that parts of a few lines are more
    /// useful. With limits of about 4 KB or more, [`signal`](crate::keep::signal) declines as well,
    /// because it clips lines shorter and must use more of the room. For this reason lines are not
    /// scored in addition to the ranks of rows.
    pub(crate) fn choose(
        &self,
        policy: &Policy,
        limits: &Limits,
        mark: &Cost,
        len: u64,
    ) -> Option<Vec<SelectedBlock>> {
        let ranks: Vec<(u32, Why)> = self.rows.iter().map(|row| row.rank(self.count)).collect();
        let mut nearest: Vec<usize> = (0..ranks.len()).collect();
        // The sort is stable: rows with the same rank stay in their order.
        nearest.sort_by_key(|&at| ranks[at].0);
        // In a diff the headings are shown first, then the lines that name the most things.
        let mut rows = ranks.len();
        if self.is_diff() {
            // The last lines may be a message that another program printed about the diff.
            let place = |at: usize| match () {
                () if at + LAST >= ranks.len() => 0,
                () if ranks[at].1 == Why::Heading => 1,
                () => 2,
            };
            nearest.sort_by_key(|&at| place(at));
            rows = (0..ranks.len()).filter(|&at| place(at) < 2).count();
        }
        let mut places = vec![0; ranks.len()];
        nearest.iter().enumerate().for_each(|(place, &at)| places[at] = place);

        // Every row takes at least a byte, a character and a line.
        let most = [limits.bytes, limits.chars, limits.lines].into_iter().flatten().min();
        let most = usize::try_from(most.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let mut best = None;
        let (mut fits, mut exceeds) = (0, rows.min(most) + 1);
        while exceeds - fits > 1 {
            let count = fits.midpoint(exceeds);
            match self.within(|at| places[at] < count, policy, limits, mark, len) {
                Some(found) => (best, fits) = (Some(found), count),
                None => exceeds = count,
            }
        }
        if self.is_diff() {
            let headings: Vec<bool> = places.iter().map(|place| *place < fits).collect();
            best = self.with_names(&headings, &nearest, policy, limits, mark, len);
        }
        let (blocks, cost) = best?;
        if self.clips && limits.used_by(&cost) < LEAST_USED {
            return None;
        }
        Some(blocks.into_iter().map(|rows| self.block(rows, &ranks, len)).collect())
    }

    /// Returns the blocks of the chosen rows and their cost with the marks between them, if they
    /// fit.
    fn within(
        &self,
        is_chosen: impl Fn(usize) -> bool,
        policy: &Policy,
        limits: &Limits,
        mark: &Cost,
        len: u64,
    ) -> Option<(Vec<Range<usize>>, Cost)> {
        // A gap of several short lines takes fewer bytes than its mark, but more lines.
        let by_bytes = self.within_joined(&is_chosen, u64::MAX, policy, limits, mark, len);
        by_bytes.or_else(|| {
            limits.lines?;
            self.within_joined(&is_chosen, mark.size.lines, policy, limits, mark, len)
        })
    }

    /// Like `within`. Shows gaps of up to `most_lines` lines that are smaller than a mark.
    fn within_joined(
        &self,
        is_chosen: impl Fn(usize) -> bool,
        most_lines: u64,
        policy: &Policy,
        limits: &Limits,
        mark: &Cost,
        len: u64,
    ) -> Option<(Vec<Range<usize>>, Cost)> {
        let mut blocks: Vec<Range<usize>> = Vec::new();
        for at in (0..self.rows.len()).filter(|&at| is_chosen(at)) {
            match blocks.last_mut() {
                Some(block) if self.joins(block.end - 1, at, most_lines, mark) => {
                    block.end = at + 1
                }
                _ => blocks.push(at..at + 1),
            }
        }
        let mut sum = Cost::default();
        let mut shown_to = 0;
        for block in &blocks {
            let (first, last) = (&self.rows[block.start], &self.rows[block.end - 1]);
            sum = sum + Cost::of(self.text_of(block), limits, policy.lines, &policy.tokens);
            sum = if first.start > shown_to { sum + *mark } else { sum };
            shown_to = last.end;
            if limits.used_by(&sum) > 1.0 {
                return None;
            }
        }
        sum = if shown_to < len { sum + *mark } else { sum };
        (limits.used_by(&sum) <= 1.0).then_some((blocks, sum))
    }

    /// Adds the first and the last rows to the headings, then the rows that name the most things.
    fn with_names(
        &self,
        headings: &[bool],
        nearest: &[usize],
        policy: &Policy,
        limits: &Limits,
        mark: &Cost,
        len: u64,
    ) -> Option<(Vec<Range<usize>>, Cost)> {
        let names = LineNames::of(self.rows.iter().enumerate().map(|(at, row)| NamedLine {
            number: row.number,
            text: self.text_of(&(at..at + 1)),
            clipped: row.clipped,
            weight: weight(self.text_of(&(at..at + 1))),
        }));
        let only_headings = self.within(|at| headings[at], policy, limits, mark, len)?;
        let all = limits.used_by(&Cost::of(&self.text, limits, policy.lines, &policy.tokens));
        let free = 1.0 - limits.used_by(&only_headings.1);
        let room = self.text.len() as f64 / all.max(f64::MIN_POSITIVE);
        let (bytes, often) = (room * free, room > SMALL as f64);
        let lines =
            limits.lines.map_or(u64::MAX, |most| most.saturating_sub(only_headings.1.size.lines));
        // The cost of a byte, and which gaps are closed, is known only after lines are chosen. So a
        // search finds the share of the room that names get.
        let (mut fits, mut exceeds, mut share) = (0.0, f64::INFINITY, 1.0);
        let mut best = only_headings;
        for _ in 0..TRIES {
            let mut chosen = headings.to_vec();
            let (mark_bytes, mark_lines) = (mark.size.bytes, mark.size.lines);
            let (bytes, lines) = ((bytes * share) as u64, (lines as f64 * share) as u64);
            let mut room =
                NamesRoom { bytes, lines, mark_bytes, mark_lines, even: false, often, alone: 0 };
            names.take(&mut chosen, 0..self.rows.len(), ENDS, &mut room);
            names.take(&mut chosen, (0..self.rows.len()).rev(), ENDS, &mut room);
            names.cover(&mut chosen, &mut room);
            names.take(&mut chosen, nearest.iter().copied(), 1.0, &mut room);
            match self.within(|at| chosen[at], policy, limits, mark, len) {
                Some(found) => {
                    fits = share;
                    let used = limits.used_by(&found.1);
                    let is_all = chosen.iter().all(|chosen| *chosen);
                    if used >= limits.used_by(&best.1) {
                        best = found;
                    }
                    if used >= FULL || is_all {
                        break;
                    }
                    share += (1.0 - used) / free.max(f64::MIN_POSITIVE);
                }
                None => {
                    exceeds = share;
                    share -= share / 16.0;
                }
            }
            if exceeds - fits < NEAR {
                break;
            }
            if fits > 0.0 && exceeds.is_finite() {
                share = f64::midpoint(fits, exceeds);
            }
        }
        Some(best)
    }

    /// Returns the text of consecutive rows. Their texts are consecutive, too.
    fn text_of(&self, rows: &Range<usize>) -> &[u8] {
        let (first, last) = (&self.rows[rows.start], &self.rows[rows.end - 1]);
        &self.text[first.at as usize..(last.at + last.len) as usize]
    }

    /// Tells whether two rows belong to one block: all rows between them are held and take no more
    /// room than a mark.
    fn joins(&self, before: usize, at: usize, most_lines: u64, mark: &Cost) -> bool {
        let between = &self.rows[before + 1..at];
        let connected = self.rows[before..=at]
            .windows(2)
            .all(|pair| !pair[0].clipped && pair[0].number + 1 == pair[1].number);
        let len: u64 = between.iter().map(|row| u64::from(row.len)).sum();
        // The mark has room for long numbers, so most marks are shorter. Several lines must be clearly
        // shorter, or they would cost a line that matters.
        let room = if between.len() > 1 { mark.size.bytes * 2 / 3 } else { mark.size.bytes };
        connected && len <= room && between.len() as u64 <= most_lines
    }

    fn block(&self, rows: Range<usize>, ranks: &[(u32, Why)], len: u64) -> SelectedBlock {
        let text = self.text_of(&rows).to_vec();
        let ranks = &ranks[rows.clone()];
        let rows: &[HeldRow] = &self.rows[rows];
        let (first, last) = (&rows[0], &rows[rows.len() - 1]);
        let unchanged: u64 = rows.iter().map(|row| row.unchanged).sum();
        let bytes = first.start..last.end;
        let altered = bytes.end - bytes.start - unchanged;
        let nearest = (0..rows.len()).min_by_key(|&at| ranks[at].0).unwrap_or(0);
        let (rank, why) = ranks[nearest];
        SelectedBlock {
            span: Span {
                bytes: bytes.clone(),
                first_line: first.line + 1,
                last_line: last.line + 1,
                starts_line: first.starts_line,
                ends_line: last.ends_line || bytes.end == len,
            },
            piece: Piece { bytes, text: Cow::Owned(text), altered },
            reason: Reason { why, line: rows[nearest].line + 1, score: -(rank as i32) },
            is_folded: false,
            note: None,
        }
    }
}
