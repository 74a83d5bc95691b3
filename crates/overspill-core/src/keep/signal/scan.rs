//! Scores the lines of an output as they stream in, and holds the lines that may be shown.
//!
//! The cleaned text comes in through [`Sink`]. At the end of the output, [`SignalScan::finish`]
//! returns the held lines with their scores, and both ends of the output.

use std::ops::Range;
use std::sync::Arc;

use super::belongs::{self, FailedBlock};
use super::classify::classify;
use super::diagnostic::QuotedSource;
use super::failure_lines::FailureLines;
use super::failure_prefilter::{FailurePrefilter, PrefilterSearch};
use super::features::{ContextFeatures, LOOK_AHEAD, LineFeatures, RECENT, Recent};
use super::fold::AlikeLines;
use super::form::RowForm;
use super::late::LateWords;
use super::line::{LineKinds, ScoredLine, ScoredLines};
use super::line_cache::{CachedLine, LineCache};
use super::long::LongLineEnds;
use super::outcome;
use super::pool::{Pool, PoolRoom};
use super::read_budget::ReadBudget;
use super::redraw::Screen;
use super::share;
use super::template_counts::TemplateCounts;
use super::weights::{Weights, WordWeights};
use crate::observe::ends::Ends;
use crate::text::mapped::MappedText;
use crate::text::{CursorMotion, Sink, floor_char};
use crate::{KindHint, Policy};

/// The number of bytes at which a long line is clipped.
pub(crate) const CLIP: usize = 300;

/// The number of bytes of the current line that are held. It is more than is shown or scored.
const HELD: usize = 2048;

/// The number of bytes of memory that the lines between the first and the last lines may take,
/// approximately.
const BEST: usize = 1 << 20;

/// The largest number of bytes that are held of each end, for any limits.
const MOST_BYTES_PER_END: usize = 4 << 20;

/// Every line in this many first bytes of an output is read. After them, only lines with a failure
/// word and the next lines are read, as far as [`ReadBudget`] allows. The lines near them are scored
/// without their words.
const READ_ALL: u64 = 4 << 20;

/// After this many warnings of one family, further warnings do not count as failures.
const FEW: u16 = 8;

/// The number of lines that are read after a line with a failure word.
const AFTER_ALARM: u64 = 24;

/// The number of lines after the read lines that are scored. The lines after them are not scored
/// until the next failure word.
const AFTER_READ: u64 = 16;

/// The state of the scan: both ends of the output, and the lines that may be shown.
#[derive(Debug, Clone)]
pub(crate) struct SignalScan {
    pub(crate) ends: Ends,
    weights: Weights,
    /// The start of the current line. A carriage return can still overwrite it.
    line: MappedText<'static>,
    /// The offset in the original at which the current line begins.
    start: u64,
    /// A part of the current line is red.
    red: bool,
    /// The number of lines that have ended.
    number: u64,
    recent: Recent,
    block: FailedBlock,
    alike: AlikeLines,
    quoted: QuotedSource,
    /// The rows of the terminal, after the cursor has moved up.
    screen: Option<Box<Screen>>,
    /// Both ends of each line, while the output has few lines.
    long: Option<Box<LongLineEnds>>,
    counts: TemplateCounts,
    failures: FailureLines,
    known: LineCache,
    /// The search for failure words, after the part of the output in which every line is read.
    alarm: Option<Arc<FailurePrefilter>>,
    read_budget: ReadBudget,
    hint: KindHint,
    /// The number of the first line that is not read, if no other failure word comes.
    read_until: u64,
    /// The number of lines since the last line that was scored.
    passed_over: u64,
    pool: Pool,
}

/// The text of an ended line, with the part that is shown.
struct Shown<'a> {
    text: &'a [u8],
    clip: usize,
    shown_end: u64,
    unchanged: u64,
    feed: Feed,
}

/// The presence of a line feed at the end of a line. The last line may have none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Feed {
    There,
    Missing,
}

impl SignalScan {
    pub(crate) fn new(ends: Ends, policy: &Policy, weights: Weights) -> SignalScan {
        let most = policy.limits.most_bytes().unwrap_or(u64::MAX);
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(MOST_BYTES_PER_END);
        let room = PoolRoom { first: most, last: most, best: BEST.max(2 * most) };
        SignalScan {
            ends,
            weights,
            line: MappedText::default(),
            start: 0,
            red: false,
            number: 0,
            recent: Recent::default(),
            block: FailedBlock::default(),
            alike: AlikeLines::default(),
            quoted: QuotedSource::default(),
            screen: None,
            long: Some(Box::new(LongLineEnds::new(most))),
            counts: TemplateCounts::default(),
            failures: FailureLines::default(),
            known: LineCache::new(),
            alarm: None,
            read_budget: ReadBudget::new(),
            hint: policy.hint,
            read_until: 0,
            passed_over: 0,
            pool: Pool::new(room),
        }
    }

