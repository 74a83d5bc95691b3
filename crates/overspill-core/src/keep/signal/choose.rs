//! Chooses the blocks that the preview shows from the scored lines.
//!
//! The kind of the output decides the order: the lines that explain a failure, the lines that name
//! the most things, or the headings. The choice is tried with several sizes until the limits are
//! full.

use std::ops::Range;

use super::block::Block;
use super::bridge::{bridged, show_tiny_gaps};
use super::classify::{Class, FEWEST_LINES};
use super::fold;
use super::line::ScoredLines;
use super::notes::LineNotes;
use super::pack::{Item, PackBudget, force, pack, room_used};
use super::{changes, listing, odd, prose, search, source};
use crate::keep::names::{FULL_WEIGHT, LineNames, NamedLine, NamesRoom, SMALL};
use crate::measure::limits::Cost;
use crate::{Kind, KindHint, Limits, Policy, Reason, Why};

/// The shares of the room for the first and the last lines of a failing log. The first lines show
/// the command and the first of many failures.
const FAILING_ENDS: (f64, f64) = (0.01, 0.06);

/// The shares of the room for the first and the last lines of any other output.
const OTHER_ENDS: (f64, f64) = (0.08, 0.15);

/// The shares of the room for the first and the last lines of prose. Its headings come next.
const PROSE_ENDS: (f64, f64) = (0.05, 0.05);

/// Returns the smallest gain for each byte at which a line is worth showing.
///
/// The gains of all lines add up to at most 1. If each byte of the room had the same gain, it would
/// be 1 / `room`. In a small room a line must have a tenth of this rate. In a large room a fiftieth
/// is enough, because a reader who gives much room does not want to miss anything.
fn worthless(room: u64) -> f64 {
    let room = room.max(SMALL) as f64;
    (1000.0 / room).clamp(0.02, 0.1) / room
}

/// The shares of the room for the first and the last lines of a test run, which ends with its
/// summary.
const TEST_ENDS: (f64, f64) = (0.05, 0.3);

/// The share of the room for the first match of each file.
const FIRSTS: f64 = 0.5;

/// The price of a line far from all chosen lines, in marks, for text that is read as a whole.
const ALONE: u64 = 2;

/// The share of the room for the headings of prose.
const HEADINGS: f64 = 0.2;

/// The share of the rest for the options of a manual page.
const OPTIONS: f64 = 0.5;

/// Chooses the lines to show within `limits`. Each gap costs a `mark`. Returns `None` if another
/// way of choosing is better.
pub(crate) fn choose(
    lines: &ScoredLines,
    policy: &Policy,
    limits: &Limits,
    mark: &Cost,
) -> Option<SignalChoice> {
    let chooser = lines.chooser(policy.hint);
    if lines.count() < FEWEST_LINES || matches!(chooser.order, ShownOrder::Ends) {
        return None;
    }
    let mut room = bytes_within(lines, policy, limits);
    let mut best: Option<(f64, SignalChoice)> = None;
    for _ in 0..TRIES {
        let Some((chosen, is_enough)) = chooser.within(room, limits.lines, mark, policy.fill)
        else {
            break;
        };
        let blocks = chooser.blocks(lines, &chosen, room);
        let used = limits.used_by(&cost_of(lines, policy, limits, mark, &blocks));
        let all = chosen.iter().all(|chosen| *chosen);
        if used <= 1.0 && best.as_ref().is_none_or(|(most, _)| used > *most) {
            best = Some((used, SignalChoice { chosen, blocks, is_enough }));
        } else if best.is_some() {
            break;
        }
        if used <= 1.0 && (is_enough || used >= FULL || all || used == 0.0 || room == UNBOUNDED) {
            break;
        }
        // Characters and tokens do not add up like bytes. But the cost of a byte in the chosen
        // lines is known now, so the next try uses it.
        let next = ((room as f64 / used * NEARLY) as u64).min(UNBOUNDED);
        room = if used > 1.0 { next.min(room - room / 64) } else { next.max(room + 1) };
    }
    let (used, mut choice) = best?;
    // If clipped lines leave much of the room unused, both ends of the output use it better.
    let clips = lines.lines.iter().any(|line| line.clipped);
    if choice.blocks.is_empty() || clips && used < LEAST_USED && !choice.is_enough {
        return None;
    }
    if choice.is_enough {
        let bridged = bridged(lines, &choice.chosen);
        let blocks_bridged = chooser.blocks(lines, &bridged, room);
        if limits.used_by(&cost_of(lines, policy, limits, mark, &blocks_bridged)) <= 1.0 {
            (choice.chosen, choice.blocks) = (bridged, blocks_bridged);
        }
        let mut chosen = choice.chosen.clone();
        fold::stand_for_gaps(lines, &mut chosen);
        let blocks = chooser.blocks(lines, &chosen, room);
        if limits.used_by(&cost_of(lines, policy, limits, mark, &blocks)) <= 1.0 {
            choice.blocks = blocks;
        }
    }
    fold::mark_folds(lines, &mut choice.blocks);
    Some(choice)
}

