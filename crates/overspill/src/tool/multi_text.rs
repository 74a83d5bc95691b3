//! Shortens several texts as one output. Each text keeps its own share of the preview.

use std::borrow::Cow;

use overspill_core::{Keep, Limits, Piece, Policy, PreviewItem, Span};

use crate::engine::Output;
use crate::redact::Redacted;
use crate::{Call, CallEnd, CallOptions, Outcome, Overspill, Spill, Spilled};

/// Takes texts one after the other, and shortens them together as if a line feed stood between
/// them.
///
/// The texts stream by, so a text of any size needs little memory.
#[derive(Debug)]
pub struct MultiText<'a> {
    texts: Texts<'a>,
    starts: Vec<TextStart>,
    end: TextStart,
}

/// The joined texts.
#[derive(Debug)]
enum Texts<'a> {
    /// The texts are measured as they arrive.
    Stream(Box<Spill<'a>>),
    /// The texts are collected, because a strategy needs all of them at once.
    AtHand(Box<TextsAtHand<'a>>),
}

/// Texts that have passed the redactor.
#[derive(Debug)]
struct TextsAtHand<'a> {
    overspill: &'a Overspill,
    call: Call,
    options: CallOptions,
    end: CallEnd,
    redacted: Redacted<()>,
    joined: Vec<u8>,
}

/// The start of a text within the joined texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct TextStart {
    /// The number of bytes before the text.
    byte: u64,
    /// The number of line feeds before the text.
    feeds: u64,
}

impl TextStart {
    /// Returns the start of the text after `bytes`.
    fn after(self, bytes: &[u8]) -> TextStart {
        let feeds = bytecount::count(bytes, b'\n') as u64;
        TextStart { byte: self.byte + bytes.len() as u64, feeds: self.feeds + feeds }
    }
}

impl<'a> MultiText<'a> {
    /// Begins without any text.
    pub fn new(overspill: &'a Overspill, call: Call, options: CallOptions) -> MultiText<'a> {
        MultiText::of(Texts::Stream(Box::new(overspill.spill(call, options))))
    }

    /// Begins without any text. The texts are parts of a value that has passed the redactor.
    pub(super) fn at_hand(
        overspill: &'a Overspill,
        call: Call,
        (options, end): (CallOptions, CallEnd),
        redacted: Redacted<()>,
    ) -> MultiText<'a> {
        let joined = Vec::new();
        let texts = TextsAtHand { overspill, call, options, end, redacted, joined };
        MultiText::of(Texts::AtHand(Box::new(texts)))
    }

    fn of(texts: Texts<'a>) -> MultiText<'a> {
        MultiText { texts, starts: Vec::new(), end: TextStart::default() }
    }

    /// Begins the next text.
    pub fn next_text(&mut self) {
        if !self.starts.is_empty() {
            self.push(b"\n");
        }
        self.starts.push(self.end);
    }

    /// Adds to the text that was begun last.
    pub fn push(&mut self, bytes: &[u8]) {
        match &mut self.texts {
            Texts::Stream(spill) => spill.push(bytes),
            Texts::AtHand(texts) => texts.joined.extend_from_slice(bytes),
        }
        self.end = self.end.after(bytes);
    }

    /// Returns the policy for the texts.
    pub(super) fn policy(&self) -> Cow<'_, Policy> {
        match &self.texts {
            Texts::Stream(spill) => Cow::Borrowed(spill.policy()),
            Texts::AtHand(texts) => Cow::Owned(texts.overspill.policy(&texts.call, &texts.options)),
        }
    }

    /// Tells whether the texts are too large already.
    pub fn is_over(&self) -> bool {
        match &self.texts {
            Texts::Stream(spill) => spill.is_over(),
            Texts::AtHand(texts) => self.policy().fired_by(&texts.joined).is_some(),
        }
    }

