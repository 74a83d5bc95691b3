//! Passes on a frame of the server that is too long to be held: what is a result is cut, the rest goes
//! as it comes.

use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::{MutexGuard, PoisonError};

use super::answers::{INTERNAL_ERROR, error, too_much};
use super::frames::Frames;
use super::mask::Mask;
use super::pending::PendingRequest;
use super::proxy::Proxy;
use super::rewrite::{Done, Refused, ResultRewriter};
use super::stdio::Out;
use super::walk::JsonWalk;
use overspill::core::internal::json::JsonToken;

/// Passes on the frame that begins with `start`; the rest of it is in `frames`.
pub(super) fn pass(
    proxy: &Proxy,
    start: &[u8],
    frames: &mut Frames<impl Read>,
    out: &Out,
) -> io::Result<()> {
    let mut out = Held { out, taken: None, last: 0 };
    if start.trim_ascii_start().starts_with(b"[") {
        list(proxy, start, frames, &mut out)?;
    } else {
        message(proxy, start, frames, &mut out)?;
    }
    // The last words of a server that was interrupted end where they end.
    if out.last != b'\n' {
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// The output, taken when there is something to write and then held until the frame has ended: as long
/// as a result is only being cut, others may be answered.
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

/// Something that comes in chunks.
trait Chunks {
    /// Returns the next one; nothing at the end.
    fn more(&mut self) -> io::Result<Option<&[u8]>>;

    /// Returns how many secrets are masked in what came.
    fn masked(&self) -> u64 {
        0
    }
}

impl<R: Read> Chunks for Frames<R> {
    fn more(&mut self) -> io::Result<Option<&[u8]>> {
        Frames::more(self)
    }
}

/// What became of a message.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    /// It was passed on, cut or not.
    Passed,
    /// It broke off, and an error took its place.
    Failed,
}

/// Passes on a message that is too long to be held.
fn message(
    proxy: &Proxy,
    start: &[u8],
    rest: &mut dyn Chunks,
    out: &mut dyn Write,
) -> io::Result<Fate> {
    let Some(rules) = proxy.rules() else { return result(proxy, start, rest, out) };
    let mut masked = Masked { mask: Mask::new(rules), rest, is_over: false };
    let start = masked.mask.push(start).to_vec();
    result(proxy, &start, &mut masked, out)
}

/// Something that comes in chunks, with its secrets masked.
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

/// Passes on a message that may be a result.
fn result(
    proxy: &Proxy,
    start: &[u8],
    rest: &mut dyn Chunks,
    out: &mut dyn Write,
) -> io::Result<Fate> {
    let Some(result) = proxy.long_result(start) else { return as_it_is(start, rest, out) };
    let mut rewriter = result.rewriter();
    let mut taken = rewriter.push(start).map_err(Refused::held);
    loop {
        match taken {
            Ok(()) => {}
            Err(Refused::NotJson(left)) if rewriter.has_cut() => {
                return broken(proxy, rewriter, &left, rest, out);
            }
            Err(Refused::NotJson(left)) => {
                out.write_all(&rewriter.give_up())?;
                return as_it_is(&left, rest, out);
            }
            Err(Refused::TooMuch(left)) => {
                let id = rewriter.message().id.clone();
                rewriter.add_masked(rest.masked());
                out.write_all(&done(rewriter.finish()))?;
                as_it_is(&left, rest, out)?;
                id.inspect(|id| drop(proxy.pending().answered(id)));
                return Ok(Fate::Passed);
            }
        }
        if rewriter.message().method.is_some() && !rewriter.has_cut() {
            out.write_all(&rewriter.give_up())?;
            return as_it_is(b"", rest, out);
        }
        match rest.more()? {
            Some(more) => taken = rewriter.push(more).map_err(Refused::held),
            None => break,
        }
    }
    if !rewriter.is_done() {
        // The server ended in the middle of it.
        if rewriter.has_cut() {
            return broken(proxy, rewriter, b"", rest, out);
        }
        out.write_all(&rewriter.give_up())?;
        return Ok(Fate::Passed);
    }
    if rewriter.is_too_much() {
        rewriter.add_masked(rest.masked());
        return broken(proxy, rewriter, b"", rest, out);
    }
    let asked = rewriter.message().id.as_ref().and_then(|id| proxy.pending().answered(id));
    rewriter.add_masked(rest.masked());
    let frame = match rewriter.finish() {
        Done::Same(frame) if asked == Some(PendingRequest::Tools) => {
            proxy.listed(&frame).unwrap_or(frame)
        }
        finished => done(finished),
    };
    out.write_all(&frame)?;
    Ok(Fate::Passed)
}

fn done(done: Done) -> Vec<u8> {
    match done {
        Done::Same(frame) | Done::Changed(frame) => frame,
    }
}

fn as_it_is(start: &[u8], rest: &mut dyn Chunks, out: &mut dyn Write) -> io::Result<Fate> {
    out.write_all(start)?;
    while let Some(more) = rest.more()? {
        out.write_all(more)?;
    }
    Ok(Fate::Passed)
}

/// Answers for a result that has too much beside text, or that is not JSON from here on and of which
/// something is left out already.
fn broken(
    proxy: &Proxy,
    rewriter: ResultRewriter<'_>,
    left: &[u8],
    rest: &mut dyn Chunks,
    out: &mut dyn Write,
) -> io::Result<Fate> {
    let named = rewriter.message().id.clone();
    let is_too_much = rewriter.is_done() && rewriter.is_too_much();
    let mut ended = Ok(());
    let shown = rewriter.break_off(|push| {
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
            format!("the server's answer breaks off, or is not JSON; what came of it:\n{shown}")
        }
    };
    out.write_all(error(id.as_ref(), INTERNAL_ERROR, &words).trim_ascii_end())?;
    Ok(if is_too_much { Fate::Passed } else { Fate::Failed })
}

/// Passes on a list of messages, each as if it came by itself.
fn list(proxy: &Proxy, start: &[u8], rest: &mut dyn Chunks, out: &mut dyn Write) -> io::Result<()> {
    let mut list = List::new(start, rest);
    while list.fill()? {
        if !list.in_message {
            let between = list.take();
            out.write_all(&list.chunk[between])?;
            continue;
        }
        let mut item = Item { list: &mut list, ended: false };
        let mut start = Vec::new();
        while start.len() < Frames::<&[u8]>::HELD
            && let Some(more) = item.more()?
        {
            start.extend_from_slice(more);
        }
        if item.ended {
            out.write_all(proxy.server_says(&start).trim_ascii_end())?;
        } else if message(proxy, &start, &mut item, out)? == Fate::Failed {
            out.write_all(b"]")?;
        }
    }
    Ok(())
}

/// A list of messages, and where in it we are.
struct List<'a> {
    from: &'a mut dyn Chunks,
    chunk: Vec<u8>,
    /// Up to here it was taken, and up to here it was looked at.
    at: usize,
    looked: usize,
    walk: JsonWalk,
    /// What is at hand next is part of a message.
    in_message: bool,
    /// From here on it is not JSON, and nobody knows where a message ends.
    is_broken: bool,
}