    /// Reads only lines with a failure word and the lines after them, from the start on.
    #[must_use]
    pub(crate) fn reading_alarms_only(self) -> SignalScan {
        SignalScan { alarm: Some(Arc::new(FailurePrefilter::new())), ..self }
    }

    /// Returns a scan that holds every line.
    #[cfg(feature = "train")]
    pub(crate) fn holding_all(ends: Ends, policy: &Policy) -> SignalScan {
        let room = PoolRoom { first: usize::MAX / 64, last: 1, best: 0 };
        SignalScan { pool: Pool::new(room), ..SignalScan::new(ends, policy, Weights::SHIPPED) }
    }

    /// Ends the output, which has `len` bytes.
    pub(crate) fn finish(self, len: u64) -> (Ends, ScoredLines) {
        let (ends, lines, _) = self.finish_with_counts(len);
        (ends, lines)
    }

    /// Works like `finish`, but also returns the number of lines of each template.
    pub(crate) fn finish_with_counts(mut self, len: u64) -> (Ends, ScoredLines, TemplateCounts) {
        if self.start < len {
            self.end_held_line(len, Feed::Missing);
        }
        if self.passed_over == 0 {
            for more in 1..=u64::from(LOOK_AHEAD) {
                self.recent.push(false, false);
                self.score_earlier(self.number + more);
            }
        }
        self.read_last_lines();
        self.score_last_lines();
        let SignalScan {
            ends,
            weights,
            number,
            counts,
            mut known,
            pool,
            hint,
            mut failures,
            long,
            ..
        } = self;
        let mut lines = pool.into_lines();
        lines.long = long.and_then(|long| long.finish(len));
        for line in &mut lines.lines {
            line.settle(&weights, counts.of(line.kinds), number);
        }
        lines.find_messages();
        let mut class = classify(&lines, hint);
        if class.is_log() {
            let (known, weights, counts) = (&mut known, &weights, &counts);
            if (LateWords { known, weights, counts, number }).add(&mut lines) {
                class = class.with_higher_scores(&lines, hint);
            }
        }
        failures.complete(&lines);
        lines.failures = failures;
        share::share_out(&mut lines, class.is_log());
        lines.class = Some(class);
        (ends, lines, counts)
    }

    /// Reads the last lines that have not been read. They are few and likely to be shown.
    fn read_last_lines(&mut self) {
        for at in 0..self.pool.last.lines.len() {
            let line = self.pool.last.lines[at];
            if line.read {
                continue;
            }
            let text = self.pool.last.text(&line).to_vec();
            let (own, worth, kinds) =
                self.read(text.strip_suffix(b"\n").unwrap_or(&text), |_, _| false);
            let own = LineFeatures { red: line.own.red, ..own };
            if own.hit {
                self.failures.push(line.start);
            }
            let score = ScoredLine::UNSCORED;
            self.pool.last.lines[at] = ScoredLine { own, worth, kinds, score, ..line };
        }
    }

    /// Scores the last lines that have no score yet, after the end of the output.
    fn score_last_lines(&mut self) {
        let Some(first) = self.pool.last.lines.iter().position(ScoredLine::is_unscored) else {
            return;
        };
        self.recent = Recent::default();
        for at in first.saturating_sub(RECENT)..self.pool.last.lines.len() + LOOK_AHEAD as usize {
            let own = self.pool.last.lines.get(at).map(|line| line.own).unwrap_or_default();
            self.recent.push(own.hit, own.blank);
            let Some(earlier) = at.checked_sub(LOOK_AHEAD as usize) else { continue };
            let line = &self.pool.last.lines[earlier];
            if line.is_unscored() {
                self.score(line.number);
            }
        }
    }

    /// Ends the held line at `end`.
    fn end_held_line(&mut self, end: u64, feed: Feed) {
        let line = std::mem::take(&mut self.line);
        if let Some(alarm) = self.alarm.clone() {
            self.watch(&mut alarm.search(line.text()), 0..line.len(), line.text());
        }
        let clip = clip(line.text());
        let (shown_end, unchanged) = (line.original_at(clip), line.unchanged_within(&(0..clip)));
        self.end_line(&Shown { text: line.text(), clip, shown_end, unchanged, feed }, end);
        self.line = line;
        self.line.clear();
    }

    /// Takes a line that came in one part, with a line feed. The line begins at `at`.
    fn end_plain_line(&mut self, at: u64, text: &[u8]) {
        let clip = clip(text);
        let (shown_end, unchanged) = (at + clip as u64, clip as u64);
        let shown = Shown { text, clip, shown_end, unchanged, feed: Feed::There };
        self.end_line(&shown, at + text.len() as u64 + 1);
    }

