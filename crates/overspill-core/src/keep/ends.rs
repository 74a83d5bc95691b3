//! Chooses how much of the start and of the end of an output is shown.
//!
//! The text that was collected comes in, and two offsets into that text go out.

use crate::keep::EndsKept;
use crate::measure::limits::Cost;
use crate::observe::collected::Collected;
use crate::text::{ceil_char, floor_char, lines, nth_char, nth_char_from_end};
use crate::{Grain, Limits, LineRule, Policy};

/// The parts of a [`Collected`] that are shown: the start up to `head` and the end from `tail` on.
///
/// `None` shows nothing at that end. An offset can also select an empty line, which is different.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EndsChoice {
    /// The offset into the text of the head at which the shown start ends.
    pub(crate) head: Option<usize>,
    /// The offset into the text of the tail at which the shown end begins.
    pub(crate) tail: Option<usize>,
}

/// Chooses the parts of `view` that are shown within `limits`.
pub(crate) fn choose(view: &Collected, policy: &Policy, limits: &Limits) -> EndsChoice {
    let ends = |head: u32, tail: u32| {
        let share = limits.part(head, head.saturating_add(tail));
        let head = head_end(view, policy, &share);
        let spent = head
            .map(|end| Cost::of(&view.head.text()[..end], limits, policy.lines, &policy.tokens));
        let left = limits.less(&spent.unwrap_or_default());
        EndsChoice { head, tail: tail_beside(view, policy, head, limits, left) }
    };
    match policy.keep.ends() {
        EndsKept::Head => EndsChoice { head: head_end(view, policy, limits), tail: None },
        EndsKept::Tail => EndsChoice { head: None, tail: tail_start(view, policy, limits) },
        EndsKept::Both { head, tail } => ends(head, tail),
    }
}

/// Returns the start of the tail that has room beside a head up to `head`.
///
/// Sizes add up, so a head and a tail that meet fit together. Tokens do not add up: a head and a
/// tail within the limit can be one text over the limit. So such a text is counted as a whole.
fn tail_beside(
    view: &Collected,
    policy: &Policy,
    head: Option<usize>,
    limits: &Limits,
    mut left: Limits,
) -> Option<usize> {
    loop {
        let tail = tail_start(view, policy, &left)?;
        let (Some(most), Some(tokens), Some(head)) = (limits.tokens, left.tokens, head) else {
            return Some(tail);
        };
        let met = view.head.original_at(head);
        if met < view.tail.original_at(tail) {
            return Some(tail);
        }
        let rest = &view.tail.text()[view.tail.offset_of(met)..];
        let together = [&view.head.text()[..head], rest].concat();
        let over = policy.tokens.count(&together).saturating_sub(most);
        if over == 0 {
            return Some(tail);
        }
        left.tokens = Some(tokens.checked_sub(over)?);
    }
}

/// Returns the end of the head that `limits` admit, or `None` if they do not admit one line.
fn head_end(view: &Collected, policy: &Policy, limits: &Limits) -> Option<usize> {
    let text = view.head.text();
    within_tokens(policy, limits, |limits| head_room(view, policy, limits), |end| &text[..end])
}

/// Returns the start of the tail that `limits` admit, or `None` if they do not admit one line.
fn tail_start(view: &Collected, policy: &Policy, limits: &Limits) -> Option<usize> {
    let text = view.tail.text();
    within_tokens(policy, limits, |limits| tail_room(view, policy, limits), |at| &text[at..])
}

/// Picks an offset so that the selected text has no more tokens than `limits` allow.
///
/// A shorter text can have more tokens than a longer one, so the selected text is counted again.
fn within_tokens<'a>(
    policy: &Policy,
    limits: &Limits,
    pick: impl Fn(&Limits) -> Option<usize>,
    text: impl Fn(usize) -> &'a [u8],
) -> Option<usize> {
    let Some(most) = limits.tokens else { return pick(limits) };
    let mut ask = most;
    loop {
        let at = pick(&limits.tokens(ask))?;
        let over = policy.tokens.count(text(at)).saturating_sub(most);
        if over == 0 {
            return Some(at);
        }
        ask = ask.checked_sub(over)?;
    }
}