impl<'a> List<'a> {
    fn new(start: &[u8], from: &'a mut dyn Chunks) -> List<'a> {
        List {
            from,
            chunk: start.to_vec(),
            at: 0,
            looked: 0,
            walk: JsonWalk::default(),
            in_message: false,
            is_broken: false,
        }
    }

    /// Sees to it that there is something at hand; tells whether there is.
    fn fill(&mut self) -> io::Result<bool> {
        while self.at == self.chunk.len() {
            let Some(more) = self.from.more()? else { return Ok(false) };
            self.chunk.clear();
            self.chunk.extend_from_slice(more);
            (self.at, self.looked) = (0, 0);
        }
        Ok(true)
    }

    /// Takes what is at hand up to where a message begins or ends.
    fn take(&mut self) -> Range<usize> {
        let (start, was_in) = (self.at, self.in_message);
        while !self.is_broken && self.looked < self.chunk.len() && self.in_message == was_in {
            let before = self.looked;
            let Ok(step) = self.walk.next(&self.chunk[before..]) else {
                self.is_broken = true;
                break;
            };
            self.looked += step.len;
            let is_edge = step.in_message && step.path.is_empty();
            match step.token {
                // The bracket is a part of what is taken next.
                JsonToken::Open(b'{') if is_edge && !was_in => {
                    self.in_message = true;
                    self.at = before;
                    return start..before;
                }
                JsonToken::Close if is_edge && was_in => self.in_message = false,
                _ => {}
            }
        }
        self.at = if self.is_broken { self.chunk.len() } else { self.looked };
        start..self.at
    }
}

/// The message of a list that is next.
struct Item<'a, 'b> {
    list: &'a mut List<'b>,
    /// All of it has come.
    ended: bool,
}

impl Chunks for Item<'_, '_> {
    fn more(&mut self) -> io::Result<Option<&[u8]>> {
        if self.ended || !self.list.fill()? {
            return Ok(None);
        }
        let taken = self.list.take();
        self.ended = !self.list.in_message;
        Ok(Some(&self.list.chunk[taken]))
    }
}
