//! The text as a terminal shows it, with the original positions. Colours and backspaces within a
//! secret do not hide it, because a preview is shown without them.

use std::ops::Range;

use overspill_core::internal::text::clean;

use super::context::Window;
use super::{Look, Secret};

const ESCAPE: u8 = 0x1b;
const BACKSPACE: u8 = 0x08;

/// The largest number of bytes of an escape sequence. A longer sequence counts as text.
const LONGEST_SEQUENCE: usize = 4200;

/// The text without the bytes that a terminal does not show.
pub(super) struct View {
    text: Vec<u8>,
    /// The original positions of the parts of `text`, in order.
    parts: Vec<Part>,
    /// The positions in `text` at which something is left out.
    gaps: Vec<usize>,
    /// The length of the original in bytes.
    end: usize,
}

struct Part {
    /// The position in `text` at which the part begins.
    at: usize,
    original: Range<usize>,
}

impl View {
    /// Returns the view of a text, or `None` if a terminal shows all of it, which is the usual
    /// case.
    pub(super) fn of(window: &[u8]) -> Option<View> {
        memchr::memchr2(ESCAPE, BACKSPACE, window)?;
        let mut view = View {
            text: Vec::with_capacity(window.len()),
            parts: Vec::new(),
            gaps: Vec::new(),
            end: window.len(),
        };
        let mut end = 0;
        for shown in clean(window).unchanged {
            let original = shown.start as usize..shown.end as usize;
            if original.start > end {
                view.gaps.push(view.text.len());
            }
            end = original.end;
            view.parts.push(Part { at: view.text.len(), original: original.clone() });
            view.text.extend_from_slice(&window[original]);
        }
        if end < window.len() {
            view.gaps.push(view.text.len());
        }
        Some(view)
    }

    /// Returns the view as a text to search.
    pub(super) fn window<'a>(&'a self, window: Window<'a>) -> Window<'a> {
        let (fresh, scan) = (self.shown_before(window.fresh), self.shown_before(window.scan));
        Window { text: &self.text, gaps: &self.gaps, fresh, scan, ..window }
    }

    /// Adds the secrets that were found in the view to those that were found in the original.
    pub(super) fn add(&self, found: Look, window: Window, look: &mut Look) {
        let mut pieces: Vec<Secret> =
            found.secrets.iter().flat_map(|secret| self.pieces(secret, window.text)).collect();
        pieces.sort_unstable_by_key(|piece| piece.bytes.start);
        // Some secrets are found in both.
        look.secrets.retain(|secret| {
            let next = pieces.partition_point(|piece| piece.bytes.start <= secret.bytes.start);
            pieces[..next].last().is_none_or(|piece| secret.bytes.end > piece.bytes.end)
        });
        look.secrets.extend(pieces);
        look.known = look.known.min(self.place(found.known).unwrap_or(self.end));
        look.resume = look.resume.min(self.place(found.resume).unwrap_or(self.end));
        if !window.is_all {
            look.known = look.known.min(unfinished(window.text).unwrap_or(self.end));
        }
        look.known = self.outside_gap(look.known);
    }

    /// Tells whether something is left out at the end.
    pub(super) fn ends_in_gap(&self) -> bool {
        self.gaps.last() == Some(&self.text.len())
    }

    /// Returns the number of last bytes that may be the first part of the beginning of a rule.
    pub(super) fn beginning(&self) -> usize {
        let len = super::beginning(&self.text);
        let first = self.text[self.text.len() - len..].first();
        // The colon of a prompt is shown at once, even if a sequence clears the line after it.
        let is_prompt = self.ends_in_gap() && first.is_some_and(u8::is_ascii_punctuation);
        if is_prompt { 0 } else { len }
    }

    /// Returns `place`, or the start of the gap in which it lies.
    fn outside_gap(&self, place: usize) -> usize {
        let next = self.parts.partition_point(|part| part.original.start < place);
        let start = self.parts[..next].last().map_or(0, |part| part.original.end);
        let end = self.parts.get(next).map_or(self.end, |part| part.original.start);
        if (start..end).contains(&place) { start } else { place }
    }

    /// Returns the number of shown bytes before `place` in the original.
    fn shown_before(&self, place: usize) -> usize {
        let next = self.parts.partition_point(|part| part.original.start < place);
        self.parts[..next]
            .last()
            .map_or(0, |part| part.at + place.min(part.original.end) - part.original.start)
    }

    /// Returns the original position of the byte at `at`.
    fn place(&self, at: usize) -> Option<usize> {
        let next = self.parts.partition_point(|part| part.at <= at);
        let part = self.parts[..next].last()?;
        let place = part.original.start + at - part.at;
        (place < part.original.end).then_some(place)
    }

    /// Returns the bytes of a secret without the sequences between them, but with the characters
    /// that backspaces took back: a letter that is printed twice is bold.
    fn pieces(&self, secret: &Secret, window: &[u8]) -> Vec<Secret> {
        let Some(start) = self.place(secret.start) else { return Vec::new() };
        let rule = self.place(secret.rule).unwrap_or(start);
        let mut pieces: Vec<Secret> = Vec::new();
        let mut end =
            secret.bytes.start.checked_sub(1).and_then(|at| self.place(at)).map(|at| at + 1);
        let first = self.parts.partition_point(|part| part.at <= secret.bytes.start).max(1) - 1;
        for part in &self.parts[first..] {
            if part.at >= secret.bytes.end {
                break;
            }
            let from = part.original.start + secret.bytes.start.saturating_sub(part.at);
            let to = part.original.end.min(part.original.start + secret.bytes.end - part.at);
            let from = match end {
                Some(end) if window[end..from].contains(&BACKSPACE) => end,
                _ => from,
            };
            pieces.push(Secret { rule, start, bytes: from..to });
            end = Some(to);
        }
        pieces
    }
}

/// Returns the start of a sequence that is not complete.
fn unfinished(window: &[u8]) -> Option<usize> {
    let from = memchr::memrchr(ESCAPE, window)?;
    if window.len() - from > LONGEST_SEQUENCE {
        return None;
    }
    // This letter ends a sequence or belongs to it. After a complete sequence it is shown.
    let probe = [&window[from..], b"m"].concat();
    let is_shown =
        clean(&probe).unchanged.last().is_some_and(|last| last.end == probe.len() as u64);
    (!is_shown).then_some(from)
}