    /// Lowers the limits after some of the texts have arrived.
    pub fn share(&mut self, share: Limits) {
        match &mut self.texts {
            Texts::Stream(spill) => spill.share(share),
            Texts::AtHand(texts) => texts.options.share = Some(share),
        }
    }

    /// Adds secrets that were masked before the texts came here to the number in the notice. The
    /// texts are masked here as well.
    pub fn add_masked(&mut self, count: u64) {
        if let Texts::Stream(spill) = &mut self.texts {
            spill.add_masked(count);
        }
    }

    /// Ends the texts. Returns the shown part of each text if together they are too large or have
    /// masked secrets.
    ///
    /// A text that is not shown has an empty share.
    pub fn finish(self) -> Option<(Outcome<'static>, Vec<String>)> {
        let (outcome, shares) = self.finish_shares()?;
        Some((outcome, shares.into_iter().map(Option::unwrap_or_default).collect()))
    }

    /// Ends the texts, and returns the shown parts as one text.
    pub(super) fn finish_text(self) -> String {
        let shown = |outcome: Outcome| String::from_utf8_lossy(outcome.bytes()).into_owned();
        match self.texts {
            Texts::Stream(spill) => shown(spill.finish(CallEnd::default())),
            Texts::AtHand(texts) => texts.finish().map_or_else(String::new, shown),
        }
    }

    /// Like [`MultiText::finish`]. A text that is not shown has no share.
    pub(super) fn finish_shares(self) -> Option<(Outcome<'static>, Vec<Option<String>>)> {
        let MultiText { texts, starts, end } = self;
        let outcome = match texts {
            Texts::Stream(spill) => spill.finish(CallEnd::default()),
            Texts::AtHand(texts) => texts.finish()?,
        };
        let shares = match &outcome {
            Outcome::Whole(_) => return None,
            Outcome::Masked(masked) => apart(&masked.bytes, &starts),
            Outcome::Spilled(spilled) => shares(spilled, &starts, end),
        };
        Some((outcome, shares))
    }
}

impl TextsAtHand<'_> {
    /// Returns the outcome for the texts, unless they are short.
    fn finish(self: Box<Self>) -> Option<Outcome<'static>> {
        let redacted = self.overspill.redact.joined(&self.redacted, &self.joined);
        let output = redacted.part(|bytes| Output::of(bytes));
        match self.overspill.shorten(&output, &self.call, &self.options, self.end) {
            Outcome::Whole(_) => None,
            // The value that the texts come from is masked already.
            Outcome::Masked(masked) if masked.count == self.redacted.count() => None,
            outcome => Some(outcome.into_owned()),
        }
    }
}

/// Splits joined texts.
fn apart(joined: &[u8], starts: &[TextStart]) -> Vec<Option<String>> {
    let ends = starts.iter().skip(1).map(|next| next.byte as usize - 1).chain([joined.len()]);
    let texts = starts.iter().zip(ends).map(|(start, end)| &joined[start.byte as usize..end]);
    texts.map(|text| Some(String::from_utf8_lossy(text).into_owned())).collect()
}

/// Divides a preview among the texts. Source systems that show whole lines divide lines; our own
/// preview divides its pieces. Any other preview goes to the first text.
fn shares(spilled: &Spilled, starts: &[TextStart], end: TextStart) -> Vec<Option<String>> {
    if let Some((preview, keep)) = spilled.walked() {
        return share_lines(spilled, preview, keep, starts, end);
    }
    if let Some(shares) = share_pieces(spilled, starts) {
        return shares.into_iter().map(|text| Some(text).filter(|text| !text.is_empty())).collect();
    }
    let mut all = vec![None; starts.len().max(1)];
    all[0] = Some(spilled.text.clone());
    all
}