/// The lines that [`choose`] selected.
pub(crate) struct SignalChoice {
    chosen: Vec<bool>,
    pub(crate) blocks: Vec<Block>,
    /// No other line is worth showing, even if room is left.
    pub(crate) is_enough: bool,
}

/// The largest number of tries to fill the limits.
const TRIES: u32 = 12;

/// The size of a room without a limit, in bytes or lines.
pub(super) const UNBOUNDED: u64 = 1 << 60;

/// The limits count as full if at least this share of them is used.
const FULL: f64 = 0.97;

/// The share of the limits that the next try aims at.
const NEARLY: f64 = 0.99;

/// The smallest share of the room that clipped lines must use.
const LEAST_USED: f64 = 0.5;

/// The lines to choose from, with all facts that do not depend on the room.
#[derive(Debug, Clone)]
pub(super) struct Chooser {
    items: Vec<Item>,
    /// For each line, whether it continues a run of similar lines.
    in_run: Vec<bool>,
    names: LineNames,
    notes: LineNotes,
    class: Class,
    order: ShownOrder,
}

/// The order of the lines that are shown after the lines that explain a failure.
#[derive(Debug, Clone)]
enum ShownOrder {
    /// The lines with the most new names.
    Names,
    /// The lines of a listing that are worth most together. Each line has a number for its worth.
    Folders(Vec<f64>),
    /// First the marked lines, each group within a share of the room: headings and options of prose,
    /// headings of changes, the first match of each file, or odd lines. Then the lines with the most
    /// new names.
    Marked(Vec<(Vec<bool>, f64)>),
    /// Both ends of the output, for a listing in which no line is better than another.
    Ends,
}

impl Chooser {
    pub(super) fn new(lines: &ScoredLines, hint: KindHint) -> Chooser {
        let mut items: Vec<Item> = Vec::with_capacity(lines.lines.len());
        let mut next = 0;
        for (line, share) in lines.lines.iter().zip(&lines.shares) {
            items.push(Item {
                gain: *share,
                // The mark after a clipped line begins on a new line.
                bytes: u32::from(line.len) + u32::from(line.clipped),
                joined: line.number == next,
                open: line.clipped,
                forced: false,
            });
            next = line.number + 1;
        }
        let class = lines.class(hint);
        let weights = match class.kind {
            Kind::Search => search::weights(lines),
            Kind::Source => {
                lines.lines.iter().map(|line| source::weight(lines.text(line))).collect()
            }
            _ => vec![FULL_WEIGHT; lines.lines.len()],
        };
        let named = lines.lines.iter().zip(weights).map(|(line, weight)| NamedLine {
            number: line.number,
            text: lines.text(line),
            clipped: line.clipped,
            weight,
        });
        let names = match class.kind {
            _ if class.failing >= 1.0 => LineNames::default(),
            Kind::Search => LineNames::of_results(named),
            _ => LineNames::of(named),
        };
        let order = match class.kind {
            _ if class.is_list => {
                listing::worths(lines).map_or(ShownOrder::Ends, ShownOrder::Folders)
            }
            Kind::Prose => {
                let (headings, options) = (prose::headings(lines), prose::options(lines));
                ShownOrder::Marked(vec![(headings, HEADINGS), (options, OPTIONS)])
            }
            Kind::Search => ShownOrder::Marked(vec![(search::firsts(lines), FIRSTS)]),
            Kind::Plain => {
                let (marked, share) = changes::headings(lines).unwrap_or_else(|| odd::lines(lines));
                ShownOrder::Marked(vec![(marked, share)])
            }
            _ => ShownOrder::Names,
        };
        let in_run = fold::in_runs(lines);
        let notes = LineNotes::of(lines, class.kind);
        Chooser { items, in_run, names, notes, class, order }
    }

