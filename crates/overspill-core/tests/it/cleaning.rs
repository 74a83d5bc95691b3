//! Compares cleaning with a simple twin that works line by line and character by character.

use crate::common;

use overspill_core::internal::text::clean;
use proptest::prelude::*;

/// Returns the text that a terminal would show in the end, computed in the simplest way.
fn naive(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.split('\n').map(naive_line).collect::<Vec<_>>().join("\n")
}

fn naive_line(line: &str) -> String {
    let line: Vec<char> = line.chars().collect();
    let mut shown: Vec<char> = Vec::new();
    let (mut returned, mut backspaces, mut erasable) = (false, 0, 0);
    let mut at = 0;
    while at < line.len() {
        let char = line[at];
        at += 1;
        let visible = match char {
            '\r' => {
                returned = true;
                continue;
            }
            '\u{8}' => {
                backspaces += 1;
                continue;
            }
            '\u{1b}' => match after_escape(&line[at..]) {
                Some(len) => {
                    at += len;
                    continue;
                }
                None => '␛',
            },
            '\t' => '\t',
            '\0' | '\u{7}' => {
                // These characters take no room, so they overwrite nothing.
                shown.push(if char == '\0' { '␀' } else { '␇' });
                erasable = 1024.min(erasable + 1);
                continue;
            }
            '\u{7f}' => '␡',
            '\u{1}'..'\u{20}' => char::from_u32(0x2400 + char as u32).unwrap_or('?'),
            '\u{80}'..='\u{9f}' => '\u{fffd}',
            '\u{61c}' | '\u{200e}' | '\u{200f}' => '\u{fffd}',
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
            _ => char,
        };
        if returned {
            shown.clear();
            erasable = 0;
        } else {
            let erased = backspaces.min(erasable);
            shown.truncate(shown.len() - erased);
            erasable -= erased;
        }
        (returned, backspaces) = (false, 0);
        shown.push(visible);
        erasable = 1024.min(erasable + 1);
    }
    shown.into_iter().collect()
}

/// Returns the number of characters after an escape that belong to its sequence. `None` if no
/// sequence begins here.
fn after_escape(rest: &[char]) -> Option<usize> {
    let run = |from: usize, most: usize, allowed: fn(char) -> bool| {
        rest[from..].iter().take(most).take_while(|&&char| allowed(char)).count()
    };
    let last = |at: usize, allowed: fn(char) -> bool| {
        usize::from(rest.get(at).is_some_and(|&c| allowed(c)))
    };
    match rest.first()? {
        '[' => {
            let parameters = run(1, 64, |char| (' '..='?').contains(&char));
            Some(1 + parameters + last(1 + parameters, |char| ('@'..='~').contains(&char)))
        }
        ']' | 'P' | 'X' | '^' | '_' => {
            let text = run(1, 4096, |char| char != '\u{7}' && char != '\u{1b}');
            match rest.get(1 + text) {
                // Another escape ends the sequence, and begins one itself.
                Some('\u{1b}') => match after_escape(&rest[2 + text..]) {
                    Some(len) => Some(2 + text + len),
                    None => Some(1 + text),
                },
                end => Some(1 + text + usize::from(end == Some(&'\u{7}'))),
            }
        }
        ' '..='/' => {
            let more = run(0, usize::MAX, |char| (' '..='/').contains(&char));
            Some(more + last(more, |char| ('0'..='~').contains(&char)))
        }
        '0'..='~' => Some(1),
        _ => None,
    }
}

proptest! {
    #[test]
    fn cleaning_agrees_with_the_naive_twin(output in common::output()) {
        // Cleaning limits the text of an escape sequence to 4096 bytes, the twin to 4096
        // characters.
        let may_differ = output.len() > 4096 && output.contains(&0x1b) && !output.is_ascii();
        prop_assume!(!may_differ);
        prop_assert_eq!(clean(&output).text, naive(&output));
    }
}
