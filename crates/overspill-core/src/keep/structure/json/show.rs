//! Writes an outline as JSON within the limits.

use super::tree::{Node, NodeKind, NodeMark};
use super::{Outline, rank};
use crate::text::commas;
use crate::{Limits, Policy};

/// A value with more bytes than this is written over several lines.
const WIDTH: usize = 140;

/// The line limit below which all values are written on one line.
const FEW_LINES: u64 = 24;

/// The longest escape in a string: `\u` and four digits.
const LONGEST_ESCAPE: usize = 6;

impl Outline {
    /// Writes as many values as fit within `limits`. Returns `None` if not even the root fits.
    pub(crate) fn fit(&self, policy: &Policy, limits: &Limits) -> Option<String> {
        let most = limits.most_bytes().map_or(usize::MAX, |most| most as usize);
        let width = match limits.lines {
            Some(lines) if lines < FEW_LINES => usize::MAX,
            _ => WIDTH,
        };
        let write = |bar: u32| {
            let mut writer = Writer { outline: self, bar, width, most, out: Vec::new() };
            writer.value(0, 0);
            writer.out.push(b'\n');
            let exceeded = limits.exceeded_by(&writer.out, policy.lines, &policy.tokens);
            String::from_utf8(writer.out).ok().filter(|_| exceeded.is_none())
        };
        let mut best = None;
        let (mut low, mut high) = (0, self.highest + 1);
        while low < high {
            let bar = low.midpoint(high);
            match write(bar) {
                Some(text) => (best, low) = (Some(text), bar + 1),
                None => high = bar,
            }
        }
        best
    }

    fn text_of(&self, node: &Node) -> (&[u8], &[u8]) {
        let from = node.at as usize;
        let (name, text) = self.text[from..].split_at(node.name as usize);
        (name, &text[..(node.head + node.tail) as usize])
    }
}

/// A value that is shown, or a number of hidden values.
#[derive(Clone, Copy)]
enum Part {
    Value(usize),
    Gap { values: u64, failed: u64 },
}

/// A writer that shows the values up to the rank `bar`.
struct Writer<'a> {
    outline: &'a Outline,
    bar: u32,
    width: usize,
    /// The writer stops after this many bytes, because the text is over the limit.
    most: usize,
    out: Vec<u8>,
}

