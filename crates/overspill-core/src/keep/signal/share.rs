//! Turns the scores of lines into shares. The share of a line says how much of the explanation of a
//! failure the line contains. The shares of all lines add up to at most 1.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use super::belongs;
use super::diagnostic::{self, Level, Report};
use super::line::{ScoredLine, ScoredLines};
use super::weights::UNIT;

/// The part of its share that a copy of a line adds to the copy that counts. A line that occurs
/// twice is more likely to matter.
const MORE: f64 = 0.6;

/// The part of its share that a copy of a line keeps.
const AGAIN: f64 = 0.02;

/// The factor by which the share of a later copy must be larger, so that the later copy counts
/// instead of the first. The first copies of several lines are next to each other, the best copies
/// may not be.
const LATER: f64 = 1000.0;

/// The part of its share that a line keeps if it differs from both its neighbours only in numbers.
/// The first and the last of such lines say enough.
const BETWEEN: f64 = 0.01;

fn is_alike(line: &ScoredLine, next: &ScoredLine) -> bool {
    line.kinds.template == next.kinds.template
        && line.own.indent == next.own.indent
        && line.own.hit == next.own.hit
        && line.number + 1 == next.number
}

/// The number that is subtracted from the score of a line for each doubling of the lines of its
/// kind directly above it, such as the frames of a trace.
const FOR_EACH_DOUBLING: i32 = 14;

/// Returns the number that is subtracted from the score of a line in a run of lines of one kind.
/// The first four lines keep their scores.
fn less_in_run(line: &ScoredLine) -> i32 {
    let doublings = line.alike_above.checked_ilog2().unwrap_or(0) as i32 - 1;
    if line.own.hit { 0 } else { FOR_EACH_DOUBLING * doublings.max(0) }
}

/// Computes the share of each line from its score.
///
/// In a log, lines that belong to a failed row get a part of its score.
pub(super) fn share_out(lines: &mut ScoredLines, is_log: bool) {
    let less = |line: &ScoredLine| if is_log { less_in_run(line) } else { 0 };
    lines.lines.iter_mut().for_each(|line| line.lifted = line.score - less(line));
    if is_log {
        belongs::lift(lines);
        prefer_rare_rules(lines);
    }
    let best = lines.lines.iter().map(|line| line.lifted).max().unwrap_or(0);
    let mut shares: Vec<f64> =
        lines.lines.iter().map(|line| (f64::from(line.lifted - best) / UNIT).exp()).collect();
    // Showing one of several equal lines is enough.
    let (mut is_copy, mut has_messages) = (vec![false; shares.len()], false);
    let mut copies: HashMap<u64, usize, BuildHasherDefault<Hashed>> = HashMap::default();
    copies.reserve(shares.len());
    for (at, line) in lines.lines.iter().enumerate() {
        let message = if is_log { lines.message(line) } else { None };
        has_messages |= message.is_some() || diagnostic::place_below(lines.body(line)).is_some();
        let said = message.map_or_else(|| lines.body(line), |found| found.message);
        match copies.entry(hash(said)) {
            Entry::Vacant(entry) => drop(entry.insert(at)),
            Entry::Occupied(mut entry) => {
                let other = *entry.get();
                let lesser = if shares[at] > shares[other] * LATER { entry.insert(at) } else { at };
                let better = at + other - lesser;
                // A warning at many places is not more important than a warning at one place.
                if message.is_none_or(|message| message.level == Level::Error) {
                    shares[better] += shares[lesser] * MORE;
                }
                shares[lesser] *= AGAIN;
                (is_copy[lesser], is_copy[better]) = (true, false);
            }
        }
    }
    if is_log && has_messages {
        fade_bodies(lines, &is_copy, &mut shares);
    }
    let sum: f64 = shares.iter().sum();
    let all_places: f64 = lines.lines.iter().map(|line| place(line, lines)).sum();
    for (line, share) in lines.lines.iter().zip(&mut shares) {
        *share = *share / sum * (1.0 - DOUBT) + place(line, lines) / all_places * DOUBT;
    }
    for (three, share) in lines.lines.windows(3).zip(shares.iter_mut().skip(1)) {
        if is_log && is_alike(&three[0], &three[1]) && is_alike(&three[1], &three[2]) {
            *share *= BETWEEN;
        }
    }
    lines.shares = shares;
}

