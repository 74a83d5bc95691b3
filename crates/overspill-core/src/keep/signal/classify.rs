//! Finds the kind of an output from the text of its lines and from the hint of the caller.

use super::diagnostic::Report;
use super::line::{ScoredLine, ScoredLines};
use super::outcome::{self, Outcome};
use super::prose::{self, ProseCertainty};
use super::quiet::QuietLines;
use super::source::{self, SourceCertainty};
use super::{changes, failed_row, listing, search};
use crate::{Kind, KindHint};

/// The distance of the best score from the median score of an output. Up to the first number the
/// output is not a failing log, from the second number on it is a failing log.
const SPREAD: (f64, f64) = (140.0, 170.0);

/// Like [`SPREAD`], for source, in which failure words are part of a program, and for a command
/// that succeeded.
const SOURCE_SPREAD: (f64, f64) = (210.0, 270.0);

/// The lowest median score that counts. A lower median counts as this one.
const LOWEST_MEDIAN: i32 = -200;

/// A test run has at least this many passed tests.
const PASSED_ROWS: usize = 5;

/// In a test run, at least one line out of this many reports a passed test.
const PASSED: usize = 4;

/// A long output with fewer lines than this counts as an output of long lines.
pub(super) const FEWEST_LINES: u64 = 12;

/// The kind of an output, with the degree to which the output looks like a failing log.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    pub(super) kind: Kind,
    /// The degree from 0, not a failing log, to 1, certainly a failing log.
    pub(super) failing: f64,
    /// Every line is one word, so that no line says more than the others.
    pub(super) is_list: bool,
    /// At least half of the lines report the result of a test.
    pub(super) is_run: bool,
    /// The distance of the best score from the median, as [`SPREAD`] describes it.
    spread: (f64, f64),
}

impl Class {
    /// Tells whether lines near a failure word belong to a failure. In source, listings, searches
    /// and prose, failure words are ordinary words.
    pub(super) fn is_log(&self) -> bool {
        !self.is_list && matches!(self.kind, Kind::FailingLog | Kind::TestRun | Kind::Plain)
    }

    /// Returns the class again after some scores have risen.
    #[must_use]
    pub(super) fn with_higher_scores(self, lines: &ScoredLines, hint: KindHint) -> Class {
        if hint.forced.is_some() {
            return self;
        }
        let quiet = QuietLines::of(lines);
        let failing = failing(lines, self.spread, &quiet).max(self.failing);
        let is_failing = failing >= 0.5 && self.failing < 1.0;
        let kind = if is_failing { Kind::FailingLog } else { self.kind };
        Class { kind, failing, ..self }
    }

    fn without_failure(kind: Kind) -> Class {
        let is_list = kind == Kind::Listing;
        Class { kind, failing: 0.0, is_list, is_run: false, spread: SPREAD }
    }
}