    /// Adds a line that ends at `end`, its line break included, and scores an earlier line.
    fn end_line(&mut self, shown: &Shown, end: u64) {
        let text = &shown.text[..shown.text.len().min(HELD)];
        let read = self.alarm.is_none() || self.number < self.read_until;
        let pass_over = !read && self.number >= self.read_until + AFTER_READ;
        if self.alarm.is_some() {
            self.read_budget.passed(text.len(), read);
        }
        let (own, worth, kinds) = if read {
            self.read(text, Self::is_quoted)
        } else {
            let own = LineFeatures { red: self.red, ..LineFeatures::unread(text) };
            (own, WordWeights::default(), LineKinds::default())
        };
        if own.hit {
            self.failures.push(self.start);
        }
        let is_plain = read && !own.hit && !own.blank;
        let alike_above = self.alike.above(is_plain.then_some((kinds, own.indent)));
        let clipped = shown.clip < shown.text.len();
        let feed = shown.feed == Feed::There && !clipped;
        let line = ScoredLine {
            number: self.number,
            start: self.start,
            end: if clipped { shown.shown_end } else { end },
            score: ScoredLine::UNSCORED,
            lifted: ScoredLine::UNSCORED,
            alike_above,
            at: 0,
            len: shown.clip as u16 + u16::from(feed),
            unchanged: shown.unchanged as u16 + u16::from(feed),
            kinds,
            own,
            worth,
            read,
            clipped,
            overwritten: false,
            is_message: false,
        };
        self.pool.last.push(line, &text[..shown.clip], if feed { b"\n" } else { b"" });
        self.write_over(own.blank);
        self.start = end;
        self.red = false;
        self.number += 1;
        if pass_over {
            self.passed_over += 1;
        } else {
            self.look_back();
            self.recent.push(own.hit, own.blank);
            self.score_earlier(self.number);
        }
        self.pool.trim();
        if self.alarm.is_none() && end > READ_ALL {
            self.alarm = Some(Arc::new(FailurePrefilter::new()));
        }
    }

    /// Tells whether the current line quotes source.
    fn is_quoted(&mut self, body: &[u8]) -> bool {
        let last = &self.pool.last;
        self.quoted.next(body, last.lines.back().map(|line| line.body(last.text(line))))
    }

    /// Writes the current line to the screen, if the cursor has moved up before.
    fn write_over(&mut self, is_blank: bool) {
        let Some(screen) = &mut self.screen else { return };
        if let Some(line) = screen.write(self.number, is_blank) {
            self.pool.overwrite(line);
        }
        if screen.is_plain() {
            self.screen = None;
        }
    }

    /// Reads the words of a line. `is_quoted` tells whether the text after the prefix of the line
    /// quotes source.
    fn read(
        &mut self,
        text: &[u8],
        is_quoted: fn(&mut SignalScan, &[u8]) -> bool,
    ) -> (LineFeatures, WordWeights, LineKinds) {
        let found = self.known.find(text, &self.weights);
        let CachedLine { kinds, worth, from, indent, read_to, hit, place, bare, blank, trace } =
            found;
        let body = text.get(usize::from(from)..).unwrap_or_default();
        let is_quoted = is_quoted(self, body);
        // The result of a test depends on digits and on the end of the line. The cache has neither.
        let passed = hit && (is_quoted || outcome::has_passed(body));
        let (hit, worth) = if passed { (false, worth.of_passed()) } else { (hit, worth) };
        let counts = self.counts.add(kinds);
        let hit = hit && !(counts.family >= FEW && outcome::is_warning(body));
        let form = if hit { RowForm::of(body) } else { RowForm::Other };
        let own = LineFeatures {
            form,
            len: text.len() as u16 - u16::from(from),
            from,
            so_far: counts.template,
            family_so_far: counts.family,
            indent,
            hit,
            place,
            bare,
            red: self.red,
            blank,
            trace,
            diff: belongs::diff_mark(body),
            read_to,
        };
        (own, worth, kinds)
    }

    /// If the current line, at `range` in the searched text, contains a failure word, the line and
    /// the next lines are read.
    fn watch(&mut self, search: &mut PrefilterSearch, range: Range<usize>, text: &[u8]) {
        let range = range.start..range.end.min(range.start + HELD);
        if !self.read_budget.is_spent() && search.finds(range) && self.read_budget.allows(text) {
            self.read_until = self.number + 1 + AFTER_ALARM;
        }
    }

    /// Adds the lines that were skipped before the last line to the recent lines.
    fn look_back(&mut self) {
        let passed_over = std::mem::take(&mut self.passed_over) as usize;
        if passed_over == 0 {
            return;
        }
        let held = self.pool.last.lines.iter().rev().skip(1);
        let held = held.take(passed_over.min(RECENT)).map(|line| line.own.blank);
        let held: Vec<bool> = held.collect();
        (held.len()..passed_over.min(RECENT)).for_each(|_| self.recent.push(false, false));
        held.into_iter().rev().for_each(|blank| self.recent.push(false, blank));
    }