/// The number that is subtracted from the score of a message of a linter. It counts once for each
/// doubling from the messages of the rarest rule to those of this rule, and once for each doubling
/// of the earlier messages of this rule.
const FOR_COMMON_RULE: i32 = 14;

/// Lowers the scores of messages of common rules in the report of a linter. A rule that is broken
/// hundreds of times says little, and its first message is enough.
///
/// Only messages of the worst level are compared. In a report that consists only of messages, the
/// words of a message only tell its rule. So all messages get the score of the best message before
/// the rules are compared.
fn prefer_rare_rules(lines: &mut ScoredLines) {
    let report = Report::of(lines);
    let Some(worst) = report.worst.filter(|_| report.is_report) else { return };
    let rule = |line: &ScoredLine| {
        let found = lines.message(line).filter(|found| found.level == worst)?;
        found.rule().map(hash)
    };
    let rules: Vec<Option<u64>> = lines.lines.iter().map(rule).collect();
    // For each rule, the number of all its messages and the number of its messages so far.
    let mut counts: HashMap<u64, (u32, u32), BuildHasherDefault<Hashed>> = HashMap::default();
    rules.iter().flatten().for_each(|rule| counts.entry(*rule).or_default().0 += 1);
    let rarest = counts.values().map(|(count, _)| *count).min().unwrap_or(1);
    let ruled = lines.lines.iter().zip(&rules).filter(|(_, rule)| rule.is_some());
    let best = ruled.map(|(line, _)| line.lifted).max().filter(|_| report.is_all_messages);
    for (line, rule) in lines.lines.iter_mut().zip(&rules) {
        let Some((count, came)) = rule.and_then(|rule| counts.get_mut(&rule)) else { continue };
        *came += 1;
        let doublings = (*count / rarest).ilog2() + came.ilog2();
        line.lifted = best.unwrap_or(line.lifted) - FOR_COMMON_RULE * doublings as i32;
    }
}

/// Lowers the shares of the lines below a repeated message, such as the source that it quotes.
fn fade_bodies(lines: &ScoredLines, is_copy: &[bool], shares: &mut [f64]) {
    let mut fades = false;
    for at in 0..shares.len() {
        let (line, text) = (&lines.lines[at], lines.body(&lines.lines[at]));
        let below = lines.lines.get(at + 1).map(|below| lines.body(below));
        let is_message = line.is_message
            || line.own.indent == 0 && below.and_then(diagnostic::place_below).is_some();
        let is_body = line.own.indent > 0 || diagnostic::is_gutter(text);
        fades = if is_message { is_copy[at] } else { fades && is_body && !line.own.blank };
        if fades && !is_message && !line.own.hit {
            shares[at] *= AGAIN;
        }
    }
}

/// A hasher for keys that are hashes already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash(bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Returns a hash of a text.
fn hash(text: &[u8]) -> u64 {
    let mut hash = text.len() as u64;
    let (words, rest) = text.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    for word in words.iter().chain([&last]) {
        hash =
            (hash.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(0x9FB2_1C65_1E98_DF25);
    }
    hash ^ hash >> 29
}

/// The probability that the score is wrong and both ends of the output matter. So the room that is
/// left after the lines with good scores goes to the ends, not to scattered lines.
const DOUBT: f64 = 0.03;

/// Returns the worth of the place of a line. A line near the start or the end of the output is
/// worth more, and the last line is worth most.
fn place(line: &ScoredLine, lines: &ScoredLines) -> f64 {
    const NEAR: f64 = 20.0;
    let all = lines.lines.last().map_or(0, |last| last.number);
    let (from_start, from_end) = (line.number as f64, (all - line.number) as f64);
    f64::from(line.len) * (1.0 / (from_start + NEAR) + 2.0 / (from_end + NEAR))
}
