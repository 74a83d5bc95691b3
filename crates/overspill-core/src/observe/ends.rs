//! Keeps the start and the end of a text that streams by, and forgets the middle.

use crate::LineRule;
use crate::measure::size::breaks;
use crate::observe::collected::Extent;
use crate::text::mapped::MappedText;
use crate::text::{LONGEST_ERASURE, Sink, lines, nth_char_from_end};

/// The start and the end of the text that would be shown, in limited memory.
#[derive(Debug, Clone)]
pub(crate) struct Ends {
    extent: Extent,
    head: MappedText<'static>,
    /// A text that belongs to the head did not fit into it.
    head_overflowed: bool,
    /// The number of complete lines in the head.
    head_lines: u64,
    /// The length of the text of all lines before the current one.
    lines_before: u64,
    /// The length of the current line so far.
    line_len: u64,
    /// The end of the lines before the current one.
    tail: MappedText<'static>,
    /// The end of the current line, which may yet be overwritten.
    line: MappedText<'static>,
}

impl Ends {
    /// Starts at the start of a line, `at` bytes into the original.
    pub(crate) fn new(at: u64, extent: Extent) -> Ends {
        Ends {
            extent,
            head: MappedText::starting_at(at),
            head_overflowed: false,
            head_lines: 0,
            lines_before: 0,
            line_len: 0,
            tail: MappedText::starting_at(at),
            line: MappedText::starting_at(at),
        }
    }

    /// Tells whether no further text can change the head.
    pub(crate) fn head_is_settled(&self) -> bool {
        self.lines_before >= self.extent.head as u64 || self.head_lines >= self.extent.lines
    }

    /// Tells whether the head has the whole text.
    pub(crate) fn head_is_all(&self) -> bool {
        !self.head_overflowed
    }

    /// Returns the length of the text so far.
    pub(crate) fn len(&self) -> u64 {
        self.lines_before + self.line_len
    }

    /// Returns the length of the current line so far.
    pub(crate) fn line_len(&self) -> u64 {
        self.line_len
    }

    pub(crate) fn into_head(self) -> MappedText<'static> {
        self.head
    }

    fn into_tail(mut self) -> MappedText<'static> {
        self.join_line();
        self.tail
    }

    /// Returns both ends, the tail no longer than its extent, and whether the tail is the whole
    /// text.
    pub(crate) fn into_both(mut self) -> (MappedText<'static>, MappedText<'static>, bool) {
        let len = self.lines_before + self.line_len;
        let head = std::mem::take(&mut self.head);
        let extent = self.extent.tail;
        let lines = self.extent.lines;
        let mut tail = self.into_tail().last(extent);
        // Trimmed to an exact size, so that the chunks of the stream cannot change the choice.
        let from = lines::last_lines_start(tail.text(), lines, LineRule::Terminated);
        tail.drop_front(from.unwrap_or(0));
        let is_all = tail.len() as u64 == len;
        (head, tail, is_all)
    }

    /// Returns the number of bytes of `text` for which the head has room.
    fn room_in_head(&mut self, text: &[u8]) -> usize {
        let at = self.lines_before + self.line_len;
        // Text that did not fit leaves a hole. The head grows only without a hole.
        let goes_on = at == self.head.len() as u64 && self.head_lines < self.extent.lines;
        let room = self.extent.head.saturating_sub(self.head.len()).min(text.len());
        let mut taken = if goes_on { room } else { 0 };
        if self.extent.lines < u64::MAX && taken > 0 {
            let left = self.extent.lines - self.head_lines;
            let end = lines::first_lines_end(&text[..taken], left, LineRule::Terminated);
            taken = end.unwrap_or(taken);
            self.head_lines += breaks(&text[..taken], LineRule::Terminated, None);
        }
        self.head_overflowed |= taken < text.len();
        taken
    }

    /// Ends the current line and forgets text that no preview can show.
    fn end_line(&mut self) {
        self.join_line();
        self.line.clear();
        self.lines_before += self.line_len;
        self.line_len = 0;
    }

    /// Appends the current line to the lines before it.
    fn join_line(&mut self) {
        if self.line_len > self.line.len() as u64 {
            // The start of the line was forgotten, so no preview can show the lines before it.
            self.tail = std::mem::take(&mut self.line);
        } else {
            self.tail.append(&self.line);
        }
    }

    fn trim_tail(&mut self) {
        self.tail.keep_last(self.extent.tail);
        self.tail.keep_last_lines(self.extent.lines);
    }

    /// Removes overwritten text from the head, which may have room again.
    fn reopen_head(&mut self) {
        let len = self.lines_before + self.line_len;
        if len <= self.head.len() as u64 {
            self.head.truncate(len as usize);
            self.head_overflowed = false;
        }
    }

    fn line_extent(&self) -> usize {
        // Besides the text that may be shown, as much as backspaces may erase.
        self.extent.tail.saturating_add(4 * LONGEST_ERASURE as usize)
    }
}

impl Sink for Ends {
    fn keep(&mut self, at: u64, text: &[u8]) {
        let room = self.room_in_head(text);
        self.head.push(at, &text[..room]);

        let ended = memchr::memrchr(b'\n', text).map_or(0, |feed| feed + 1);
        if ended > 0 {
            self.end_line();
            self.lines_before += ended as u64;
            self.tail.push_last(at, &text[..ended], self.extent.tail);
            self.trim_tail();
        }
        let line = &text[ended..];
        self.line_len += line.len() as u64;
        let extent = self.line_extent();
        self.line.push_last(at + ended as u64, line, extent);
        self.line.keep_last(extent);
    }

    fn replace(&mut self, at: u64, len: u64, text: &str) {
        if self.room_in_head(text.as_bytes()) == text.len() {
            self.head.push_replaced(at, len, text);
        }
        self.line.push_replaced(at, len, text);
        self.line_len += text.len() as u64;
        if text == "\n" {
            self.end_line();
            self.trim_tail();
        } else {
            let extent = self.line_extent();
            self.line.keep_last(extent);
        }
    }

    fn restart_line(&mut self) {
        self.line.clear();
        self.line_len = 0;
        self.reopen_head();
    }

    fn erase(&mut self, chars: u64) {
        let kept = nth_char_from_end(self.line.text(), chars);
        self.line_len -= (self.line.len() - kept) as u64;
        self.line.truncate(kept);
        self.reopen_head();
    }
}
