//! What a terminal shows of what has come, and where that stands: colours and backspaces within a
//! secret do not hide it, since a preview is shown without them.

use std::ops::Range;

use overspill_core::internal::text::clean;

use super::context::Came;
use super::{Look, Secret};

const ESCAPE: u8 = 0x1b;
const BACKSPACE: u8 = 0x08;

/// A sequence is not waited for any longer; one that never ends is text by then.
const LONGEST_SEQUENCE: usize = 4200;

/// Text without what a terminal does not show.
pub(super) struct View {
    text: Vec<u8>,
    /// Where the parts of it stand in what has come, in order.
    parts: Vec<Part>,
    /// Where in the text something is left out.
    gaps: Vec<usize>,
    /// How much has come.
    end: usize,
}

struct Part {
    /// Where in the text it begins.
    at: usize,
    original: Range<usize>,
}

impl View {
    /// Returns nothing where all is shown, which is most often so.
    pub(super) fn of(came: &[u8]) -> Option<View> {
        memchr::memchr2(ESCAPE, BACKSPACE, came)?;
        let mut view = View {
            text: Vec::with_capacity(came.len()),
            parts: Vec::new(),
            gaps: Vec::new(),
            end: came.len(),
        };
        let mut end = 0;
        for shown in clean(came).unchanged {
            let original = shown.start as usize..shown.end as usize;
            if original.start > end {
                view.gaps.push(view.text.len());
            }
            end = original.end;
            view.parts.push(Part { at: view.text.len(), original: original.clone() });
            view.text.extend_from_slice(&came[original]);
        }
        if end < came.len() {
            view.gaps.push(view.text.len());
        }
        Some(view)
    }

    /// Returns this as what has come.
    pub(super) fn came<'a>(&'a self, came: Came<'a>) -> Came<'a> {
        let (fresh, scan) = (self.shown_before(came.fresh), self.shown_before(came.scan));
        Came { text: &self.text, gaps: &self.gaps, fresh, scan, ..came }
    }

    /// Adds what was found in this to what was found in `came`.
    pub(super) fn add(&self, found: Look, came: Came, look: &mut Look) {
        let mut pieces: Vec<Secret> =
            found.secrets.iter().flat_map(|secret| self.pieces(secret, came.text)).collect();
        pieces.sort_unstable_by_key(|piece| piece.bytes.start);
        // Some are found both ways.
        look.secrets.retain(|secret| {
            let next = pieces.partition_point(|piece| piece.bytes.start <= secret.bytes.start);
            pieces[..next].last().is_none_or(|piece| secret.bytes.end > piece.bytes.end)
        });
        look.secrets.extend(pieces);
        look.known = look.known.min(self.place(found.known).unwrap_or(self.end));
        look.resume = look.resume.min(self.place(found.resume).unwrap_or(self.end));
        if !came.is_all {
            look.known = look.known.min(unfinished(came.text).unwrap_or(self.end));
        }
        look.known = self.outside_gap(look.known);
    }

    /// Tells whether something is left out at the end.
    pub(super) fn ends_in_gap(&self) -> bool {
        self.gaps.last() == Some(&self.text.len())
    }

    /// Returns how many of the last bytes may be the beginning of a beginning.
    pub(super) fn beginning(&self) -> usize {
        let len = super::beginning(&self.text);
        let first = self.text[self.text.len() - len..].first();
        // The colon of a prompt is shown at once, whatever clears the line after it.
        let is_prompt = self.ends_in_gap() && first.is_some_and(u8::is_ascii_punctuation);
        if is_prompt { 0 } else { len }
    }

    /// Returns `place`, or where that begins in which it lies and which is left out.
    fn outside_gap(&self, place: usize) -> usize {
        let next = self.parts.partition_point(|part| part.original.start < place);
        let start = self.parts[..next].last().map_or(0, |part| part.original.end);
        let end = self.parts.get(next).map_or(self.end, |part| part.original.start);
        if (start..end).contains(&place) { start } else { place }
    }

    /// Returns how much of what has come before `place` is shown.
    fn shown_before(&self, place: usize) -> usize {
        let next = self.parts.partition_point(|part| part.original.start < place);
        self.parts[..next]
            .last()
            .map_or(0, |part| part.at + place.min(part.original.end) - part.original.start)
    }

    /// Returns where the byte at `at` stands.
    fn place(&self, at: usize) -> Option<usize> {
        let next = self.parts.partition_point(|part| part.at <= at);
        let part = self.parts[..next].last()?;
        let place = part.original.start + at - part.at;
        (place < part.original.end).then_some(place)
    }

    /// Returns the bytes of a secret without the sequences between them, but with what backspaces
    /// took back: a letter that is printed twice is bold.
    fn pieces(&self, secret: &Secret, came: &[u8]) -> Vec<Secret> {
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
                Some(end) if came[end..from].contains(&BACKSPACE) => end,
                _ => from,
            };
            pieces.push(Secret { rule, start, bytes: from..to });
            end = Some(to);
        }
        pieces
    }
}

/// Returns where a sequence begins that is not complete.
fn unfinished(came: &[u8]) -> Option<usize> {
    let from = memchr::memrchr(ESCAPE, came)?;
    if came.len() - from > LONGEST_SEQUENCE {
        return None;
    }
    // Such a letter ends a sequence, or belongs to it; after one it is shown.
    let probe = [&came[from..], b"m"].concat();
    let is_shown =
        clean(&probe).unchanged.last().is_some_and(|last| last.end == probe.len() as u64);
    (!is_shown).then_some(from)
}
