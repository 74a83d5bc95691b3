//! Several texts that are bounded as one, and each keeps its own share of what is shown.

use overspill_core::{Limits, Piece, PreviewItem, Span};

use crate::{Call, CallEnd, CallOptions, Outcome, Overspill, Spill, Spilled};

/// Takes texts one after the other, and bounds them together as if a line feed stood between them.
///
/// Takes an output as it is being written, so that a text of any size passes without being held.
#[derive(Debug)]
pub struct MultiText<'a> {
    spill: Spill<'a>,
    starts: Vec<TextStart>,
    end: TextStart,
}

/// Where a text begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TextStart {
    /// How many bytes stand before it.
    pub(crate) byte: u64,
    /// How many line feeds stand before it.
    pub(crate) feeds: u64,
}

impl TextStart {
    /// Returns where what follows `bytes` begins.
    pub(crate) fn after(self, bytes: &[u8]) -> TextStart {
        let feeds = bytecount::count(bytes, b'\n') as u64;
        TextStart { byte: self.byte + bytes.len() as u64, feeds: self.feeds + feeds }
    }
}

impl<'a> MultiText<'a> {
    /// Begins without any text.
    pub fn new(overspill: &'a Overspill, call: Call, options: CallOptions) -> MultiText<'a> {
        let spill = overspill.spill(call, options);
        MultiText { spill, starts: Vec::new(), end: TextStart::default() }
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
        self.spill.push(bytes);
        self.end = self.end.after(bytes);
    }

    /// Tells whether the texts are too large already, and being saved.
    pub fn is_over(&self) -> bool {
        self.spill.is_over()
    }

    /// Tightens the limits to a share of a budget, as [`CallOptions::share`] does from the start.
    pub fn share(&mut self, share: Limits) {
        self.spill.share(share);
    }

    /// Adds secrets that were masked before the texts came here to the number in the notice. The texts
    /// are masked here all the same.
    pub fn add_masked(&mut self, count: u64) {
        self.spill.add_masked(count);
    }

    /// Says that all of it came; returns what is shown of each text if together they are too large,
    /// or have secrets that are masked.
    ///
    /// A text of which nothing is shown has an empty share.
    pub fn finish(self) -> Option<(Outcome<'static>, Vec<String>)> {
        let MultiText { spill, starts, .. } = self;
        let spilled = match spill.finish(CallEnd::default()) {
            Outcome::Whole(_) => return None,
            Outcome::Masked(masked) => {
                let texts = apart(&masked.bytes, &starts);
                return Some((Outcome::Masked(masked), texts));
            }
            Outcome::Spilled(spilled) => spilled,
        };
        let shares = shares(&spilled, &starts).unwrap_or_else(|| {
            let mut all = vec![String::new(); starts.len().max(1)];
            all[0].clone_from(&spilled.text);
            all
        });
        Some((Outcome::Spilled(spilled), shares))
    }
}

/// Returns the texts that were joined.
fn apart(joined: &[u8], starts: &[TextStart]) -> Vec<String> {
    let ends = starts.iter().skip(1).map(|next| next.byte as usize - 1).chain([joined.len()]);
    let texts = starts.iter().zip(ends).map(|(start, end)| &joined[start.byte as usize..end]);
    texts.map(|text| String::from_utf8_lossy(text).into_owned()).collect()
}

/// Shares what is shown out among texts: each has its own pieces, marks stand where gaps begin, and
/// the first text that shows anything has the notice. `None` if there is no room for a notice.
pub(crate) fn shares(spilled: &Spilled, starts: &[TextStart]) -> Option<Vec<String>> {
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

/// Returns which text a byte belongs to; the line feed after a text belongs to it.
fn text_at(starts: &[TextStart], byte: u64) -> usize {
    starts.partition_point(|start| start.byte <= byte).saturating_sub(1)
}

/// Shares the text of one piece out among the texts it reaches over.
fn share_piece(
    mut rest: &str,
    piece: &Piece,
    span: &Span,
    starts: &[TextStart],
    shown: &mut [String],
) {
    // Cleaning keeps every line feed, so those between two texts can be found again by counting.
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

/// Adds a line of its own.
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
        let mut joined = MultiText::new(&overspill, Call::of("many"), CallOptions::default());
        for text in texts {
            joined.next_text();
            text.as_bytes().chunks(chunk).for_each(|chunk| joined.push(chunk));
        }
        let (Outcome::Spilled(spilled), shares) = joined.finish()? else { return None };
        let name = &spilled.saved.as_ref().unwrap().name;
        let stored = overspill.store().read(name, 0..u64::MAX).unwrap();
        Some((spilled, shares, stored))
    }

    #[test]
    fn texts_that_fit_together_are_left_alone() {
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
            assert!(shares[2].starts_with("line 1\n") && shares[2].contains("not shown"));
            assert!(shares[2].ends_with("line 5000\n"), "{:?}", shares[2]);
            assert_eq!(shares[3], "the\nlast");
            assert!(shares.concat().len() <= spilled.text.len());
        }
    }

    #[test]
    fn room_that_is_shared_late_is_as_much_as_if_it_had_been_known() {
        let overspill = Overspill::new(Profile::OWN, Memory::default());
        let share = Limits::NONE.bytes(4_000);
        for count in [100, 500, 5_000] {
            let long: String = (1..=count).map(|n| format!("line {n} of {count}\n")).collect();
            let early = CallOptions { share: Some(share), ..CallOptions::default() };
            let mut early = MultiText::new(&overspill, Call::of("many"), early);
            let mut late = MultiText::new(&overspill, Call::of("many"), CallOptions::default());
            for joined in [&mut early, &mut late] {
                joined.next_text();
                joined.push(long.as_bytes());
            }
            late.share(share);
            let shown = |joined: MultiText| {
                let (Outcome::Spilled(spilled), shares) = joined.finish()? else { return None };
                let saved =
                    overspill.store().read(&spilled.saved.as_ref().unwrap().name, 0..u64::MAX);
                assert_eq!(saved.unwrap(), long.as_bytes());
                let name = spilled.saved.as_ref().unwrap().name.clone();
                Some(shares.concat().replace(name.as_str(), "ID").replace(&name.token(), "TOKEN"))
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
