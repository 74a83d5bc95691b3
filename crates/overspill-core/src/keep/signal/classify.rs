//! Tells what kind of output lines are, by exact tests on their text and by what the caller knows.

use super::diagnostic::Report;
use super::line::{ScoredLine, ScoredLines};
use super::outcome::{self, Outcome};
use super::source::{self, SourceForm};
use super::{listing, prose, search};
use crate::{Kind, KindHint};

/// How far the best score of an output stands above its median. Up to the first number the output is no failing log,
/// from the second on it is one.
const SPREAD: (f64, f64) = (140.0, 170.0);

/// The same for source, whose words of failure are part of a program, and for a command that succeeded.
const SOURCE_SPREAD: (f64, f64) = (210.0, 270.0);

/// A median below this says no more than this.
const LOWEST_MEDIAN: i32 = -200;

/// A test run has so many rows that passed, at least.
const PASSED_ROWS: usize = 5;

/// In a test run, one line of so many at least passed.
const PASSED: usize = 4;

/// An output with fewer lines, and too large all the same, has long lines.
pub(super) const FEWEST_LINES: u64 = 12;

/// The kind of an output, and how much it looks like a failing log.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    pub(super) kind: Kind,
    /// From 0, the output is no failing log, to 1, it is one.
    pub(super) failing: f64,
    /// Every line is one word, so that no line says more than another.
    pub(super) is_list: bool,
    /// Half of the lines or more say how a test ended.
    pub(super) is_run: bool,
    /// How far above the median the best score of a failing log stands.
    spread: (f64, f64),
}

impl Class {
    /// Tells whether what a failure says belongs to it: in source, listings, searches and prose, words of failure are
    /// words like any other.
    pub(super) fn is_log(&self) -> bool {
        !self.is_list && matches!(self.kind, Kind::FailingLog | Kind::TestRun | Kind::Plain)
    }

    /// Tells again how much a log looks like a failing one, after some scores have risen.
    #[must_use]
    pub(super) fn with_higher_scores(self, lines: &ScoredLines, hint: KindHint) -> Class {
        if hint.forced.is_some() {
            return self;
        }
        let failing = failing(lines, self.spread).max(self.failing);
        let is_failing = failing >= 0.5 && self.failing < 1.0;
        let kind = if is_failing { Kind::FailingLog } else { self.kind };
        Class { kind, failing, ..self }
    }

    fn without_failure(kind: Kind) -> Class {
        let is_list = kind == Kind::Listing;
        Class { kind, failing: 0.0, is_list, is_run: false, spread: SPREAD }
    }
}

/// Tells what lines are.
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
    if search::is_search(lines) {
        return Class::without_failure(Kind::Search);
    }
    if prose::is_manual_page(lines) {
        return Class::without_failure(Kind::Prose);
    }
    // A compiler quotes the source that it complains about.
    let report = Report::of(lines);
    // Of a long output only the best lines are held. They do not tell what most lines are.
    let is_whole = lines.lines.len() as u64 == lines.count();
    let is_certain_prose = is_whole && !report.is_report && prose::is_certain(lines);
    let form = match report.is_report {
        true => SourceForm::No,
        false => source::source_form(lines, is_certain_prose),
    };
    if is_whole && form == SourceForm::Certain {
        return Class::without_failure(Kind::Source);
    }
    if is_certain_prose {
        return Class::without_failure(Kind::Prose);
    }
    let is_source = form != SourceForm::No;
    let is_prose = prose::is_prose(lines);
    let is_file = matches!(hint.likely, Some(Kind::Source | Kind::Prose | Kind::Search));
    let is_doubtful = is_source || is_prose || is_file || hint.succeeded;
    let spread = if is_doubtful { SOURCE_SPREAD } else { SPREAD };
    // If every line is an error, no line stands above the others.
    let only_errors = report.is_all_messages && report.has_errors && !hint.succeeded;
    let failing = if only_errors { 1.0 } else { failing(lines, spread) };
    let kind = match () {
        () if failing >= 0.5 => Kind::FailingLog,
        () if is_prose => Kind::Prose,
        () if is_source => Kind::Source,
        () if is_test_run(lines) => Kind::TestRun,
        () => hint.likely.filter(|kind| !kind.is_structured()).unwrap_or_default(),
    };
    // Rows that say how tests ended are told apart by their outcome, not by the names in them.
    let is_run = matches!(kind, Kind::TestRun | Kind::FailingLog) && outcome::is_test_run(lines);
    let failing = if is_run { 1.0 } else { failing };
    Class { kind, failing, is_list: false, is_run, spread }
}

/// Tells how much an output looks like a failing log, from 0 to 1.
///
/// In a failing log the best line stands far above the others. In source, listings, searches and prose the words of
/// failure are words like any other: the best line stands above the median by little.
fn failing(lines: &ScoredLines, (from, to): (f64, f64)) -> f64 {
    // Source and diffs have rows in the form of a failure, too. The form is no evidence here.
    let score = |line: &ScoredLine| line.score - line.own.form.bonus(line.own.family_so_far);
    let mut scores: Vec<i32> = lines.lines.iter().map(score).collect();
    let best = scores.iter().copied().max().unwrap_or(0);
    // Lines that are no longer held had lower scores than those that are.
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

/// Tells whether lines are a test run: many of its rows passed.
fn is_test_run(lines: &ScoredLines) -> bool {
    let passed = |line: &&ScoredLine| outcome::outcome(lines.text(line)) == Some(Outcome::Passed);
    let passed = lines.lines.iter().filter(passed).count();
    passed >= PASSED_ROWS && passed * PASSED >= lines.lines.len()
}