    /// Returns the kind of the output.
    pub(super) fn kind(&self) -> Kind {
        self.class.kind
    }

    /// Joins consecutive chosen lines to blocks, and adds notes about the gaps between the blocks.
    fn blocks(&self, lines: &ScoredLines, chosen: &[bool], room: u64) -> Vec<Block> {
        let mut blocks = blocks(lines, chosen);
        // In a small room the name of another file is worth more than the number of matches.
        if self.class.kind != Kind::Search || room > SMALL {
            self.notes.add(lines, &mut blocks);
        }
        blocks
    }

    /// Chooses lines within `room` bytes and `most_lines` lines: first lines that explain a
    /// failure, to the degree to which the output is a failing log, then lines that name the most
    /// things.
    ///
    /// Also tells whether no other line is worth showing. With `fill`, all of the room is used.
    fn within(
        &self,
        room: u64,
        most_lines: Option<u64>,
        mark: &Cost,
        fill: bool,
    ) -> Option<(Vec<bool>, bool)> {
        let most_lines = most_lines.unwrap_or(UNBOUNDED);
        let mut items = self.items.clone();
        let mix = |failing: f64, other: f64| {
            failing * self.class.failing + other * (1.0 - self.class.failing)
        };
        let ends = match self.class.kind {
            Kind::Prose => PROSE_ENDS,
            Kind::TestRun => TEST_ENDS,
            _ => OTHER_ENDS,
        };
        let (head, tail) = (mix(FAILING_ENDS.0, ends.0), mix(FAILING_ENDS.1, ends.1));
        force(items.iter_mut(), share_of(room, head), share_of(most_lines, head));
        force(items.iter_mut().rev(), share_of(room, tail), share_of(most_lines, tail));
        let stops = self.class.failing >= 1.0 && !fill;
        if stops {
            // The last lines of a run repeat its first lines.
            let in_runs = items.iter_mut().zip(&self.in_run).filter(|(_, in_run)| **in_run);
            in_runs.for_each(|(item, _)| {
                item.forced = false;
                item.gain = if self.class.is_run { 0.0 } else { item.gain };
            });
        }
        let (mark_bytes, mark_lines) = (mark.size.bytes, mark.size.lines);
        let floor = if stops { worthless(room) } else { 0.0 };
        let all = PackBudget { bytes: room, lines: most_lines, mark_bytes, mark_lines, floor };
        let forced: Vec<bool> = items.iter().map(|item| item.forced).collect();
        let (bytes, lines) = room_used(&items, &all, &forced);
        let (mut chosen, mut is_enough) = (forced, false);
        if self.class.failing > 0.0 {
            let part = |all: u64, used: u64| {
                used.saturating_add(share_of(all.saturating_sub(used), self.class.failing)).min(all)
            };
            let budget =
                PackBudget { bytes: part(room, bytes), lines: part(most_lines, lines), ..all };
            (chosen, is_enough) = pack(&items, &budget)?;
        }
        if self.class.failing < 1.0 {
            let (bytes, lines) = room_used(&items, &all, &chosen);
            let (bytes, lines) = (room.checked_sub(bytes)?, most_lines.checked_sub(lines)?);
            let often = room > SMALL;
            let even = self.class.kind == Kind::Source && often;
            let is_read = matches!(self.class.kind, Kind::Source | Kind::Prose | Kind::Plain);
            let alone = if is_read { ALONE * mark_bytes } else { 0 };
            let mut room = NamesRoom { bytes, lines, mark_bytes, mark_lines, even, often, alone };
            match &self.order {
                ShownOrder::Folders(worths) => {
                    let sum: f64 = worths.iter().sum();
                    for (item, worth) in items.iter_mut().zip(worths) {
                        item.gain = *worth / sum;
                    }
                    let (mut chosen, is_enough) = pack(&items, &all)?;
                    show_tiny_gaps(&items, &all, &mut chosen);
                    return Some((chosen, is_enough));
                }
                ShownOrder::Marked(groups) => {
                    for (marked, share) in groups {
                        let order = (0..marked.len()).filter(|&at| marked[at]);
                        self.names.take(&mut chosen, order, *share, &mut room);
                    }
                    self.names.cover(&mut chosen, &mut room);
                }
                ShownOrder::Names => self.names.cover(&mut chosen, &mut room),
                ShownOrder::Ends => return None,
            }
            // If no new names are left, the first lines fill the room.
            self.names.take(&mut chosen, 0..self.items.len(), 1.0, &mut room);
        }
        show_tiny_gaps(&items, &all, &mut chosen);
        Some((chosen, is_enough))
    }
}

