//! Chooses the part of an output that the reader of a pipe sees while the command still runs.
//!
//! The reader gets the start live, up to an eighth of the limits. At growing intervals the reader
//! gets the text after it, up to three quarters. If the output is too large, the reader gets its
//! newest lines and the command that reads the rest. The preview at the end gets the room that is
//! left.

use overspill::Spilled;
use overspill::core::Limits;
use overspill::core::internal::text::clean;
use overspill::internal::notice::defused;

use super::head_budget::HeadBudget;

/// The start takes one of this number of equal parts of the limits.
const START_PARTS: u64 = 8;
/// The smallest number of bytes of new lines that an update needs.
const SMALLEST_UPDATE: u64 = 160;
/// The largest number of bytes from which the newest lines are chosen.
const MOST_RECENT: u64 = 16 << 10;

/// The output of a running command, as far as its reader sees it.
#[derive(Debug)]
pub(super) struct LiveView {
    /// The limits of everything that is shown.
    limits: Limits,
    /// The amount of written text, including lines of overspill.
    used: Used,
    is_begun: bool,
    head: HeadBudget,
    /// The start of the output, as far as it is shown or may be shown first.
    start: Vec<u8>,
    /// The number of bytes that came.
    came: u64,
    /// The number of lines that have ended.
    lines: u64,
    /// The position up to which the reader has seen the output, or a mark for it.
    seen_to: u64,
    /// The newest bytes.
    recent: Vec<u8>,
    most_recent: usize,
}

/// The amount of written text.
#[derive(Debug, Clone, Copy, Default)]
struct Used {
    bytes: u64,
    lines: u64,
    /// Tells whether the last line is incomplete.
    is_mid_line: bool,
}

/// The newest lines of an output.
#[derive(Debug)]
pub(super) struct Newest {
    /// The lines, cleaned like a preview.
    pub(super) text: String,
    /// Tells whether lines before them were not shown.
    pub(super) has_gap: bool,
}

impl LiveView {
    pub(super) fn within(limits: Limits) -> LiveView {
        let most_recent = HeadBudget::bytes_of(&limits).min(MOST_RECENT) as usize;
        LiveView {
            limits,
            used: Used::default(),
            is_begun: false,
            head: HeadBudget::within(&limits, START_PARTS),
            start: Vec::new(),
            came: 0,
            lines: 0,
            seen_to: 0,
            recent: Vec::new(),
            most_recent,
        }
    }

    /// Takes new bytes. Returns the number of bytes that are shown at once.
    pub(super) fn take(&mut self, bytes: &[u8]) -> usize {
        self.came += bytes.len() as u64;
        self.lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.remember(bytes);
        // Some hosts show nothing of a text with a zero byte.
        if memchr::memchr(0, bytes).is_some() {
            self.head.close();
        }
        if !self.is_begun {
            // With one byte more, overspill knows that the start is not everything.
            let room =
                (self.head.room() as usize).saturating_add(1).saturating_sub(self.start.len());
            self.start.extend_from_slice(&bytes[..room.min(bytes.len())]);
            return 0;
        }
        let shown = self.head.take(bytes).len();
        self.show_next(&bytes[..shown]);
        shown
    }

    fn remember(&mut self, bytes: &[u8]) {
        if bytes.len() >= self.most_recent {
            self.recent.clear();
            self.recent.extend_from_slice(&bytes[bytes.len() - self.most_recent..]);
            return;
        }
        // Up to twice as many bytes stay in memory, so that not every chunk moves them.
        if self.recent.len() + bytes.len() > 2 * self.most_recent {
            let keep = self.recent.len().min(self.most_recent - bytes.len());
            self.recent.drain(..self.recent.len() - keep);
        }
        self.recent.extend_from_slice(bytes);
    }

    /// Notes text that is shown right after the shown start.
    fn show_next(&mut self, text: &[u8]) {
        self.start.extend_from_slice(text);
        self.seen_to += text.len() as u64;
        self.count(text);
    }