/// Divides whole lines, from the kept end. The notice goes to the end of the last text that has a
/// share, or before the first text if the end is kept.
fn share_lines(
    spilled: &Spilled,
    preview: &str,
    keep: Keep,
    starts: &[TextStart],
    end: TextStart,
) -> Vec<Option<String>> {
    // The line feed after a text ends its last line. The last text has none.
    let ends = starts.iter().skip(1).map(|next| next.feeds).chain([end.feeds + 1]);
    let mut counts: Vec<u64> =
        starts.iter().zip(ends).map(|(start, end)| end - start.feeds).collect();
    let (mut left, from_end) = (spilled.shown.lines, keep.shows_only_the_end());
    let mut take = |count: &mut u64| {
        *count = left.min(*count);
        left -= *count;
    };
    if from_end {
        counts.iter_mut().rev().for_each(take)
    } else {
        counts.iter_mut().for_each(&mut take)
    }
    let mut lines = preview.split('\n');
    let mut texts: Vec<Option<String>> = counts
        .iter()
        .map(|&count| {
            let own: Vec<&str> = lines.by_ref().take(count as usize).collect();
            (count > 0).then(|| own.join("\n"))
        })
        .collect();
    let has_share = |text: &Option<String>| text.is_some();
    let at =
        if from_end { texts.iter().position(has_share) } else { texts.iter().rposition(has_share) };
    if let Some(text) = texts.get_mut(at.unwrap_or(0)) {
        let (shown, notice) = (text.take().unwrap_or_default(), &spilled.notice);
        *text = Some(match from_end {
            true => format!("{notice}\n\n{shown}"),
            false => format!("{shown}\n\n{notice}"),
        });
    }
    texts
}

/// Divides the pieces of our own preview: each text has its own pieces, marks stand at the
/// beginning of gaps, and the first text with a share has the notice. Returns `None` without room
/// for a notice.
fn share_pieces(spilled: &Spilled, starts: &[TextStart]) -> Option<Vec<String>> {
    let (cut, layout) = (spilled.cut.as_ref()?, spilled.layout.as_ref()?);
    let notice = spilled.notice_line()?;
    if starts.is_empty() {
        return None;
    }
    let mut shown = vec![String::new(); starts.len()];
    let mut pieces = cut.pieces.iter().zip(cut.spans());
    for item in &layout.items {
        match item {
            PreviewItem::Piece(place) => {
                let (piece, span) = pieces.next()?;
                share_piece(&spilled.text[place.clone()], piece, span, starts, &mut shown);
            }
            PreviewItem::Gap { span, mark } => {
                let mark = &spilled.text[mark.clone()];
                add_line(&mut shown[text_at(starts, span.bytes.start)], mark);
            }
        }
    }
    let first = shown.iter().position(|text| !text.is_empty()).unwrap_or(0);
    shown[first].insert_str(0, &format!("{notice}\n"));
    Some(shown)
}

/// Returns the index of the text that a byte belongs to. The line feed after a text belongs to it.
fn text_at(starts: &[TextStart], byte: u64) -> usize {
    starts.partition_point(|start| start.byte <= byte).saturating_sub(1)
}

/// Divides the text of one piece among the texts that it covers.
fn share_piece(
    mut rest: &str,
    piece: &Piece,
    span: &Span,
    starts: &[TextStart],
    shown: &mut [String],
) {
    // Cleaning keeps every line feed, so counting finds the line feeds between two texts.
    let mut feeds = span.first_line.saturating_sub(1);
    let first = text_at(starts, piece.bytes.start);
    for (text, share) in shown.iter_mut().enumerate().skip(first) {
        let next = starts.get(text + 1).filter(|next| next.byte <= piece.bytes.end);
        let joint = next.and_then(|next| {
            let within = next.feeds.checked_sub(feeds + 1)?;
            feeds = next.feeds;
            rest.match_indices('\n').nth(within as usize).map(|(at, _)| at)
        });
        let Some(joint) = joint else {
            share.push_str(rest);
            return;
        };
        share.push_str(&rest[..joint]);
        rest = &rest[joint + 1..];
    }
}

