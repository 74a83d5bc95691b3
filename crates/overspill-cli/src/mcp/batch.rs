//! Passes on a JSON-RPC batch (a list of messages). Each message is treated as if it came alone.

use std::io::{self, Write};

use overspill::core::internal::json::JsonToken;

use super::frames::Frames;
use super::long::{Chunks, Fate, message, report};
use super::proxy::Proxy;
use super::walk::JsonWalk;

/// The largest number of bytes of strings between messages that the client gets. Such a string is
/// not a message, and no client reads it.
const MOST_BETWEEN: usize = 4_000;

/// Passes on a batch from the server to the client.
pub(super) fn pass_batch(
    proxy: &Proxy,
    start: &[u8],
    rest: &mut dyn Chunks,
    out: &mut dyn Write,
) -> io::Result<()> {
    // Only messages are masked. So no string between messages passes if masking is on.
    let text_left = if proxy.rules().is_some() { 0 } else { MOST_BETWEEN };
    let mut batch = Batch::new(start, rest, text_left);
    while batch.fill()? {
        if !batch.in_message {
            batch.take();
            out.write_all(&batch.between)?;
            if !batch.is_broken {
                continue;
            }
            // The answers before the broken text stay readable.
            out.write_all(if batch.expects_value { b"null]" } else { b"]" })?;
            return batch.skip("that are not JSON");
        }
        let mut next = BatchMessage { batch: &mut batch, ended: false };
        let mut start = Vec::new();
        while start.len() < Frames::<&[u8]>::HELD
            && let Some(more) = next.more()?
        {
            start.extend_from_slice(more);
        }
        if next.ended {
            out.write_all(proxy.server_says(&start).trim_ascii_end())?;
        } else if message(proxy, &start, &mut next, out)? == Fate::Failed {
            out.write_all(b"]")?;
            return batch.skip("after a broken message");
        }
    }
    Ok(())
}

/// A batch, and the current position in it.
struct Batch<'a> {
    from: &'a mut dyn Chunks,
    chunk: Vec<u8>,
    /// The end of the bytes that were taken.
    at: usize,
    /// The end of the bytes that were parsed.
    looked: usize,
    walk: JsonWalk,
    /// Tells whether the next bytes are part of a message.
    in_message: bool,
    /// Tells whether the text stopped being JSON, so that the end of a message is unknown.
    is_broken: bool,
    /// The bytes between messages from the last call of `take`, without long strings.
    between: Vec<u8>,
    /// The number of bytes of strings between messages that the client may still get.
    text_left: usize,
    /// Tells whether a comma or the first bracket came last, so that a value must follow.
    expects_value: bool,
}

impl<'a> Batch<'a> {
    fn new(start: &[u8], from: &'a mut dyn Chunks, text_left: usize) -> Batch<'a> {
        Batch {
            from,
            chunk: start.to_vec(),
            at: 0,
            looked: 0,
            walk: JsonWalk::default(),
            in_message: false,
            is_broken: false,
            between: Vec::new(),
            text_left,
            expects_value: false,
        }
    }

    /// Reads more bytes if none are left; tells whether bytes are available.
    fn fill(&mut self) -> io::Result<bool> {
        while self.at == self.chunk.len() {
            let Some(more) = self.from.more()? else { return Ok(false) };
            self.chunk.clear();
            self.chunk.extend_from_slice(more);
            (self.at, self.looked) = (0, 0);
        }
        Ok(true)
    }

    /// Drops the rest of the batch.
    fn skip(&mut self, why: &str) -> io::Result<()> {
        let mut dropped = self.chunk.len() - self.at;
        while let Some(more) = self.from.more()? {
            dropped += more.len();
        }
        if dropped > 1 {
            report(&format!("{dropped} bytes {why}, in a list of messages"));
        }
        Ok(())
    }

    /// Takes the available bytes up to the start or the end of a message. Returns their range.
    fn take(&mut self) -> std::ops::Range<usize> {
        let (start, was_in) = (self.at, self.in_message);
        self.between.clear();
        while !self.is_broken && self.looked < self.chunk.len() && self.in_message == was_in {
            let before = self.looked;
            let Ok(step) = self.walk.next(&self.chunk[before..]) else {
                self.is_broken = true;
                break;
            };
            self.looked += step.len;
            let is_edge = step.in_message && step.path.is_empty();
            match step.token {
                // The bracket belongs to the message, which is taken next.
                JsonToken::Open(b'{') if is_edge && !was_in => {
                    (self.in_message, self.expects_value) = (true, false);
                    self.at = before;
                    return start..before;
                }
                JsonToken::Close if is_edge && was_in => self.in_message = false,
                JsonToken::Text(_) if !was_in => {
                    if step.len > self.text_left {
                        self.text_left = 0;
                        continue;
                    }
                    self.text_left -= step.len;
                }
                _ => {}
            }
            if !was_in {
                let taken = &self.chunk[before..self.looked];
                self.between.extend_from_slice(taken);
                if let Some(last) = taken.trim_ascii_end().last() {
                    self.expects_value = b",[".contains(last);
                }
            }
        }
        // Takes the whole chunk of a broken message, but only parsed bytes between messages.
        self.at = if self.is_broken && was_in { self.chunk.len() } else { self.looked };
        start..self.at
    }
}

/// The next message of a batch.
struct BatchMessage<'a, 'b> {
    batch: &'a mut Batch<'b>,
    /// Tells whether the message is complete.
    ended: bool,
}

impl Chunks for BatchMessage<'_, '_> {
    fn more(&mut self) -> io::Result<Option<&[u8]>> {
        if self.ended || !self.batch.fill()? {
            return Ok(None);
        }
        let taken = self.batch.take();
        self.ended = !self.batch.in_message;
        Ok(Some(&self.batch.chunk[taken]))
    }
}