fn share_of(room: u64, share: f64) -> u64 {
    (room as f64 * share) as u64
}

/// Returns the number of bytes to try first. Limits of characters and tokens are converted to
/// bytes.
fn bytes_within(lines: &ScoredLines, policy: &Policy, limits: &Limits) -> u64 {
    let mut room = limits.bytes.unwrap_or(UNBOUNDED).min(UNBOUNDED);
    if limits.chars.is_some() || limits.tokens.is_some() {
        let all: Cost = cost(lines, policy, limits, 0..lines.lines.len());
        let scaled = |most: u64, all_of_them: u64| {
            let bytes = u128::from(most) * u128::from(all.size.bytes);
            (bytes / u128::from(all_of_them.max(1))).min(u128::from(UNBOUNDED)) as u64
        };
        room = room.min(limits.chars.map_or(u64::MAX, |most| scaled(most, all.size.chars)));
        room = room.min(limits.tokens.map_or(u64::MAX, |most| scaled(most, all.tokens)));
    }
    room
}

/// Measures blocks and the marks between them.
fn cost_of(
    lines: &ScoredLines,
    policy: &Policy,
    limits: &Limits,
    mark: &Cost,
    blocks: &[Block],
) -> Cost {
    let all = &lines.lines;
    let mut sum = Cost::default();
    for (at, block) in blocks.iter().enumerate() {
        sum = sum + cost(lines, policy, limits, block.lines.clone());
        let gap_before = at > 0 || all[block.lines.start].number > 0;
        sum = if gap_before { sum + *mark } else { sum };
        if let Some(note) = &block.note {
            sum = sum + Cost::of(note.as_bytes(), limits, policy.lines, &policy.tokens);
            sum.size.lines = sum.size.lines.saturating_sub(1);
        }
    }
    let ends = blocks.last().is_some_and(|block| block.lines.end == all.len());
    let gap_after = !ends || all.last().is_some_and(|line| line.clipped);
    if gap_after { sum + *mark } else { sum }
}

/// Measures consecutive lines.
fn cost(lines: &ScoredLines, policy: &Policy, limits: &Limits, which: Range<usize>) -> Cost {
    let text = lines.lines[which].iter().map(|line| lines.text(line)).collect::<Vec<_>>().concat();
    Cost::of(&text, limits, policy.lines, &policy.tokens)
}

/// Joins consecutive chosen lines to blocks, with the reason for each block.
fn blocks(lines: &ScoredLines, chosen: &[bool]) -> Vec<Block> {
    let all = &lines.lines;
    let mut blocks: Vec<Block> = Vec::new();
    for at in (0..all.len()).filter(|&at| chosen[at]) {
        match blocks.last_mut() {
            Some(block) if block.lines.end == at && all[at - 1].end == all[at].start => {
                block.lines.end = at + 1;
            }
            _ => {
                blocks.push(Block { lines: at..at + 1, reason: NONE, is_folded: false, note: None })
            }
        }
    }
    let last = all.len() - 1;
    for block in &mut blocks {
        let key = |at: &usize| (all[*at].score, std::cmp::Reverse(*at));
        let Some(best) = block.lines.clone().max_by_key(key) else { continue };
        let line = &all[best];
        let why = match () {
            () if block.lines.contains(&last) && !line.own.hit => Why::Last,
            () if line.own.hit => Why::Failure,
            () if line.own.place => Why::Place,
            () if block.lines.contains(&0) => Why::First,
            () => Why::Words,
        };
        block.reason = Reason { why, line: line.number + 1, score: line.score };
    }
    blocks
}

const NONE: Reason = Reason { why: Why::Words, line: 0, score: 0 };