/// Adds a text as a line of its own.
fn add_line(text: &mut String, line: &str) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(line);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;
    use crate::store::Memory;

    fn joined(texts: &[&str], chunk: usize) -> Option<(Box<Spilled>, Vec<String>, Vec<u8>)> {
        let overspill = Overspill::new(Profile::OWN, Memory::default());
        let mut joined = MultiText::new(&overspill, Call::new("many"), CallOptions::default());
        for text in texts {
            joined.next_text();
            text.as_bytes().chunks(chunk).for_each(|chunk| joined.push(chunk));
        }
        let (Outcome::Spilled(spilled), shares) = joined.finish()? else { return None };
        let name = &spilled.saved.as_ref().unwrap().id;
        let stored = overspill.store().read(name, 0..u64::MAX).unwrap();
        Some((spilled, shares, stored))
    }

    #[test]
    fn short_texts_together_are_unchanged() {
        assert!(joined(&["one\n", "two"], 1).is_none());
        assert!(joined(&[], 1).is_none());
    }

    #[test]
    fn each_text_keeps_its_share_in_order() {
        let long: String = (1..=5000).map(|n| format!("line {n}\n")).collect();
        let texts = ["first\nof all", "", &long, "the\nlast"];
        for chunk in [1, 7, 100_000] {
            let (spilled, shares, stored) = joined(&texts, chunk).unwrap();
            assert_eq!(stored, texts.join("\n").into_bytes());
            assert!(shares[0].starts_with("[overspill ") && shares[0].ends_with("\nfirst\nof all"));
            assert_eq!(shares[1], "");
            assert!(shares[2].starts_with("line 1\n") && shares[2].contains("more like this"));
            assert!(shares[2].ends_with("line 5000\n"), "{:?}", shares[2]);
            assert_eq!(shares[3], "the\nlast");
            assert!(shares.concat().len() <= spilled.text.len());
        }
    }

    #[test]
    fn room_shared_late_equals_room_shared_early() {
        let overspill = Overspill::new(Profile::OWN, Memory::default());
        let share = Limits::NONE.bytes(4_000);
        for count in [100, 500, 5_000] {
            let long: String = (1..=count).map(|n| format!("line {n} of {count}\n")).collect();
            let early = CallOptions { share: Some(share), ..CallOptions::default() };
            let mut early = MultiText::new(&overspill, Call::new("many"), early);
            let mut late = MultiText::new(&overspill, Call::new("many"), CallOptions::default());
            for joined in [&mut early, &mut late] {
                joined.next_text();
                joined.push(long.as_bytes());
            }
            late.share(share);
            let shown = |joined: MultiText| {
                let (Outcome::Spilled(spilled), shares) = joined.finish()? else { return None };
                let saved =
                    overspill.store().read(&spilled.saved.as_ref().unwrap().id, 0..u64::MAX);
                assert_eq!(saved.unwrap(), long.as_bytes());
                let name = spilled.saved.as_ref().unwrap().id.clone();
                let text = shares.concat().replace(name.as_str(), "ID");
                Some(text.replace(&name.short_id(), "SHORT"))
            };
            let (early, late) = (shown(early), shown(late));
            assert!(late.as_ref().is_none_or(|text| text.len() <= 4_000));
            assert_eq!(early, late, "{count}");
        }
    }

    #[test]
    fn ten_thousand_texts_show_the_first_and_the_last() {
        let texts: Vec<String> = (0..10_000).map(|n| format!("text {n}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (_, shares, _) = joined(&texts, 50).unwrap();
        assert!(shares[0].ends_with("text 0"));
        assert_eq!(shares[1], "text 1");
        assert_eq!(shares[9_999], "text 9999");
        assert_eq!(shares[5_000], "");
        assert!(shares.iter().map(String::len).sum::<usize>() <= 51_200);
    }
}