/// The divisor for the room that may stay unused so that only whole lines are shown: a quarter.
const MOST_UNUSED: usize = 4;

fn head_room(view: &Collected, policy: &Policy, limits: &Limits) -> Option<usize> {
    let text = view.head.text();
    if limits.lines == Some(0) {
        return None;
    }
    let room = within(text.len(), limits.most_bytes())
        .min(limits.chars.map_or(usize::MAX, |most| nth_char(text, most)));
    // Looks at one byte beyond the room, because the break after the last line may be left out.
    let lines_end = |most: u64, room: usize| {
        let look = &text[..text.len().min(room + 1)];
        lines::first_lines_end(look, most, policy.lines).filter(|&end| end <= room)
    };
    // The search for tokens depends on the length of the text. A stream may hold more text than
    // the other limits admit, so the search must not see the rest.
    let searched = limits.lines.and_then(|most| lines_end(most, room)).unwrap_or(room);
    let room = match limits.tokens.map(|most| policy.tokens.prefix(&text[..searched], most)) {
        Some(end) if end < searched => end,
        _ => room,
    };
    let by_lines = limits.lines.and_then(|most| lines_end(most, room));
    if let Some(end) = by_lines {
        return Some(end);
    }
    if room == text.len() && view.head_is_all {
        return Some(room);
    }
    let clipped = clip_end(text, room, policy.lines);
    let whole_lines = lines::last_line_end(text, room, policy.lines);
    match policy.grain {
        Grain::Char => Some(clipped),
        Grain::WholeLine => whole_lines,
        Grain::Line => {
            let unused = room - whole_lines.unwrap_or(0);
            if unused > room / MOST_UNUSED {
                Some(clipped).filter(|&at| at > 0)
            } else {
                whole_lines
            }
        }
    }
}

fn tail_room(view: &Collected, policy: &Policy, limits: &Limits) -> Option<usize> {
    let text = view.tail.text();
    if limits.lines == Some(0) {
        return None;
    }
    let first = (text.len() - within(text.len(), limits.most_bytes()))
        .max(limits.chars.map_or(0, |most| nth_char_from_end(text, most)));
    let by_lines = limits
        .lines
        .and_then(|most| lines::last_lines_start(text, most, policy.lines))
        .unwrap_or(0);
    // As in `head_room`, the search for tokens sees only the text that the other limits admit.
    let searched = first.max(by_lines);
    let first = match limits.tokens.map(|most| policy.tokens.suffix(&text[searched..], most)) {
        Some(start) if start > 0 => searched + start,
        _ => first,
    };
    if by_lines >= first && (by_lines > 0 || view.tail_is_all) {
        return Some(by_lines);
    }
    let clipped = clip_start(text, first, policy.lines);
    let whole_lines = lines::next_line_start(text, first, policy.lines);
    match policy.grain {
        Grain::Char => Some(clipped),
        Grain::WholeLine => whole_lines,
        Grain::Line => {
            let room = text.len() - first;
            let unused = whole_lines.unwrap_or(text.len()) - first;
            if unused > room / MOST_UNUSED {
                Some(clipped).filter(|&at| at < text.len())
            } else {
                whole_lines
            }
        }
    }
}

fn within(len: usize, most: Option<u64>) -> usize {
    most.map_or(len, |most| usize::try_from(most).unwrap_or(usize::MAX).min(len))
}

fn clip_end(text: &[u8], at: usize, rule: LineRule) -> usize {
    let end = floor_char(text, at);
    end - usize::from(rule == LineRule::Universal && lines::splits_pair(text, end))
}

fn clip_start(text: &[u8], at: usize, rule: LineRule) -> usize {
    let start = ceil_char(text, at);
    start + usize::from(rule == LineRule::Universal && lines::splits_pair(text, start))
}