    /// Scores the line that has [`LOOK_AHEAD`] lines after it when `came` lines have ended.
    fn score_earlier(&mut self, came: u64) {
        if let Some(number) = came.checked_sub(u64::from(LOOK_AHEAD) + 1) {
            self.score(number);
        }
    }

    /// Scores a line by its words, its context and the words of its neighbours.
    fn score(&mut self, number: u64) {
        let (weights, recent) = (self.weights, self.recent);
        if let Some((line, beside)) = self.pool.last.with_neighbours(number) {
            let mut score = line.worth.own() + beside;
            ContextFeatures::known(&line.own, number, &recent, |index| {
                score += weights.around(index)
            });
            line.score = score + line.own.form.bonus(line.own.family_so_far);
            line.lifted = self.block.score(line);
        }
    }

    /// Takes the complete lines in `text` and returns the end of the last complete line.
    fn keep_lines(&mut self, at: u64, text: &[u8]) -> usize {
        let mut from = 0;
        let mut feeds = memchr::memchr_iter(b'\n', text);
        while self.alarm.is_none()
            && let Some(feed) = feeds.next()
        {
            self.end_plain_line(at + from as u64, &text[from..feed]);
            from = feed + 1;
        }
        let Some(alarm) = self.alarm.clone() else { return from };
        let (begun, mut search) = (from, alarm.search(&text[from..]));
        for feed in feeds {
            self.watch(&mut search, from - begun..feed - begun, &text[from..feed]);
            self.end_plain_line(at + from as u64, &text[from..feed]);
            from = feed + 1;
        }
        from
    }

    /// Calls `show` with the ends of each line, as long as the output has few lines.
    fn hold_line_ends(&mut self, show: impl FnOnce(&mut LongLineEnds)) {
        if let Some(long) = &mut self.long {
            show(long);
            if long.has_given_up() {
                self.long = None;
            }
        }
    }

    /// Adds text to the current line, up to [`HELD`] bytes.
    fn hold(&mut self, at: u64, text: &[u8]) {
        // After text that did not fit, no more text is added, because it would not be consecutive.
        if self.line.len() as u64 == self.ends.line_len() {
            let room = HELD.saturating_sub(self.line.len());
            self.line.push(at, &text[..floor_char(text, room)]);
        }
    }
}

impl Sink for SignalScan {
    fn keep(&mut self, at: u64, text: &[u8]) {
        self.hold_line_ends(|long| long.keep(at, text));
        let mut from = 0;
        if self.ends.line_len() > 0
            && let Some(feed) = memchr::memchr(b'\n', text)
        {
            self.hold(at, &text[..feed]);
            from = feed + 1;
            self.end_held_line(at + from as u64, Feed::There);
        }
        from += self.keep_lines(at + from as u64, &text[from..]);
        if from == 0 {
            self.hold(at, text);
        } else {
            let rest = &text[from..];
            self.line.push(at + from as u64, &rest[..floor_char(rest, HELD)]);
        }
        self.ends.keep(at, text);
    }

    fn replace(&mut self, at: u64, len: u64, text: &str) {
        self.hold_line_ends(|long| long.replace(at, len, text));
        let fits = self.line.len() + text.len() <= HELD;
        if fits && self.line.len() as u64 == self.ends.line_len() {
            self.line.push_replaced(at, len, text);
        }
        self.ends.replace(at, len, text);
    }

    fn restart_line(&mut self) {
        self.hold_line_ends(Sink::restart_line);
        self.line.clear();
        self.ends.restart_line();
    }

    fn red(&mut self) {
        self.red = true;
    }

    fn cursor(&mut self, motion: CursorMotion) {
        let SignalScan { screen, pool, number, .. } = self;
        if screen.is_none() && matches!(motion, CursorMotion::Up(_)) {
            *screen = Some(Box::new(Screen::before(*number, |line| pool.is_blank(line))));
        }
        if let Some(screen) = screen {
            screen.go(motion, |line| pool.overwrite(line));
        }
    }

    fn erase(&mut self, chars: u64) {
        self.hold_line_ends(|long| long.erase(chars));
        self.ends.erase(chars);
        self.line.truncate(usize::try_from(self.ends.line_len()).unwrap_or(usize::MAX));
    }
}

/// Returns the number of bytes of a line that are shown. Most lines are not clipped.
fn clip(text: &[u8]) -> usize {
    // A clipped line costs a mark, so a line that is only a little longer is shown whole.
    if text.len() <= CLIP + CLIP / 4 { text.len() } else { floor_char(text, CLIP) }
}