    /// Counts written text.
    pub(super) fn count(&mut self, text: &[u8]) {
        self.used.bytes += text.len() as u64;
        self.used.lines += memchr::memchr_iter(b'\n', text).count() as u64;
        self.used.is_mid_line = text.last().map_or(self.used.is_mid_line, |byte| *byte != b'\n');
    }

    /// Begins to show the output. Returns its start.
    pub(super) fn begin(&mut self) -> Vec<u8> {
        self.is_begun = true;
        let start = std::mem::take(&mut self.start);
        let text = self.head.take(&start).to_vec();
        self.show_next(&text);
        text
    }

    /// Returns the number of bytes that are shown from the start of the output, without a gap.
    pub(super) fn shown_from_start(&self) -> usize {
        if self.is_begun { self.start.len() } else { 0 }
    }

    /// Takes the text after the shown part. Returns the number of bytes that are shown now.
    pub(super) fn take_next(&mut self, text: &[u8]) -> usize {
        if text.is_empty() {
            // The start may go on.
            return 0;
        }
        self.head.close();
        let most = |limit: u64| limit / 4 * 3;
        let bytes = most(HeadBudget::bytes_of(&self.limits)).saturating_sub(self.used.bytes);
        let lines = most(self.limits.lines.unwrap_or(u64::MAX)).saturating_sub(self.used.lines);
        let shown = HeadBudget::of(bytes, lines).take(text).len();
        self.show_next(&text[..shown]);
        shown
    }

    /// Takes the newest lines that were not shown, within a part of the remaining room. Returns
    /// `None` without new lines, or with too little room.
    pub(super) fn newest(&mut self, our_lines: u64) -> Option<Newest> {
        self.head.close();
        let room = share(HeadBudget::bytes_of(&self.limits), self.used.bytes);
        let lines = share(self.limits.lines.unwrap_or(u64::MAX), self.used.lines);
        let room = room.saturating_sub(our_lines);
        if self.seen_to == self.came || room < SMALLEST_UPDATE || lines < 4 {
            return None;
        }
        let new = (self.came - self.seen_to).min(room).min(self.recent.len() as u64) as usize;
        let mut text = &self.recent[self.recent.len() - new..];
        let has_gap = self.came - self.seen_to > new as u64;
        if has_gap {
            // A cut line is left out, unless it is the only line.
            text = memchr::memchr(b'\n', text).map_or(text, |end| &text[end + 1..]);
        }
        let skipped = memchr::memchr_iter(b'\n', text).count() as u64;
        let too_many = skipped.saturating_sub(lines - 3);
        if let Some(nth) = (too_many as usize).checked_sub(1) {
            text = memchr::memchr_iter(b'\n', text).nth(nth).map_or(text, |end| &text[end + 1..]);
        }
        let mut clean_text = defused(clean(text).text);
        while clean_text.len() as u64 > room {
            match clean_text.find('\n') {
                Some(end) => drop(clean_text.drain(..=end)),
                None => clean_text.clear(),
            }
        }
        self.seen_to = self.came;
        Some(Newest { text: clean_text, has_gap: has_gap || too_many > 0 })
    }

    /// Returns the number of lines that came.
    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    /// Tells whether the next line of overspill needs a line break before it.
    pub(super) fn is_mid_line(&self) -> bool {
        self.used.is_mid_line
    }

    pub(super) fn used_bytes(&self) -> u64 {
        self.used.bytes
    }

    /// Returns the remaining room within `limits`, or `None` if nothing was shown.
    pub(super) fn left_of(&self, limits: &Limits) -> Option<Limits> {
        let Used { bytes, lines, .. } = self.used;
        let less = |limit: Option<u64>, used: u64| limit.map(|limit| limit.saturating_sub(used));
        (bytes > 0).then(|| Limits {
            bytes: less(limits.bytes, bytes),
            lines: less(limits.lines, lines),
            chars: less(limits.chars, bytes),
            tokens: less(limits.tokens, bytes),
        })
    }

