//! Passes on frames of the server that are too long for memory, or that are not a message. Results
//! are shortened, other messages are unchanged, and lines that are not JSON are refused.

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::sync::{MutexGuard, PoisonError};

use super::answers::{INTERNAL_ERROR, error, too_much};
use super::batch::pass_batch;
use super::frames::Frames;
use super::mask::Mask;
use super::pending::PendingRequest;
use super::probe::{Look, Message};
use super::proxy::{LongResult, Proxy, without_mark};
use super::rewrite::{Done, ResultRewriter};
use super::stdio::Out;

/// Passes on the frame that begins with `start`; `frames` has the rest of the frame.
pub(super) fn pass(
    proxy: &Proxy,
    start: &[u8],
    frames: &mut Frames<impl Read>,
    out: &Out,
) -> io::Result<()> {
    let mut out = Held { out, taken: None, last: 0 };
    frame(proxy, without_mark(start), frames, &mut out)?;
    // The last line of an interrupted server may lack its line feed.
    if out.taken.is_some() && out.last != b'\n' {
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Returns the bytes that the client gets for a whole frame that is not JSON or not a message.
/// Servers write log lines to stdout by mistake, and clients ignore them, so short lines are
/// unchanged.
pub(super) fn unread<'a>(proxy: &Proxy, whole: &'a [u8]) -> Cow<'a, [u8]> {
    if proxy.surely_fits(whole.len()) {
        return proxy.masked(whole).0;
    }
    listed(proxy, whole)
}

/// Returns the bytes that the client gets for a list in one frame.
pub(super) fn listed<'a>(proxy: &Proxy, whole: &[u8]) -> Cow<'a, [u8]> {
    let mut out = Vec::new();
    // Writing to memory does not fail.
    let _ = frame(proxy, whole, &mut Nothing, &mut out);
    Cow::Owned(out)
}

fn frame(
    proxy: &Proxy,
    start: &[u8],
    rest: &mut dyn Chunks,
    out: &mut dyn Write,
) -> io::Result<()> {
    match start.trim_ascii_start().first() {
        Some(b'[') if !is_text_in_brackets(start) => pass_batch(proxy, start, rest, out),
        Some(b'{') => message(proxy, start, rest, out).map(drop),
        _ => refused(proxy, start, rest, out),
    }
}

/// Tells whether a line begins with text such as `[INFO]`, and not with a list of messages.
fn is_text_in_brackets(start: &[u8]) -> bool {
    let mut look = Look::default();
    look.push(start);
    look.is_broken() && look.messages().all(|message| *message == Message::default())
}

/// Refuses a line that begins with other text. If an answer follows the text, the client gets an
/// error.
fn refused(
    proxy: &Proxy,
    start: &[u8],
    rest: &mut dyn Chunks,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut look = message_after_text(start);
    let mut len = start.len();
    while let Some(more) = rest.more()? {
        len += more.len();
        look.push(more);
    }
    report(&format!("a line of {len} bytes that is not a message"));
    let message = look.message();
    let id = message.id.as_ref().filter(|_| message.is_answer() && message.method.is_none());
    if let Some(id) = id.filter(|id| proxy.pending().answered(id).is_some()) {
        let words = "the server wrote other text before its answer, on the same line";
        out.write_all(error(Some(id), INTERNAL_ERROR, words).trim_ascii_end())?;
    }
    Ok(())
}

/// Looks for a message that begins in the middle of a line.
fn message_after_text(start: &[u8]) -> Look {
    /// The number of opening braces that are tried.
    const MOST: usize = 32;
    let looks = memchr::memchr_iter(b'{', start).take(MOST).map(|at| {
        let mut look = Look::default();
        look.push(&start[at..]);
        look
    });
    looks
        .into_iter()
        .find(|look| !look.is_broken() || look.message().is_answer())
        .unwrap_or_default()
}

/// Reports on stderr the bytes that the client does not get.
pub(super) fn report(what: &str) {
    crate::ui::warn_line(&format!("the server wrote {what}; the client does not get this text"));
}

/// Reads to the end, and returns the number of bytes.
fn skip(rest: &mut dyn Chunks) -> io::Result<usize> {
    let mut len = 0;
    while let Some(more) = rest.more()? {
        len += more.len();
    }
    Ok(len)
}

/// The output, locked from the first write to the end of the frame. While a result is only being
/// shortened, other threads may answer.
struct Held<'a> {
    out: &'a Out,
    taken: Option<MutexGuard<'a, Box<dyn Write + Send>>>,
    last: u8,
}

impl Write for Held<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let take = || self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let len = self.taken.get_or_insert_with(take).write(bytes)?;
        self.last = bytes[..len].last().copied().unwrap_or(self.last);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.taken.as_mut().map_or(Ok(()), |taken| taken.flush())
    }
}

/// A source of bytes in chunks.
pub(super) trait Chunks {
    /// Returns the next chunk, or `None` at the end.
    fn more(&mut self) -> io::Result<Option<&[u8]>>;

    /// Returns the number of secrets that were masked so far.
    fn masked(&self) -> u64 {
        0
    }
}

impl<R: Read> Chunks for Frames<R> {
    fn more(&mut self) -> io::Result<Option<&[u8]>> {
        Frames::more(self)
    }
}

/// The empty rest of a complete frame.
struct Nothing;

impl Chunks for Nothing {
    fn more(&mut self) -> io::Result<Option<&[u8]>> {
        Ok(None)
    }
}

/// The outcome for a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The message was passed on, shortened or not.
    Passed,
    /// The message broke off, and the client got an error instead.
    Failed,
}

