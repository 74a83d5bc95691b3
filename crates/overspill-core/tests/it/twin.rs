//! Compares `cut` and `Window` with a twin that is too simple to be wrong.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use crate::common;

use overspill_core::{
    Cleaning, Finished, Grain, Keep, Limits, LineRule, Policy, Size, Tokens, Window, cut, preview,
};
use proptest::prelude::*;

/// Returns the lines of a text. A break that ends a line is part of the line.
fn lines(text: &str, rule: LineRule) -> Vec<&str> {
    match rule {
        LineRule::Separated => text.split('\n').collect(),
        LineRule::Terminated => text.split_inclusive('\n').collect(),
        LineRule::Universal => {
            let mut lines = Vec::new();
            let (mut start, mut chars) = (0, text.char_indices().peekable());
            while let Some((at, char)) = chars.next() {
                let pair = char == '\r' && chars.peek().is_some_and(|next| next.1 == '\n');
                if (char == '\n' || char == '\r') && !pair {
                    lines.push(&text[start..=at]);
                    start = at + 1;
                }
            }
            lines.extend((start < text.len()).then(|| &text[start..]));
            lines
        }
    }
}

fn joined(lines: &[&str], rule: LineRule) -> String {
    lines.join(if rule == LineRule::Separated { "\n" } else { "" })
}

fn fits(text: &str, limits: &Limits) -> bool {
    limits.bytes.is_none_or(|most| text.len() as u64 <= most)
        && limits.chars.is_none_or(|most| text.chars().count() as u64 <= most)
        && limits.tokens.is_none_or(|most| Tokens::Estimate.count(text.as_bytes()) <= most)
}

/// Returns the part that may be shown from one end, taken line by line, then character by
/// character.
fn naive_end(text: &str, limits: &Limits, policy: &Policy, head: bool) -> Option<String> {
    let rule = policy.lines;
    let all = lines(text, rule);
    let most = limits.lines.map_or(all.len(), |most| all.len().min(most as usize));
    if limits.lines == Some(0) {
        return None;
    }
    let take = |n: usize| joined(if head { &all[..n] } else { &all[all.len() - n..] }, rule);
    let whole = (0..=most).rev().find(|&n| fits(&take(n), limits)).unwrap();
    let by_lines = (whole > 0).then(|| take(whole));
    if whole == most {
        return by_lines.or((policy.grain == Grain::Char).then(String::new));
    }
    // The next line is too long. It may be clipped, between characters and not within CR LF.
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let pair = |at: usize| {
        rule == LineRule::Universal && text[..at].ends_with('\r') && text[at..].starts_with('\n')
    };
    let part = |at: usize| if head { &text[..at] } else { &text[at..] };
    let clipped = starts
        .iter()
        .filter(|&&at| !pair(at))
        .map(|&at| part(at))
        .filter(|part| fits(part, limits) && lines(part, rule).len() <= most)
        .max_by_key(|part| part.len())
        .unwrap()
        .to_owned();
    match policy.grain {
        Grain::Char => Some(clipped),
        Grain::WholeLine => by_lines,
        Grain::Line => {
            // The room in bytes. A limit on characters admits only whole characters.
            let by_bytes = limits.bytes.map_or(text.len(), |most| text.len().min(most as usize));
            let room = by_bytes.min(chars_room(text, limits, head));
            let used = by_lines.as_ref().map_or(0, |kept| kept.len());
            if room - used > room / 4 {
                Some(clipped).filter(|text| !text.is_empty())
            } else {
                by_lines
            }
        }
    }
}

fn chars_room(text: &str, limits: &Limits, head: bool) -> usize {
    let most = limits.chars.unwrap_or(u64::MAX).min(text.chars().count() as u64) as usize;
    let taken: String = if head {
        text.chars().take(most).collect()
    } else {
        text.chars().rev().take(most).collect()
    };
    taken.len()
}