    /// Returns the preview without the start that was shown before.
    pub(super) fn rest(&self, spilled: &Spilled) -> String {
        let shown = clean(&self.start[..self.shown_from_start()]).text;
        let before = if self.is_mid_line() { "\n" } else { "" };
        format!("{before}{}", spilled.text_after(&shown))
    }
}

/// Returns the share of an update: half of the room beyond the half that the preview at the end
/// needs. If less is left, a quarter of the rest.
fn share(limit: u64, used: u64) -> u64 {
    let left = limit.saturating_sub(used);
    match left.checked_sub(limit / 2) {
        Some(over @ 1..) => over / 2,
        _ => left / 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(range: std::ops::Range<u32>) -> String {
        range.map(|n| format!("line {n:05}\n")).collect()
    }

    #[test]
    fn start_is_shown_up_to_an_eighth_in_whole_lines() {
        let mut view = LiveView::within(Limits::NONE.bytes(8_000));
        assert_eq!(view.take(b"line 1\nli"), 0);
        assert_eq!(view.begin(), b"line 1\nli");
        assert!(view.is_mid_line());
        let more = lines(0..1000);
        let shown = view.take(more.as_bytes());
        assert!((900..=1000).contains(&(shown + 9)) && more[..shown].ends_with('\n'), "{shown}");
        assert_eq!(view.take(b"more\n"), 0);
    }

    #[test]
    fn start_of_a_burst_is_cut_at_a_line() {
        let mut view = LiveView::within(Limits::NONE.bytes(8_000));
        for _ in 0..10 {
            view.take(lines(0..100).as_bytes());
        }
        let start = view.begin();
        assert!(start.ends_with(b"\n") && start.len() <= 1000 && start.len() > 900);
        assert_eq!(view.take(b"x\n"), 0);
    }

    #[test]
    fn updates_never_use_the_half_that_the_end_needs() {
        let mut view = LiveView::within(Limits::NONE.bytes(8_000).lines(400));
        view.take(lines(0..2000).as_bytes());
        let start = view.begin();
        let mut all = start.len();
        for n in 0..40 {
            view.take(lines(n * 100..n * 100 + 100).as_bytes());
            if let Some(newest) = view.newest(100) {
                assert!(newest.has_gap && newest.text.ends_with(&format!("{:05}\n", n * 100 + 99)));
                view.count(newest.text.as_bytes());
                all += newest.text.len();
            }
        }
        assert!(all <= 4_000, "{all}");
        let left = view.left_of(&Limits::NONE.bytes(8_000).lines(400)).unwrap();
        assert!(left.bytes >= Some(4_000) && left.lines >= Some(200), "{left:?}");
    }

    #[test]
    fn newest_lines_without_news_are_none() {
        let mut view = LiveView::within(Limits::NONE.bytes(8_000));
        view.take(b"one\n");
        view.begin();
        assert!(view.newest(0).is_none());
        view.take(lines(0..2000).as_bytes());
        assert!(view.newest(0).is_some());
        assert!(view.newest(0).is_none());
    }

    #[test]
    fn start_goes_on_after_an_update_without_news() {
        let mut view = LiveView::within(Limits::NONE.bytes(8_000));
        view.take(b"one\n");
        view.begin();
        assert_eq!((view.take_next(b""), view.take(b"two\n")), (0, 4));
        // After text that followed the start, only updates show more.
        view.head.close();
        view.take(b"three\n");
        assert_eq!((view.take_next(b"three\n"), view.take(b"four\n")), (6, 0));
    }

    #[test]
    fn byte_zero_ends_the_start() {
        let mut view = LiveView::within(Limits::NONE.bytes(8_000));
        view.begin();
        assert_eq!(view.take(b"a\0b\n"), 0);
        assert_eq!(view.take(b"c\n"), 0);
    }
}
