//! What must be seen of an output to choose from it: enough of its start and of its end.
//!
//! A [`Collected`] is made from bytes at hand, from a stored copy, or by a [`Window`](crate::Window)
//! from a stream; what is chosen depends on the view alone, so all three agree.

use std::borrow::Cow;
use std::ops::Range;

use crate::keep::signal::{self, Block, ScoredLines};
use crate::keep::structure::{self, Outline, StructuredLines};
use crate::measure::limits::Cost;
use crate::measure::size::breaks;
use crate::observe::collector::Collector;
use crate::observe::ends::Ends;
use crate::text::Cleaner;
use crate::text::mapped::MappedText;
use crate::{Cleaning, Keep, Limits, LineRule, Policy};

/// The two ends of an output, as they would be shown.
#[derive(Debug, Clone)]
pub(crate) struct Collected<'a> {
    pub(crate) head: MappedText<'a>,
    /// The head holds the output to its end.
    pub(crate) head_is_all: bool,
    pub(crate) tail: MappedText<'a>,
    /// The tail holds the output from its start.
    pub(crate) tail_is_all: bool,
    /// The lines that may matter, where the policy wants them.
    pub(crate) lines: Option<Box<ScoredLines>>,
    /// The lines that may be shown, where it has a structure of lines.
    pub(crate) rows: Option<Box<StructuredLines>>,
    /// What is shown instead of parts of it.
    pub(crate) outline: Option<Box<Outline>>,
}

/// Bytes that can be read again: the output itself, or its stored copy.
pub trait Source {
    /// Why reading failed.
    type Error;

    /// Returns how many bytes there are.
    fn len(&self) -> u64;

    /// Tells whether there is nothing to read.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads a range, which lies within the length.
    fn read(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>, Self::Error>;
}

impl Source for &[u8] {
    type Error = std::convert::Infallible;

    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>, Self::Error> {
        Ok(Cow::Borrowed(&self[range.start as usize..range.end as usize]))
    }
}

/// How many bytes of text must be in view at an end, beyond what may be shown of it: the rest of a
/// character, and the line break before or after.
const BEYOND: u64 = 8;

/// How much of a source is read at a time.
const BLOCK: u64 = 64 * 1024;

/// How much text must be in view.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) head: usize,
    pub(crate) tail: usize,
    /// At either end, no more than so many lines are needed.
    pub(crate) lines: u64,
}

impl Extent {
    pub(crate) fn of(policy: &Policy) -> Extent {
        let most = policy.limits.most_bytes().map_or(u64::MAX, |most| most.saturating_add(BEYOND));
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let (head, tail) = match policy.keep {
            Keep::Head => (most, 0),
            Keep::Tail => (0, most),
            Keep::Ends { .. } | Keep::Signal | Keep::Structure | Keep::Auto => (most, most),
        };
        let lines = policy.limits.lines.map_or(u64::MAX, |lines| lines.saturating_add(1));
        Extent { head, tail, lines }
    }
}

impl<'a> Collected<'a> {
    /// Looks at bytes that are all at hand.
    pub(crate) fn of(bytes: &'a [u8], policy: &Policy) -> Collected<'a> {
        if looks_at_all(policy) {
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
            let Ok(view) = Collected::read(&mut &*bytes, policy);
            return view;
        }
        Collected {
            head_is_all: head.len() == bytes.len(),
            head: MappedText::borrowed(0, head),
            tail_is_all: tail_from == 0,
            tail: MappedText::borrowed(tail_from as u64, tail),
            lines: None,
            rows: None,
            outline: None,
        }
    }
}

impl Collected<'_> {
    /// Chooses lines by what they say, where the policy wants that and there is a choice.
    pub(crate) fn blocks(
        &self,
        policy: &Policy,
        limits: &Limits,
        mark: &Cost,
    ) -> Option<(&ScoredLines, Vec<Block>)> {
        let lines = self.lines.as_deref().filter(|_| !self.fits(policy, limits))?;
        signal::choose(lines, policy, limits, mark).map(|blocks| (lines, blocks))
    }

    /// Chooses lines of an output of `len` bytes by its structure, where it has one and there is a
    /// choice.
    pub(crate) fn rows(
        &self,
        policy: &Policy,
        limits: &Limits,
        mark: &Cost,
        len: u64,
    ) -> Option<Vec<structure::Block>> {
        let rows = self.rows.as_deref().filter(|_| !self.fits(policy, limits))?;
        rows.choose(policy, limits, mark, len)
    }

    /// Tells whether the output fits once it is clean; then it is shown as it is.
    fn fits(&self, policy: &Policy, limits: &Limits) -> bool {
        let fits = || limits.exceeded_by(self.head.text(), policy.lines, &policy.tokens).is_none();
        self.head_is_all && fits()
    }
}

