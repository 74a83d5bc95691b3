//! Finds odd lines: lines that are unlike all others in a log of similar lines, and server errors in
//! access logs.

use std::collections::HashMap;

use memchr::memmem;

use super::line::ScoredLines;

/// A frequent family has at least this many lines.
const FREQUENT: u32 = 16;

/// A family of odd lines has at most this many lines.
const RARE: u32 = 2;

/// In a log of similar lines, at most one line out of this many is odd.
const FEW: usize = 20;

/// The share of the room for lines that differ from all others.
const RARE_LINES: f64 = 0.3;

/// The share of the room for server errors in an access log.
const SERVER_ERRORS: f64 = 0.6;

/// Tells for each line whether it is odd, and returns the share of the room for odd lines. If many
/// lines differ, no line is odd. In an access log, the requests that ended with a server error are odd.
pub(super) fn lines(lines: &ScoredLines) -> (Vec<bool>, f64) {
    match server_errors(lines) {
        Some(errors) => (errors, SERVER_ERRORS),
        None => (rare_lines(lines), RARE_LINES),
    }
}

/// The text before the version of the protocol in a request: `GET /orders HTTP/1.1`.
const PROTOCOL: &[u8] = b" HTTP/";

/// Tells for each line of an access log whether it is a request that ended with a server error.
/// Returns `None` if the output is not an access log, or has no such request.
fn server_errors(lines: &ScoredLines) -> Option<Vec<bool>> {
    let protocol = memmem::Finder::new(PROTOCOL);
    let (mut errors, mut others) = (vec![false; lines.lines.len()], 0);
    for (at, line) in lines.lines.iter().enumerate() {
        let text = lines.text(line);
        let Some(found) = protocol.find(text) else {
            others += 1;
            if others * 2 > lines.lines.len() {
                return None;
            }
            continue;
        };
        let mut after = text[found + PROTOCOL.len()..].split(|byte| *byte == b' ').skip(1);
        errors[at] = matches!(after.next(), Some([b'5', b'0'..=b'9', b'0'..=b'9']));
    }
    errors.contains(&true).then_some(errors)
}

/// Tells for each line whether it is unlike all others.
fn rare_lines(lines: &ScoredLines) -> Vec<bool> {
    let mut families: HashMap<u16, u32> = HashMap::new();
    for line in &lines.lines {
        *families.entry(line.kinds.family).or_default() += 1;
    }
    let of = |family: u16| families.get(&family).copied().unwrap_or_default();
    let all = lines.lines.iter().filter(|line| !line.own.blank);
    let frequent = all.clone().filter(|line| of(line.kinds.family) >= FREQUENT).count();
    let is_odd = |line: &&super::line::ScoredLine| {
        // A family may have had more lines than are held.
        let held = of(line.kinds.family);
        !line.own.blank && line.read && held.max(u32::from(line.own.family_so_far) + 1) <= RARE
    };
    let odd = all.clone().filter(is_odd).count();
    if odd == 0 || odd * FEW > all.count() || frequent < odd * FEW / 2 {
        return vec![false; lines.lines.len()];
    }
    lines.lines.iter().map(|line| is_odd(&line)).collect()
}
