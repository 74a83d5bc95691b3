//! Finds failure words late in long lines, after the part that is read as a line streams in.

use super::failure_prefilter::FailurePrefilter;
use super::features::{ContextFeatures, LOOK_AHEAD, LineFeatures, RECENT, Recent};
use super::form::RowForm;
use super::line::ScoredLines;
use super::line_cache::LineCache;
use super::outcome::{self, Outcome};
use super::template_counts::TemplateCounts;
use super::weights::{Weights, WordWeights};

/// The end of a line is not read if its family has at least this number of earlier lines.
const OFTEN: u16 = 64;

/// The tables that the search for late failure words needs.
pub(super) struct LateWords<'a> {
    pub(super) known: &'a mut LineCache,
    pub(super) weights: &'a Weights,
    pub(super) counts: &'a TemplateCounts,
    /// The number of lines of the output.
    pub(super) number: u64,
}

impl LateWords<'_> {
    /// Adds late failure words to the scores of their lines. Tells whether it found any.
    pub(super) fn add(&mut self, lines: &mut ScoredLines) -> bool {
        let is_cut = |at: &usize| {
            let (line, own) = (&lines.lines[*at], &lines.lines[*at].own);
            let is_often = own.family_so_far >= OFTEN;
            let failed = || outcome::outcome(lines.body(line)) == Some(Outcome::Failed);
            let is_known = !line.read || own.hit;
            usize::from(line.len) > usize::from(own.read_to) + 1
                && !is_known
                && (!is_often || failed())
        };
        let cut: Vec<usize> = (0..lines.lines.len()).filter(is_cut).collect();
        if cut.is_empty() {
            return false;
        }
        let stems = FailurePrefilter::new();
        let mut found = false;
        for at in cut {
            let line = lines.lines[at];
            let read_to = usize::from(line.own.read_to - u16::from(line.own.from));
            let Some(late) = self.worth(lines.body(&line), read_to, &stems) else { continue };
            let form = RowForm::of(lines.body(&line));
            let own = LineFeatures { hit: true, form, ..line.own };
            let worth = line.worth.or(late);
            let more = self.around(lines, at, &own) - self.around(lines, at, &line.own);
            let line = &mut lines.lines[at];
            line.score += worth.own() - line.worth.own() + more + form.bonus(own.family_so_far);
            (line.own, line.worth, found) = (own, worth, true);
        }
        found
    }

    /// Returns the weights of the first failure word after `read_to` and of the words behind it.
    /// `text` is the line without its prefix.
    fn worth(
        &mut self,
        text: &[u8],
        read_to: usize,
        stems: &FailurePrefilter,
    ) -> Option<WordWeights> {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let found = read_to + stems.find(text.get(read_to..)?)?;
        // A place may come right before the word: `parser_test.c:53:parses_strings:FAIL: …`.
        let ends_word = |byte: &u8| byte.is_ascii_whitespace() || *byte == b':';
        let start = text[..found].iter().rposition(ends_word).map_or(0, |at| at + 1);
        let late = self.known.find(&text[start..], self.weights);
        let passed = || outcome::has_passed(text);
        (late.hit && !passed()).then_some(late.worth)
    }

    /// Adds up the weights of the context of a line that has the features `own`.
    fn around(&self, lines: &ScoredLines, at: usize, own: &LineFeatures) -> i32 {
        let (line, mut recent, mut score) = (&lines.lines[at], Recent::default(), 0);
        let after = at + LOOK_AHEAD as usize;
        for other in (after + 1).saturating_sub(RECENT)..=after {
            let features = lines.lines.get(other).map(|line| line.own).unwrap_or_default();
            let features = if other == at { *own } else { features };
            recent.push(features.hit, features.blank);
        }
        let mut each = |index| score += self.weights.around(index);
        ContextFeatures::known(own, line.number, &recent, &mut each);
        let counts = self.counts.of(line.kinds);
        ContextFeatures::at_the_end(own, line.number, counts, self.number, &mut each);
        score
    }
}