impl Collected<'static> {
    /// Reads no more of a source than it takes.
    pub(crate) fn read<S: Source>(source: &mut S, policy: &Policy) -> Result<Self, S::Error> {
        if looks_at_all(policy) {
            return Collected::read_all(source, policy);
        }
        let extent = Extent::of(policy);
        let len = source.len();

        let mut start = Reader::new(0, policy, Extent { tail: 0, ..extent });
        while start.at < len && !start.ends.head_is_settled() {
            start.step(source, len)?;
        }
        if start.at == len {
            start.finish();
        }
        let head_is_all = start.at == len && start.ends.head_is_all();

        let (tail, tail_is_all) = Collected::read_tail(source, policy, extent)?;
        let head = start.ends.into_head();
        Ok(Collected {
            head,
            head_is_all,
            tail,
            tail_is_all,
            lines: None,
            rows: None,
            outline: None,
        })
    }

    /// Reads a source from its start to its end.
    fn read_all<S: Source>(source: &mut S, policy: &Policy) -> Result<Self, S::Error> {
        let (mut watch, len) = (Collector::new(policy), source.len());
        let mut at = 0;
        while at < len {
            let block = source.read(at..len.min(at + BLOCK))?;
            watch.push(&block);
            // A source that ends before it should must not keep us waiting.
            at = if block.is_empty() { len } else { at + block.len() as u64 };
        }
        Ok(watch.finish())
    }

    /// Reads the end of a source, and tells whether that is all of it.
    fn read_tail<S: Source>(
        source: &mut S,
        policy: &Policy,
        extent: Extent,
    ) -> Result<(MappedText<'static>, bool), S::Error> {
        let len = source.len();
        if extent.tail == 0 {
            return Ok((MappedText::starting_at(len), false));
        }
        let mut back = (extent.tail as u64).min(BLOCK).min(len);
        loop {
            let from = line_start(source, len - back)?;
            let mut end = Reader::new(from, policy, Extent { head: 0, ..extent });
            while end.at < len {
                end.step(source, len)?;
            }
            end.finish();
            let (_, tail, is_all) = end.ends.into_both();
            let enough = tail.len() >= extent.tail
                || breaks(tail.text(), LineRule::Terminated, None) > extent.lines;
            if enough || from == 0 {
                return Ok((tail, from == 0 && is_all));
            }
            // Too little, perhaps because cleaning dropped much: look further back.
            back = (len - from).saturating_mul(2).min(len);
        }
    }
}

/// Tells whether the ends of an output are not enough to choose from.
fn looks_at_all(policy: &Policy) -> bool {
    signal::applies(policy) || structure::applies(policy)
}

/// Tells whether the start or end of `all` is UTF-8, but for a character that is cut off.
fn is_utf8(part: &[u8], all: &[u8]) -> bool {
    let is_start = part.len() == all.len() || part.as_ptr() == all.as_ptr();
    let cut_off = part.iter().take(3).take_while(|&&byte| byte & 0xC0 == 0x80).count();
    match std::str::from_utf8(if is_start { part } else { &part[cut_off..] }) {
        Ok(_) => true,
        Err(error) => is_start && part.len() < all.len() && error.error_len().is_none(),
    }
}

/// Reads a source in blocks and shows what it reads to [`Ends`].
struct Reader {
    at: u64,
    cleaner: Cleaner,
    ends: Ends,
}

impl Reader {
    fn new(at: u64, policy: &Policy, extent: Extent) -> Reader {
        Reader { at, cleaner: Cleaner::new(at, policy), ends: Ends::new(at, extent) }
    }

    fn step<S: Source>(&mut self, source: &mut S, len: u64) -> Result<(), S::Error> {
        let block = source.read(self.at..len.min(self.at + BLOCK))?;
        self.cleaner.push(&block, &mut self.ends);
        // A source that ends before it should must not keep us waiting.
        self.at = if block.is_empty() { len } else { self.at + block.len() as u64 };
        Ok(())
    }

    fn finish(&mut self) {
        self.cleaner.finish(&mut self.ends);
    }
}

/// Returns where the line that `at` lies in begins.
fn line_start<S: Source>(source: &mut S, at: u64) -> Result<u64, S::Error> {
    let mut end = at;
    while end > 0 {
        let from = end.saturating_sub(BLOCK);
        if let Some(feed) = memchr::memrchr(b'\n', &source.read(from..end)?) {
            return Ok(from + feed as u64 + 1);
        }
        end = from;
    }
    Ok(0)
}
