//! From scored lines to the blocks that are shown.

use std::ops::Range;

use super::block::{Block, Reason, Why};
use super::line::ScoredLines;
use super::pack::{Item, PackBudget, pack};
use crate::measure::limits::Cost;
use crate::{Limits, Policy};

/// The part of the room that goes to the last lines in any case.
const TAIL: u64 = 10;

/// The part that goes to the first lines: what was called, and the first failure of many.
const HEAD: u64 = 100;

/// Chooses what to show within `limits`, of which each gap takes `mark`; `None` leaves the choice
/// to others.
pub(crate) fn choose(
    lines: &ScoredLines,
    policy: &Policy,
    limits: &Limits,
    mark: &Cost,
) -> Option<Vec<Block>> {
    if !stands_out(lines) {
        return None;
    }
    let mut room = bytes_within(lines, policy, limits);
    let mut best: Option<(f64, Vec<Block>)> = None;
    for _ in 0..TRIES {
        let Some(chosen) = within(lines, room, limits.lines, mark) else { break };
        let blocks = blocks(lines, &chosen);
        let used = limits.used_by(&cost_of(lines, policy, limits, mark, &blocks));
        let all = chosen.iter().all(|chosen| *chosen);
        if used <= 1.0 && best.as_ref().is_none_or(|(most, _)| used > *most) {
            best = Some((used, blocks));
        } else if best.is_some() {
            break;
        }
        if used <= 1.0 && (used >= FULL || all || used == 0.0 || room == UNBOUNDED) {
            break;
        }
        // Characters and tokens do not add up as bytes do. What a byte costs in the lines that were
        // chosen is known now.
        let next = ((room as f64 / used * NEARLY) as u64).min(UNBOUNDED);
        room = if used > 1.0 { next.min(room - room / 64) } else { next.max(room + 1) };
    }
    let (used, blocks) = best?;
    // Where clipping leaves much of the room unused, others know better what to do with it.
    let clips = lines.lines.iter().any(|line| line.clipped);
    Some(blocks).filter(|blocks| !blocks.is_empty() && (!clips || used >= LEAST_USED))
}

const TRIES: u32 = 12;

/// More bytes than there are to choose from.
const UNBOUNDED: u64 = 1 << 60;

/// Limits of which so much is used are full; the next try aims a little below them.
const FULL: f64 = 0.97;
const NEARLY: f64 = 0.99;

/// How much of the room clipped lines must use.
const LEAST_USED: f64 = 0.5;

/// Words that are worth so much are as good as a word of failure.
const TELLING: i32 = 64;

/// Tells whether any line matters more than others: listings and the like have none.
fn stands_out(lines: &ScoredLines) -> bool {
    lines.lines.iter().any(|line| line.own.hit || line.worth.own() >= TELLING)
}

fn within(
    lines: &ScoredLines,
    room: u64,
    most_lines: Option<u64>,
    mark: &Cost,
) -> Option<Vec<bool>> {
    let mut items: Vec<Item> = Vec::with_capacity(lines.lines.len());
    let mut next = 0;
    for (line, share) in lines.lines.iter().zip(&lines.shares) {
        items.push(Item {
            gain: *share,
            // The mark after a part of a line begins a line of its own.
            bytes: u32::from(line.len) + u32::from(line.clipped),
            joined: line.number == next,
            open: line.clipped,
            forced: false,
        });
        next = line.number + 1;
    }
    let most_lines = most_lines.unwrap_or(u64::MAX);
    force(items.iter_mut(), room / HEAD, most_lines / HEAD);
    force(items.iter_mut().rev(), room / TAIL, most_lines / TAIL);
    let budget = PackBudget {
        bytes: room,
        lines: most_lines,
        mark_bytes: mark.size.bytes,
        mark_lines: mark.size.lines,
    };
    pack(&items, &budget)
}

/// Forces items as long as they take no more than so many bytes and lines.
fn force<'a>(items: impl Iterator<Item = &'a mut Item>, mut bytes: u64, mut lines: u64) {
    for item in items {
        let Some(left) = bytes.checked_sub(u64::from(item.bytes)).filter(|_| lines > 0) else {
            break;
        };
        item.forced = true;
        bytes = left;
        lines -= 1;
    }
}

/// Returns how many bytes to try for, given limits of all kinds.
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
    }
    let ends = blocks.last().is_some_and(|block| block.lines.end == all.len());
    let gap_after = !ends || all.last().is_some_and(|line| line.clipped);
    if gap_after { sum + *mark } else { sum }
}

/// Measures lines that are shown together.
fn cost(lines: &ScoredLines, policy: &Policy, limits: &Limits, which: Range<usize>) -> Cost {
    let text = lines.lines[which].iter().map(|line| lines.text(line)).collect::<Vec<_>>().concat();
    Cost::of(&text, limits, policy.lines, &policy.tokens)
}

/// Joins chosen lines that follow each other.
fn blocks(lines: &ScoredLines, chosen: &[bool]) -> Vec<Block> {
    let all = &lines.lines;
    let mut blocks: Vec<Block> = Vec::new();
    for at in (0..all.len()).filter(|&at| chosen[at]) {
        match blocks.last_mut() {
            Some(block) if block.lines.end == at && all[at - 1].end == all[at].start => {
                block.lines.end = at + 1;
            }
            _ => blocks.push(Block { lines: at..at + 1, reason: NONE }),
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