/// Passes on a message that is too long for memory.
pub(super) fn message(
    proxy: &Proxy,
    start: &[u8],
    rest: &mut dyn Chunks,
    out: &mut dyn Write,
) -> io::Result<Fate> {
    let Some(rules) = proxy.rules() else { return unmasked(proxy, start, rest, out) };
    let mut masked = Masked { mask: Mask::new(rules), rest, is_over: false };
    let start = masked.mask.push(start).to_vec();
    unmasked(proxy, &start, &mut masked, out)
}

/// A source of bytes in chunks, with secrets masked.
struct Masked<'a> {
    mask: Mask,
    rest: &'a mut dyn Chunks,
    is_over: bool,
}

impl Chunks for Masked<'_> {
    fn more(&mut self) -> io::Result<Option<&[u8]>> {
        if self.is_over {
            return Ok(None);
        }
        Ok(Some(match self.rest.more()? {
            Some(more) => self.mask.push(more),
            None => {
                self.is_over = true;
                self.mask.end()
            }
        }))
    }

    fn masked(&self) -> u64 {
        self.mask.masked()
    }
}

fn unmasked(
    proxy: &Proxy,
    start: &[u8],
    rest: &mut dyn Chunks,
    out: &mut dyn Write,
) -> io::Result<Fate> {
    match proxy.long_result(start) {
        Some(result) => shortened(proxy, &result, start, rest, out),
        None => watched(proxy, start, rest, out),
    }
}

/// Shortens a result.
fn shortened(
    proxy: &Proxy,
    result: &LongResult,
    start: &[u8],
    rest: &mut dyn Chunks,
    out: &mut dyn Write,
) -> io::Result<Fate> {
    let mut rewriter = result.rewriter();
    let mut left = rewriter.push(start).err().map(<[u8]>::to_vec);
    while left.is_none()
        && let Some(more) = rest.more()?
    {
        left = rewriter.push(more).err().map(<[u8]>::to_vec);
    }
    rewriter.add_masked(rest.masked());
    if left.is_some() || !rewriter.is_done() || rewriter.is_too_much() {
        return broken(proxy, (result, rewriter), &left.unwrap_or_default(), rest, out);
    }
    let message = rewriter.message();
    let id = message.id.as_ref().filter(|_| !message.is_log());
    let asked = id.and_then(|id| proxy.pending().answered(id));
    let frame = match rewriter.finish() {
        Done::Same(frame) if asked == Some(PendingRequest::Tools) => {
            proxy.listed(&frame).unwrap_or(frame)
        }
        Done::Same(frame) | Done::Changed(frame) => frame,
    };
    out.write_all(&frame)?;
    Ok(Fate::Passed)
}

/// Passes on a message that is not a result, while it is JSON and does not turn out to be a result.
fn watched(
    proxy: &Proxy,
    start: &[u8],
    rest: &mut dyn Chunks,
    out: &mut dyn Write,
) -> io::Result<Fate> {
    let mut look = Look::default();
    let (mut chunk, mut written) = (start.to_vec(), 0);
    loop {
        look.push(&chunk);
        let message = look.message();
        if look.is_broken() || message.is_ambiguous || message.is_answer() && !proxy.passes(message)
        {
            break;
        }
        out.write_all(&chunk)?;
        written += chunk.len();
        let Some(more) = rest.more()? else {
            let id = message.id.as_ref().filter(|_| message.is_answer());
            id.inspect(|id| drop(proxy.pending().answered(id)));
            return Ok(Fate::Passed);
        };
        chunk = more.to_vec();
    }
    let len = written + chunk.len() + skip(rest)?;
    let message = look.message();
    let id = message.id.as_ref().filter(|_| message.method.is_none());
    match id.filter(|id| proxy.pending().answered(id).is_some()) {
        None => report(&format!("a message of {len} bytes that is not JSON or contradicts itself")),
        Some(id) => {
            if written > 0 {
                out.write_all(b"\n")?;
            }
            let words = "the server's answer is not JSON, or contradicts itself";
            out.write_all(error(Some(id), INTERNAL_ERROR, words).trim_ascii_end())?;
        }
    }
    Ok(Fate::Failed)
}

/// Sends an error for a result that is not JSON, or that has too much data besides text.
fn broken(
    proxy: &Proxy,
    (result, mut rewriter): (&LongResult, ResultRewriter<'_>),
    left: &[u8],
    rest: &mut dyn Chunks,
    out: &mut dyn Write,
) -> io::Result<Fate> {
    if rewriter.message().is_log() {
        let len = left.len() + skip(rest)?;
        report(&format!("{len} more bytes of a log message that is not JSON or too large"));
        return Ok(Fate::Failed);
    }
    let named = rewriter.message().id.clone();
    let is_too_much = rewriter.is_done() && rewriter.is_too_much();
    let mut held = Vec::new();
    if !rewriter.has_cut() {
        held = rewriter.give_up();
        rewriter = result.rewriter();
    }
    let mut ended = Ok(());
    let shown = rewriter.break_off(|push| {
        push(&held);
        push(left);
        ended = loop {
            match rest.more() {
                Ok(Some(more)) => push(more),
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
    });
    ended?;
    let mut pending = proxy.pending();
    let id = named.or_else(|| pending.only_call());
    id.as_ref().inspect(|id| drop(pending.answered(id)));
    drop(pending);
    let words = match is_too_much {
        true => too_much(&shown),
        false => {
            format!("the server's answer breaks off, or is not JSON. Its start:\n{shown}")
        }
    };
    out.write_all(error(id.as_ref(), INTERNAL_ERROR, &words).trim_ascii_end())?;
    Ok(if is_too_much { Fate::Passed } else { Fate::Failed })
}
