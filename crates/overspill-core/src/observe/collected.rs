//! The parts of an output from which a preview is chosen: enough of its start and of its end.
//!
//! A [`Collected`] is made from bytes in memory, from a saved output, or by a
//! [`Window`](crate::Window) from a stream. The choice depends on these parts alone, so all three
//! give the same preview.

use crate::keep::{EndsKept, SelectedBlocks};
use crate::measure::limits::Cost;
use crate::measure::size::breaks;
use crate::observe::binary;
use crate::observe::collector::Collector;
use crate::observe::ends::Ends;
use crate::observe::selection::Selection;
use crate::text::Cleaner;
use crate::text::mapped::MappedText;
use crate::{Cleaning, Limits, LineRule, Policy};

/// The two ends of an output, as they would be shown.
#[derive(Debug, Clone)]
pub(crate) struct Collected<'a> {
    pub(crate) head: MappedText<'a>,
    /// The head reaches the end of the output.
    pub(crate) head_is_all: bool,
    pub(crate) tail: MappedText<'a>,
    /// The tail reaches the start of the output.
    pub(crate) tail_is_all: bool,
    pub(crate) selection: Selection,
    /// The well-known file format whose first bytes the output has. `None` if the output was not
    /// read completely.
    pub(crate) format: Option<&'static str>,
}

/// The number of bytes of text that are needed at an end beyond the part that may be shown: the
/// rest of a character, and the line break before or after.
const BEYOND: u64 = 8;

/// The number of bytes of an output that are read at a time.
const BLOCK: usize = 64 * 1024;

/// The amount of text that is needed at each end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) head: usize,
    pub(crate) tail: usize,
    /// The number of lines that are needed at either end.
    pub(crate) lines: u64,
}

impl Extent {
    pub(crate) fn of(policy: &Policy) -> Extent {
        let most = policy.limits.most_bytes().map_or(u64::MAX, |most| most.saturating_add(BEYOND));
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let (head, tail) = match policy.keep.ends() {
            EndsKept::Head => (most, 0),
            EndsKept::Tail => (0, most),
            EndsKept::Both { .. } => (most, most),
        };
        let lines = policy.limits.lines.map_or(u64::MAX, |lines| lines.saturating_add(1));
        Extent { head, tail, lines }
    }
}

impl<'a> Collected<'a> {
    /// Collects the ends of bytes that are completely in memory.
    pub(crate) fn of(bytes: &'a [u8], policy: &Policy) -> Collected<'a> {
        if Selection::looks_at_all(policy) {
            let mut watch = Collector::new(policy);
            watch.push(bytes);
            return watch.finish();
        }
        let extent = Extent::of(policy);
        let head = &bytes[..extent.head.min(bytes.len())];
        let tail_from = bytes.len() - extent.tail.min(bytes.len());
        let tail = &bytes[tail_from..];
        let as_it_is =
            policy.cleaning == Cleaning::Off && is_utf8(head, bytes) && is_utf8(tail, bytes);
        if !as_it_is {
            return Collected::read(bytes, policy);
        }
        Collected {
            head_is_all: head.len() == bytes.len(),
            head: MappedText::borrowed(0, head),
            tail_is_all: tail_from == 0,
            tail: MappedText::borrowed(tail_from as u64, tail),
            selection: Selection::Ends,
            format: None,
        }
    }
}

impl Collected<'_> {
    /// Tells whether the output is not text, by its start and its end.
    pub(crate) fn is_binary(&self) -> bool {
        binary::is_binary_output(self.head.text(), self.tail.text())
    }

    /// Chooses lines of an output of `len` bytes within `limits`. Each gap takes the room of
    /// `mark`.
    ///
    /// Returns `None` if the two ends are to be shown.
    pub(crate) fn select(
        &self,
        policy: &Policy,
        limits: &Limits,
        mark: &Cost,
        len: u64,
    ) -> Option<SelectedBlocks> {
        if self.fits(policy, limits) {
            return None;
        }
        self.selection.choose(policy, limits, mark, len)
    }

    /// Tells whether the output is within the limits after cleaning. Then it is shown unchanged.
    fn fits(&self, policy: &Policy, limits: &Limits) -> bool {
        let fits = || limits.exceeded_by(self.head.text(), policy.lines, &policy.tokens).is_none();
        self.head_is_all && fits()
    }
}

impl Collected<'static> {
    /// Reads only as much of the output as the two ends need.
    fn read(output: &[u8], policy: &Policy) -> Self {
        let extent = Extent::of(policy);
        let mut start = Reader::new(0, policy, Extent { tail: 0, ..extent });
        while start.at < output.len() && !start.ends.head_is_settled() {
            start.step(output);
        }
        if start.at == output.len() {
            start.finish();
        }
        let head_is_all = start.at == output.len() && start.ends.head_is_all();
        let (tail, tail_is_all) = Collected::read_tail(output, policy, extent);
        let head = start.ends.into_head();
        let (selection, format) = (Selection::Ends, None);
        Collected { head, head_is_all, tail, tail_is_all, selection, format }
    }

    /// Reads the end of an output, and tells whether that is the whole output.
    fn read_tail(output: &[u8], policy: &Policy, extent: Extent) -> (MappedText<'static>, bool) {
        let len = output.len();
        if extent.tail == 0 {
            return (MappedText::starting_at(len as u64), false);
        }
        let mut back = extent.tail.min(BLOCK).min(len);
        loop {
            let from = memchr::memrchr(b'\n', &output[..len - back]).map_or(0, |feed| feed + 1);
            let mut end = Reader::new(from, policy, Extent { head: 0, ..extent });
            while end.at < len {
                end.step(output);
            }
            end.finish();
            let (_, tail, is_all) = end.ends.into_both();
            let enough = tail.len() >= extent.tail
                || breaks(tail.text(), LineRule::Terminated, None) > extent.lines;
            if enough || from == 0 {
                return (tail, from == 0 && is_all);
            }
            // Too little text, perhaps because cleaning dropped much of it: read more.
            back = (len - from).saturating_mul(2).min(len);
        }
    }
}

/// Tells whether the start or end of `all` is UTF-8. A character that is cut off at the edge is
/// allowed.
fn is_utf8(part: &[u8], all: &[u8]) -> bool {
    let is_start = part.len() == all.len() || part.as_ptr() == all.as_ptr();
    let cut_off = part.iter().take(3).take_while(|&&byte| byte & 0xC0 == 0x80).count();
    match std::str::from_utf8(if is_start { part } else { &part[cut_off..] }) {
        Ok(_) => true,
        Err(error) => is_start && part.len() < all.len() && error.error_len().is_none(),
    }
}

/// Reads an output in blocks and passes them on to [`Ends`].
struct Reader {
    at: usize,
    cleaner: Cleaner,
    ends: Ends,
}

impl Reader {
    fn new(at: usize, policy: &Policy, extent: Extent) -> Reader {
        let (cleaner, ends) = (Cleaner::new(at as u64, policy), Ends::new(at as u64, extent));
        Reader { at, cleaner, ends }
    }

    fn step(&mut self, output: &[u8]) {
        let end = output.len().min(self.at + BLOCK);
        self.cleaner.push(&output[self.at..end], &mut self.ends);
        self.at = end;
    }

    fn finish(&mut self) {
        self.cleaner.finish(&mut self.ends);
    }
}
