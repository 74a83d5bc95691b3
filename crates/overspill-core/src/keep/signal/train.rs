//! The interface for `tools/signal/train.py`: the features of every line, and previews with other
//! weights.

use super::features::{ContextFeatures, LOOK_AHEAD, Recent};
use super::scan::SignalScan;
use super::{ScoredLines, Weights, words};
use crate::measure::size::Meter;
use crate::observe::collected::{Collected, Extent};
use crate::observe::collector::Collector;
use crate::observe::ends::Ends;
use crate::observe::selection::Selection;
use crate::text::Cleaner;
use crate::{Keep, Limits, Oversized, Policy, Preview, Wording};

/// The features of a line from which its score is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingRow {
    /// The hashes of its words and of other features of its text.
    pub words: Vec<u32>,
    /// The features of its context, as indices of weights.
    pub around: Vec<usize>,
}

/// The number of weights for the context of a line.
pub const AROUND: usize = ContextFeatures::COUNT;

/// Returns the features of every line.
pub fn rows(output: &[u8]) -> Vec<TrainingRow> {
    let policy = Policy::new(Limits::NONE.bytes(1 << 40), Keep::Signal);
    let ends = Ends::new(0, Extent { head: 0, tail: 0, lines: 1 });
    let mut scan = SignalScan::holding_all(ends, &policy);
    let mut cleaner = Cleaner::new(0, &policy);
    cleaner.push(output, &mut scan);
    cleaner.finish(&mut scan);
    let (_, lines, counts) = scan.finish_with_counts(output.len() as u64);
    let mut rows: Vec<TrainingRow> = lines.lines.iter().map(|line| row(&lines, line)).collect();
    let (mut recent, all) = (Recent::default(), lines.lines.len());
    for came in 0..all + LOOK_AHEAD as usize {
        match lines.lines.get(came) {
            Some(line) => recent.push(line.own.hit, line.own.blank),
            None => recent.push(false, false),
        }
        let Some(at) = came.checked_sub(LOOK_AHEAD as usize) else { continue };
        let (line, around) = (&lines.lines[at], &mut rows[at].around);
        ContextFeatures::known(&line.own, line.number, &recent, |index| around.push(index));
        let counts = counts.of(line.kinds);
        ContextFeatures::at_the_end(&line.own, line.number, counts, all as u64, |index| {
            around.push(index)
        });
    }
    rows
}

fn row(lines: &ScoredLines, line: &super::line::ScoredLine) -> TrainingRow {
    let mut words = Vec::new();
    let text = lines.text(line);
    words::read(text.strip_suffix(b"\n").unwrap_or(text))
        .features(|feature, counts| words.extend(counts.then_some(feature)));
    TrainingRow { words, around: Vec::new() }
}

/// Returns the number and the score of every line that is held for a limit of `bytes`.
pub fn scores(output: &[u8], bytes: u64, weights: &'static [u8]) -> Option<Vec<(u64, i32)>> {
    let policy = Policy::new(Limits::NONE.bytes(bytes), Keep::Signal);
    let mut watch = Collector::with_weights(&policy, Weights::of(weights)?);
    watch.push(output);
    let Selection::Lines(lines) = watch.finish().selection else { return None };
    Some(lines.lines.iter().map(|line| (line.number, line.score)).collect())
}

/// Returns a preview with other weights than the built-in weights, or `None` if the output is
/// short.
pub fn answer(
    output: &[u8],
    policy: &Policy,
    wording: &Wording,
    weights: &'static [u8],
) -> Option<Preview<'static>> {
    let fired = policy.fired_by(output)?;
    let mut watch = Collector::with_weights(policy, Weights::of(weights)?);
    watch.push(output);
    let view: Collected<'static> = watch.finish();
    let mut meter = Meter::new(policy.lines);
    meter.push(output);
    Some(Oversized::new(view, &meter, fired, policy.clone()).preview(wording))
}
