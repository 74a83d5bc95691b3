//! Finds the positions at which a rule begins.
//!
//! A table of the first two bytes is built in microseconds and rejects most positions with one
//! lookup, so that text without secrets costs little.

use std::sync::LazyLock;

use super::rules::RULES;

/// The beginnings of all rules. The first search builds them.
static STARTS: LazyLock<Starts> = LazyLock::new(Starts::new);

struct Starts {
    /// The group of rules that begin with each pair of bytes. 0 means that no rule does.
    groups: Vec<u8>,
    rules: Vec<Vec<usize>>,
    /// The third bytes of the rules of each group.
    thirds: Vec<[bool; 256]>,
    /// The bytes that occur in a beginning.
    used: [bool; 256],
    longest: usize,
}

fn pair(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

impl Starts {
    fn new() -> Starts {
        let (mut groups, mut rules, mut thirds) =
            (vec![0; 1 << 16], vec![Vec::new()], vec![[false; 256]]);
        let mut used = [false; 256];
        for (index, rule) in RULES.iter().enumerate() {
            let start = rule.start.as_bytes();
            start.iter().for_each(|byte| used[usize::from(*byte)] = true);
            let group: &mut u8 = &mut groups[pair(start[0], start[1])];
            if *group == 0 {
                *group = u8::try_from(rules.len()).unwrap_or(u8::MAX);
                rules.push(Vec::new());
                thirds.push([false; 256]);
            }
            rules[usize::from(*group)].push(index);
            match start.get(2) {
                Some(third) => thirds[usize::from(*group)][usize::from(*third)] = true,
                None => thirds[usize::from(*group)] = [true; 256],
            }
        }
        let longest = RULES.iter().map(|rule| rule.start.len()).max().unwrap_or(0);
        Starts { groups, rules, thirds, used, longest }
    }
}

impl Starts {
    /// Returns the rule that `text` begins with.
    fn rule(&self, text: &[u8]) -> Option<usize> {
        let rules = &self.rules[usize::from(self.groups[pair(*text.first()?, *text.get(1)?)])];
        rules.iter().copied().find(|rule| text.starts_with(RULES[*rule].start.as_bytes()))
    }
}

/// Returns the number of the next rule and the position, from `from` on, at which it begins.
pub(super) fn next(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let starts = &*STARTS;
    let (groups, rest) = (starts.groups.as_slice(), text.get(from..)?);
    let mut at = 0;
    while let Some(len) = rest[at..].windows(3).position(|three| {
        let group = groups[pair(three[0], three[1])];
        group != 0 && starts.thirds[usize::from(group)][usize::from(three[2])]
    }) {
        at += len;
        if let Some(rule) = starts.rule(&rest[at..]) {
            return Some((rule, from + at));
        }
        at += 1;
    }
    // The last two bytes may be a whole beginning.
    let last = rest.len().checked_sub(2)?;
    starts.rule(&rest[last..]).map(|rule| (rule, from + last))
}

/// Returns the number of last bytes that may be the first part of the beginning of a rule.
pub(super) fn cut(text: &[u8]) -> usize {
    let starts = &*STARTS;
    let near = &text[text.len().saturating_sub(starts.longest - 1)..];
    let len = near.iter().rev().take_while(|byte| starts.used[usize::from(**byte)]).count();
    let near = &near[near.len() - len..];
    for at in 0..near.len() {
        let end = &near[at..];
        let is_one = match end {
            [only] => RULES.iter().any(|rule| rule.start.as_bytes()[0] == *only),
            [first, second, ..] => starts.rules[usize::from(starts.groups[pair(*first, *second)])]
                .iter()
                .any(|rule| RULES[*rule].start.as_bytes().starts_with(end)),
            [] => false,
        };
        if is_one {
            return end.len();
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_distinct_beginnings_and_groups() {
        for (index, rule) in RULES.iter().enumerate() {
            let others = RULES.iter().enumerate().filter(|(other, _)| *other != index);
            for (_, other) in others {
                assert!(!other.start.starts_with(rule.start), "{} {}", rule.start, other.start);
            }
            assert!(rule.start.len() >= 2);
            assert_eq!(next(rule.start.as_bytes(), 0), Some((index, 0)));
        }
        assert!(STARTS.rules.len() <= usize::from(u8::MAX));
    }
}
