//! Finds odd lines: lines that are unlike all others in a log of similar lines.

use std::collections::HashMap;

use super::line::ScoredLines;

/// The smallest number of lines in a frequent family.
const FREQUENT: u32 = 16;

/// The largest number of lines in a family of odd lines.
const RARE: u32 = 2;

/// The smallest number of lines for each odd line in a log of similar lines.
const FEW: usize = 20;

/// Tells for each line whether it is odd. If many lines differ, no line is odd.
pub(super) fn lines(lines: &ScoredLines) -> Vec<bool> {
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
