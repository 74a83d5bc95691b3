//! From lines that are held to the blocks that are shown.

use std::borrow::Cow;
use std::ops::Range;

use super::rows::{HeldRow, StructuredLines};
use crate::keep::SelectedBlock;
use crate::keep::names::{FULL_WEIGHT, LineNames, NamedLine, NamesRoom, SMALL};
use crate::measure::limits::Cost;
use crate::{Limits, Piece, Policy, Reason, Span, Why};

/// Clipped lines must use this share of the room; otherwise the choice is left to others.
const LEAST_USED: f64 = 1.0 / 3.0;

/// How much of the room that the headings of a diff leave the first and the last lines take, each.
const ENDS: f64 = 0.1;

/// So many of the last lines of a diff are shown before its headings.
const LAST: usize = 2;

/// Returns how much the names in a line of a diff count: those of changed lines most, hashes of blobs not at all.
fn weight(text: &[u8]) -> u8 {
    match text.first() {
        _ if text.starts_with(b"index ") => 0,
        Some(b' ') => FULL_WEIGHT / 2,
        _ => FULL_WEIGHT,
    }
}

/// How often names are tried to fit.
const TRIES: u32 = 12;

/// Limits are full if this share of them is used.
const FULL: f64 = 0.99;

/// How near the share of the room for names is searched for.
const NEAR: f64 = 1.0 / 256.0;

impl StructuredLines {
    /// Chooses what to show of an output of `len` bytes within `limits`, of which each gap takes
    /// `mark`: the nearest rows, as many as fit. `None` leaves the choice to others.
    ///
    /// It declines in two cases. Not even the nearest row fits, which takes a limit of some hundred
    /// bytes. Or all rows are shown, some are clipped, and most of the room is still unused: lines
    /// are so long that parts of a few lines serve better. From limits of about 4 KB on,
    /// [`signal`](crate::keep::signal) clips lines shorter and asks for more of the room to be used, so
    /// it declines as well. For this reason lines are not scored beside rows.
    pub(crate) fn choose(
        &self,
        policy: &Policy,
        limits: &Limits,
        mark: &Cost,
        len: u64,
    ) -> Option<Vec<SelectedBlock>> {
        let ranks: Vec<(u32, Why)> = self.rows.iter().map(|row| row.rank(self.count)).collect();
        let mut nearest: Vec<usize> = (0..ranks.len()).collect();
        // The sort is stable: of rows of one rank the first come first.
        nearest.sort_by_key(|&at| ranks[at].0);
        // In a diff the headings are shown first, then the lines that name the most things.
        let mut rows = ranks.len();
        if self.is_diff() {
            // The last lines may be a message of another program about the diff.
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

        // Every row takes a byte, a character and a line at least.
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

    /// Returns the blocks that the chosen rows make, and what they and the marks between them take, if
    /// there is room for that.
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

    /// The same, with gaps shown that are smaller than a mark and have at most so many lines.
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
        // What a byte takes of the limits, and which gaps are closed, is known once lines are chosen. So the share of
        // the room that is given to names is searched for.
        let (mut fits, mut exceeds, mut share) = (0.0, f64::INFINITY, 1.0);
        let mut best = only_headings;
        for _ in 0..TRIES {
            let mut chosen = headings.to_vec();
            let (mark_bytes, mark_lines) = (mark.size.bytes, mark.size.lines);
            let (bytes, lines) = ((bytes * share) as u64, (lines as f64 * share) as u64);
            let mut room = NamesRoom { bytes, lines, mark_bytes, mark_lines, even: false, often };
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

    /// Returns the text of rows that follow each other; their texts do, too.
    fn text_of(&self, rows: &Range<usize>) -> &[u8] {
        let (first, last) = (&self.rows[rows.start], &self.rows[rows.end - 1]);
        &self.text[first.at as usize..(last.at + last.len) as usize]
    }

    /// Tells whether a line goes on where another left off, but for lines that are shorter than
    /// the mark that would stand for them.
    fn joins(&self, before: usize, at: usize, most_lines: u64, mark: &Cost) -> bool {
        let between = &self.rows[before + 1..at];
        let connected = self.rows[before..=at]
            .windows(2)
            .all(|pair| !pair[0].clipped && pair[0].number + 1 == pair[1].number);
        let len: u64 = between.iter().map(|row| u64::from(row.len)).sum();
        connected && len <= mark.size.bytes && between.len() as u64 <= most_lines
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