fn less(limits: &Limits, text: &str, rule: LineRule) -> Limits {
    let size = Size::of(text.as_bytes(), rule);
    let less = |most: Option<u64>, used: u64| most.map(|most| most.saturating_sub(used));
    Limits {
        bytes: less(limits.bytes, size.bytes),
        lines: less(limits.lines, size.lines),
        chars: less(limits.chars, size.chars),
        tokens: less(limits.tokens, Tokens::Estimate.count(text.as_bytes())),
    }
}

/// Returns the shown pieces. `None` if the two ends meet.
fn naive(text: &str, policy: &Policy) -> Option<Vec<String>> {
    let (head, tail) = match policy.keep {
        Keep::Head => (naive_end(text, &policy.limits, policy, true), None),
        Keep::Tail => (None, naive_end(text, &policy.limits, policy, false)),
        Keep::Signal | Keep::Structure | Keep::Auto => {
            unreachable!("it looks at more than the ends")
        }
        Keep::Ends { head, tail } => {
            let share = |most: Option<u64>| {
                most.map(|most| most * u64::from(head) / u64::from(head + tail).max(1))
            };
            let limits = &policy.limits;
            let share = Limits {
                bytes: share(limits.bytes),
                lines: share(limits.lines),
                chars: share(limits.chars),
                tokens: share(limits.tokens),
            };
            let head = naive_end(text, &share, policy, true);
            let shown = head.clone().unwrap_or_default();
            let left = less(limits, &shown, policy.lines);
            let left = if head.is_none() { *limits } else { left };
            (head, naive_end(text, &left, policy, false))
        }
    };
    let shown = head.as_ref().map_or(0, String::len) + tail.as_ref().map_or(0, String::len);
    if head.is_some() && tail.is_some() && shown >= text.len() {
        return None;
    }
    Some(head.into_iter().chain(tail).collect())
}

proptest! {
    #[test]
    fn cut_shows_the_same_as_the_naive_twin(
        output in common::text(),
        mut policy in common::policy(),
    ) {
        // The count of tokens depends on where counting begins; the laws test these limits.
        policy.limits.tokens = None;
        if matches!(policy.keep, Keep::Signal | Keep::Structure | Keep::Auto) {
            return Ok(());
        }
        policy.trigger.tokens = None;
        let text = match policy.cleaning {
            Cleaning::Readable if policy.lines == LineRule::Universal => return Ok(()),
            Cleaning::Readable => overspill_core::internal::text::clean(output.as_bytes()).text,
            Cleaning::Off => output.clone(),
        };
        let Some(cut) = cut(output.as_bytes(), &policy) else { return Ok(()) };
        let shown: Vec<String> = cut
            .pieces
            .iter()
            .map(|piece| String::from_utf8(piece.text.to_vec()).unwrap())
            .collect();
        if text.is_empty() {
            // Colours alone: the output has no lines to compare.
            prop_assert_eq!(shown.concat(), "");
            return Ok(());
        }
        match naive(&text, &policy) {
            Some(expected) => prop_assert_eq!(shown, expected),
            None => prop_assert_eq!(shown, [text]),
        }
    }

    #[test]
    fn window_decides_like_cut(
        output in common::output(),
        policy in common::policy(),
        at in proptest::collection::vec(any::<usize>(), 0..8),
    ) {
        let expected = cut(&output, &policy);
        let chunks = common::chunks(&output, &at);
        let bytewise: Vec<&[u8]> = output.chunks(1).collect();
        for chunks in [chunks, bytewise] {
            let mut window = Window::new(policy.clone());
            for chunk in chunks {
                window.push(chunk);
            }
            match (window.finish(), &expected) {
                (Finished::Whole(whole), None) => prop_assert_eq!(&whole, &output),
                (Finished::Over(over), Some(cut)) => prop_assert_eq!(&over.cut(), cut),
                (finished, _) => prop_assert!(false, "{:?} instead of {:?}", finished, expected),
            }
        }
    }

    #[test]
    fn preview_shows_the_same_parts_as_cut(output in common::output(), policy in common::policy()) {
        prop_assert_eq!(preview(&output, &policy), cut(&output, &policy).map(|cut| cut.pieces));
    }
}