impl Writer<'_> {
    /// Writes a short value on one line, and a longer value over several lines.
    fn value(&mut self, at: usize, indent: usize) {
        let start = self.out.len();
        let line = memchr::memrchr(b'\n', &self.out).map_or(0, |feed| feed + 1);
        if !self.flat(at, line.saturating_add(self.width)) {
            self.out.truncate(start);
            self.tall(at, indent);
        }
    }

    /// Writes a value on one line. Returns `false` if the value does not fit before `end`.
    fn flat(&mut self, at: usize, end: usize) -> bool {
        let node = &self.outline.nodes[at];
        let (open, close) = match node.kind {
            NodeKind::Bare => {
                self.out.extend_from_slice(self.outline.text_of(node).1);
                return true;
            }
            NodeKind::Text => {
                self.string(at);
                return true;
            }
            NodeKind::Array => (b'[', b']'),
            NodeKind::Object => (b'{', b'}'),
        };
        self.out.push(open);
        let mut gaps = 0;
        for (index, part) in self.parts(at).into_iter().enumerate() {
            if index > 0 {
                self.out.push(b',');
            }
            let fits = match part {
                Part::Value(at) => {
                    self.name(at);
                    self.flat(at, end)
                }
                Part::Gap { values, failed } => {
                    gaps += 1;
                    self.gap(node.kind, gaps, values, failed);
                    true
                }
            };
            if !fits || self.out.len() > end.min(self.most) {
                return false;
            }
        }
        self.out.push(close);
        self.out.len() <= end
    }

    /// Writes an array or an object over several lines. Short items of an array share a line.
    fn tall(&mut self, at: usize, indent: usize) {
        let kind = self.outline.nodes[at].kind;
        self.out.push(if kind == NodeKind::Array { b'[' } else { b'{' });
        let parts = self.parts(at);
        if let [Part::Value(only)] = *parts
            && !self.is_leaf(parts[0])
        {
            // A single value needs no line of its own.
            self.name(only);
            self.value(only, indent);
            self.out.push(if kind == NodeKind::Array { b']' } else { b'}' });
            return;
        }
        let (mut gaps, mut before_is_short) = (0, false);
        for (index, part) in parts.into_iter().enumerate() {
            if self.out.len() > self.most {
                return;
            }
            if index > 0 {
                self.out.push(b',');
            }
            let is_short = kind == NodeKind::Array && self.is_leaf(part);
            if !(is_short && before_is_short && self.goes_on(part)) {
                self.break_line(indent + 1);
            }
            before_is_short = is_short;
            match part {
                Part::Value(at) => {
                    self.name(at);
                    self.value(at, indent + 1);
                }
                Part::Gap { values, failed } => {
                    gaps += 1;
                    self.gap(kind, gaps, values, failed);
                }
            }
        }
        self.break_line(indent);
        self.out.push(if kind == NodeKind::Array { b']' } else { b'}' });
    }

    fn is_leaf(&self, part: Part) -> bool {
        match part {
            Part::Value(at) => {
                matches!(self.outline.nodes[at].kind, NodeKind::Text | NodeKind::Bare)
            }
            Part::Gap { .. } => false,
        }
    }

    /// Tells whether a plain value fits on the current line.
    fn goes_on(&self, part: Part) -> bool {
        let Part::Value(at) = part else { return false };
        let line = memchr::memrchr(b'\n', &self.out).map_or(0, |feed| feed + 1);
        let node = &self.outline.nodes[at];
        let len = (node.head + node.tail) as usize + 2;
        self.out.len() - line + len < self.width
    }

    fn break_line(&mut self, indent: usize) {
        self.out.push(b'\n');
        self.out.resize(self.out.len() + indent, b' ');
    }

    fn name(&mut self, at: usize) {
        let (name, _) = self.outline.text_of(&self.outline.nodes[at]);
        if !name.is_empty() {
            self.out.extend_from_slice(name);
            self.out.push(b':');
        }
    }

    /// Writes the mark that says how many values are hidden.
    fn gap(&mut self, kind: NodeKind, nth: usize, values: u64, failed: u64) {
        let (count, s) = (commas(values), if values == 1 { "" } else { "s" });
        let failed = match failed {
            0 => String::new(),
            _ => format!(", {} with errors", commas(failed)),
        };
        let text = match (kind, nth) {
            (NodeKind::Object, 1) => format!("\"…\":\"{count} more key{s}{failed}\""),
            // Each mark in an object gets its own name, because most readers drop duplicate names.
            (NodeKind::Object, nth) => format!("\"…{nth}\":\"{count} more key{s}{failed}\""),
            _ => format!("\"… {count} more item{s}{failed} …\""),
        };
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Returns the shown values within a value, and the gaps between them.
    fn parts(&self, at: usize) -> Vec<Part> {
        let Outline { nodes, ranks, ends, .. } = self.outline;
        let parent = &nodes[at];
        let mut parts = Vec::new();
        let (mut next, mut failed) = (0, 0);
        let mut child = at + 1;
        let gap = |parts: &mut Vec<Part>, values: u64, failed: u64| {
            if values > 0 {
                parts.push(Part::Gap { values, failed });
            }
        };
        while child < ends[at] as usize {
            let node = &nodes[child];
            if ranks[child] <= self.bar {
                gap(&mut parts, node.index - next, node.failed_before - failed);
                parts.push(Part::Value(child));
                next = node.index + 1;
                failed = node.failed_before + u64::from(node.mark == NodeMark::Failed);
            }
            child = ends[child] as usize;
        }
        gap(&mut parts, parent.total - next, parent.failed - failed);
        parts
    }

    /// Writes a string, or its start and its end.
    fn string(&mut self, at: usize) {
        let node = &self.outline.nodes[at];
        let (_, text) = self.outline.text_of(node);
        let room = rank::room(self.outline.ranks[at], self.bar) as usize;
        self.out.push(b'"');
        let is_whole = text.len() as u64 == node.total;
        if is_whole && text.len() <= room + MARK {
            self.out.extend_from_slice(text);
        } else {
            let end = start_len(&text[..text.len().min(node.head as usize)], room - room / 3);
            let from = if is_whole { end } else { node.head as usize };
            let tail = &text[from..];
            let start = tail.len() - end_len(tail, room / 3);
            let hidden = node.total - end as u64 - (tail.len() - start) as u64;
            self.out.extend_from_slice(&text[..end]);
            let bytes = if hidden == 1 { "byte" } else { "bytes" };
            let mark = format!("… {} more {bytes} …", commas(hidden));
            self.out.extend_from_slice(mark.as_bytes());
            self.out.extend_from_slice(&tail[start..]);
        }
        self.out.push(b'"');
    }
}

/// The number of bytes of the mark in a string. Cutting fewer bytes would save nothing.
const MARK: usize = 32;

/// Returns the number of bytes at the start of a string that fit into `room` bytes with whole
/// escapes and characters.
fn start_len(text: &[u8], room: usize) -> usize {
    let (mut at, mut end) = (0, 0);
    while at < text.len() && at < room {
        at += match text[at..] {
            // Two escapes of this kind can be one character.
            [b'\\', b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', ..] => {
                2 * LONGEST_ESCAPE
            }
            [b'\\', b'u', ..] => LONGEST_ESCAPE,
            [b'\\', ..] => 2,
            [byte, ..] => (byte.leading_ones() as usize).clamp(1, 4),
            [] => 1,
        };
        if at <= room.min(text.len()) {
            end = at;
        }
    }
    end
}

/// Returns the number of bytes at the end of a string that fit into `room` bytes with whole escapes
/// and characters.
fn end_len(text: &[u8], room: usize) -> usize {
    let mut from = text.len().saturating_sub(room).max(LONGEST_ESCAPE);
    while from < text.len() {
        let before = &text[from - LONGEST_ESCAPE..from];
        let begins_escape = text[from] == b'\\' && text[from - 1] != b'\\';
        // A byte far enough after the last backslash is not part of an escape.
        let outside = !before.contains(&b'\\') && text[from] & 0xC0 != 0x80;
        if outside || begins_escape && !is_second_half(&text[from..]) {
            return text.len() - from;
        }
        from += 1;
    }
    0
}

/// Tells whether a text begins with the escape of a low surrogate, the second half of a character.
fn is_second_half(text: &[u8]) -> bool {
    matches!(text, [b'\\', b'u', b'd' | b'D', b'c'..=b'f' | b'C'..=b'F', ..])
}