/// Finds the kind of the output that has these lines.
pub(super) fn classify(lines: &ScoredLines, hint: KindHint) -> Class {
    if let Some(kind) = hint.forced.filter(|kind| !kind.is_structured()) {
        let failing = f64::from(u8::from(kind == Kind::FailingLog));
        return Class { failing, ..Class::without_failure(kind) };
    }
    if lines.count() < FEWEST_LINES {
        return Class::without_failure(Kind::LongLines);
    }
    if listing::is_listing(lines) {
        let kind = if listing::has_names(lines) { Kind::Listing } else { Kind::Plain };
        return Class { is_list: true, ..Class::without_failure(kind) };
    }
    if search::style(lines).is_some() {
        return Class::without_failure(Kind::Search);
    }
    if prose::is_manual_page(lines) {
        return Class::without_failure(Kind::Prose);
    }
    // A compiler quotes the source that it complains about.
    let report = Report::of(lines);
    // The scan holds only the best lines of a long output. They do not tell what most lines are.
    let is_whole = lines.lines.len() as u64 == lines.count();
    let prose = prose::prose_certainty(lines);
    let is_certain_prose = is_whole && !report.is_report && prose == ProseCertainty::Certain;
    let form = match report.is_report {
        true => SourceCertainty::No,
        false => source::source_certainty(lines, is_certain_prose),
    };
    let is_file = matches!(hint.likely, Some(Kind::Source | Kind::Prose | Kind::Search));
    // A failing log may print source. `cat` may print source and fail, because one file is missing.
    let has_failed = !is_file && hint.succeeded == Some(false);
    let may_fail = || has_failed || failed_row::is_in(lines);
    if is_whole && form == SourceCertainty::Certain && !may_fail() {
        return Class::without_failure(Kind::Source);
    }
    if is_certain_prose && !may_fail() {
        return Class::without_failure(Kind::Prose);
    }
    let is_source = form != SourceCertainty::No;
    let is_changes = changes::are_changes(lines);
    let quiet = QuietLines::of(lines);
    let is_prose = prose != ProseCertainty::No;
    let has_succeeded = hint.succeeded == Some(true);
    let is_doubtful =
        is_source || is_prose || is_file || has_succeeded || quiet.is_quiet || is_changes;
    let spread = if is_doubtful { SOURCE_SPREAD } else { SPREAD };
    // If every line is an error, no line stands above the others.
    let only_errors = report.is_all_messages && report.has_errors && !has_succeeded;
    let failing = if only_errors { 1.0 } else { failing(lines, spread, &quiet) };
    let kind = match () {
        () if failing >= 0.5 => Kind::FailingLog,
        () if is_prose => Kind::Prose,
        () if is_source => Kind::Source,
        () if is_test_run(lines) => Kind::TestRun,
        () => hint.likely.filter(|kind| !kind.is_structured()).unwrap_or_default(),
    };
    // The lines of a test run differ in their results, so names must not decide which are shown.
    let is_run = matches!(kind, Kind::TestRun | Kind::FailingLog) && outcome::is_test_run(lines);
    let failing = if is_run { 1.0 } else { failing };
    Class { kind, failing, is_list: false, is_run, spread }
}

/// Returns the degree to which an output looks like a failing log, from 0 to 1.
///
/// In a failing log the best score is far above the others. In source, listings, searches and prose
/// failure words are ordinary words, so the best score is only a little above the median.
fn failing(lines: &ScoredLines, (from, to): (f64, f64), quiet: &QuietLines) -> f64 {
    // Source and diffs contain rows in the form of a failure, too. So the form does not count here.
    let score = |line: &ScoredLine| line.score - line.own.form.bonus(line.own.family_so_far);
    let mut scores: Vec<i32> = lines.lines.iter().map(score).collect();
    let counts = |at: &usize| !quiet.has(*at);
    let best = (0..scores.len()).filter(counts).map(|at| scores[at]).max().unwrap_or(0);
    // Lines that were dropped had lower scores than the held lines.
    let count = lines.count();
    let middle = usize::try_from(count / 2).unwrap_or(usize::MAX);
    let median = if middle < scores.len() {
        *scores.select_nth_unstable_by(middle, |a, b| b.cmp(a)).1
    } else {
        LOWEST_MEDIAN
    };
    let spread = f64::from(best - median.max(LOWEST_MEDIAN));
    ((spread - from) / (to - from)).clamp(0.0, 1.0)
}

/// Tells whether the lines are a test run: many lines report a passed test.
fn is_test_run(lines: &ScoredLines) -> bool {
    let passed = |line: &&ScoredLine| outcome::outcome(lines.body(line)) == Some(Outcome::Passed);
    let passed = lines.lines.iter().filter(passed).count();
    is_mostly_passed(passed, lines.lines.len())
}

/// Tells whether so many rows passed that the output is a test run.
pub(super) fn is_mostly_passed(passed: usize, lines: usize) -> bool {
    passed >= PASSED_ROWS && passed * PASSED >= lines
}
