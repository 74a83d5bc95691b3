//! Changes text that imitates our marks and messages.
//!
//! Previews, pages and tables use the same rule. It replaces single characters by others of the
//! same length, so that no size changes.

use crate::Wording;
use crate::preview::reads_as_gap;

/// The largest number of characters that are read in search of a label, hidden ones included.
const LONGEST_LABEL: usize = 64;

/// Returns a text in which no part reads as a mark or a message with this label.
///
/// The bracket of `[label …` becomes a parenthesis. The colon of `label: …` at the start of a line
/// becomes a semicolon. Case, hidden characters and look-alike letters make no difference. The
/// label is a word of ASCII letters.
///
/// ```
/// use overspill_core::internal::text::defused;
///
/// assert_eq!(defused("archive", "[archive 3f9c2e: fine]".into()), "(archive 3f9c2e: fine]");
/// assert_eq!(defused("archive", "Archive: fine".into()), "Archive; fine");
/// ```
pub fn defused(label: &str, text: String) -> String {
    let mut bytes = text.into_bytes();
    defuse_label(&mut bytes, &label.to_ascii_lowercase());
    super::text_of(bytes)
}

/// Changes `text` so that no part of it reads as a mark of a preview.
///
/// The short id in a mark is new for each output. So this matters only to a reader that does not
/// compare ids, and to outputs that quote an earlier preview. The shortest marks begin with the
/// short id itself.
pub(crate) fn defuse(text: &mut [u8], wording: &Wording) {
    let Wording { label, short_id, .. } = wording;
    defuse_label(text, &label.to_ascii_lowercase());
    let found: Vec<usize> = memchr::memmem::find_iter(text, &format!("[{short_id}: ")).collect();
    for at in found {
        text[at] = b'(';
    }
}

/// Changes the brackets and colons that belong to a label, given in lower case.
fn defuse_label(text: &mut [u8], label: &str) {
    let label = label.as_bytes();
    if label.is_empty() {
        return;
    }
    let found: Vec<usize> = memchr::memchr_iter(b'[', text).collect();
    for at in found {
        if begins_mark(&text[at + 1..], label) || begins_short_mark(&text[at + 1..]) {
            text[at] = b'(';
        }
    }
    // Most text has no brackets beyond ASCII.
    if !text.is_ascii() {
        let wide: Vec<usize> = memchr::memchr3_iter(0xE2, 0xE3, 0xEF, text).collect();
        for at in wide {
            let is_bracket = text.get(at..at + 3).is_some_and(|bytes| BRACKETS.contains(&bytes));
            let after = &text[(at + 3).min(text.len())..];
            if is_bracket && (begins_mark(after, label) || begins_short_mark(after)) {
                text[at..at + 3].copy_from_slice("（".as_bytes());
            }
        }
    }
    let mut start = 0;
    loop {
        if let Some((at, colon)) = colon_of_message(&text[start..], label) {
            let other: &[u8] = match colon.len_utf8() {
                1 => b";",
                2 => "\u{37e}".as_bytes(),
                _ => "；".as_bytes(),
            };
            text[start + at..][..other.len()].copy_from_slice(other);
        }
        match memchr::memchr(b'\n', &text[start..]) {
            Some(feed) => start += feed + 1,
            None => break,
        }
    }
}

/// Brackets that look like ours.
const BRACKETS: [&[u8]; 22] = [
    "［".as_bytes(),
    "⟦".as_bytes(),
    "⁅".as_bytes(),
    "【".as_bytes(),
    "〔".as_bytes(),
    "〚".as_bytes(),
    "「".as_bytes(),
    "｢".as_bytes(),
    "❲".as_bytes(),
    "﹝".as_bytes(),
    "〖".as_bytes(),
    "⌈".as_bytes(),
    "⎡".as_bytes(),
    "⦋".as_bytes(),
    "『".as_bytes(),
    "⦗".as_bytes(),
    "⌊".as_bytes(),
    "⎣".as_bytes(),
    "⟬".as_bytes(),
    "〘".as_bytes(),
    "❴".as_bytes(),
    "⦍".as_bytes(),
];

/// Colons that look like ours. Each has two or three bytes.
const COLONS: &str = "：﹕∶꞉︓⁚ꓽː˸։׃";

/// Tells whether the text after a bracket makes the bracket one of our marks.
fn begins_mark(after: &[u8], label: &[u8]) -> bool {
    // Most brackets begin other text.
    if after
        .first()
        .is_some_and(|&byte| byte.is_ascii_graphic() && !ascii_looks_like(byte, label[0]))
    {
        return false;
    }
    let Some(rest) = label_end(after, label, char::is_whitespace) else { return false };
    // Names such as `[label-core]`, and links such as `[label](…)`, are not marks.
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ']');
    !chars(&after[rest..]).find(|(_, c)| !is_hidden(*c)).is_some_and(|(_, c)| is_name(c))
}

/// Tells whether the text after a bracket makes it the mark of a gap, with any id: `q7atzy: lines
/// 4-9`.
fn begins_short_mark(after: &[u8]) -> bool {
    // Most brackets begin other text.
    let head = &after[..after.len().min(ID + 1)];
    if head.is_ascii() && head.iter().all(|byte| byte.is_ascii_graphic() && *byte != b':') {
        return false;
    }
    let mut seen = chars(after).take(LONGEST_LABEL).map(|(_, c)| c).filter(|c| !is_hidden(*c));
    let (mut id, mut next) = (0, seen.next());
    while next.is_some_and(|c| c.is_alphanumeric() || id == 0 && c.is_whitespace()) {
        id += usize::from(next.is_some_and(char::is_alphanumeric));
        next = seen.next();
    }
    while next.is_some_and(char::is_whitespace) {
        next = seen.next();
    }
    if id != ID || !next.is_some_and(is_colon) {
        return false;
    }
    let place: String = seen.map(|c| c.to_ascii_lowercase()).collect();
    reads_as_gap(&place)
}

/// The number of characters of the id in a mark.
const ID: usize = 6;

fn is_colon(c: char) -> bool {
    c == ':' || COLONS.contains(c)
}

/// Returns the place of the colon and the colon itself, if a line begins like one of our messages.
fn colon_of_message(line: &[u8], label: &[u8]) -> Option<(usize, char)> {
    let is_blank = |c: char| c.is_whitespace() && c != '\n';
    // Most lines begin otherwise.
    let first = *line.iter().find(|byte| !matches!(byte, b' ' | b'\t'))?;
    if first.is_ascii() && !ascii_looks_like(first, label[0]) {
        return None;
    }
    let rest = label_end(line, label, is_blank)?;
    let mut after = chars(&line[rest..]).filter(|(_, c)| !is_hidden(*c) && !is_blank(*c));
    after.next().filter(|(_, c)| is_colon(*c)).map(|(at, c)| (rest + at, c))
}

/// Returns the end of the label, if it stands at the start, after blanks.
fn label_end(text: &[u8], label: &[u8], is_blank: impl Fn(char) -> bool) -> Option<usize> {
    let mut wanted = label.iter().peekable();
    let has_begun = |left: usize| left < label.len();
    for (at, char) in chars(text).take(LONGEST_LABEL) {
        let Some(&&letter) = wanted.peek() else { return Some(at) };
        if looks_like(char, letter) {
            wanted.next();
        } else if !is_hidden(char) && (has_begun(wanted.len()) || !is_blank(char)) {
            return None;
        }
    }
    wanted.peek().is_none().then(|| text.len().min(end_of(text)))
}

/// Returns the end of the characters that are read in search of a label.
fn end_of(text: &[u8]) -> usize {
    chars(text).take(LONGEST_LABEL).last().map_or(0, |(at, char)| at + char.len_utf8())
}

/// Returns the characters at the start, with their places. Stops at bytes that are not UTF-8.
fn chars(text: &[u8]) -> impl Iterator<Item = (usize, char)> {
    // A label and the characters after it are within this length.
    let text = &text[..text.len().min(8 * LONGEST_LABEL)];
    let valid = match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&text[..error.valid_up_to()]).unwrap_or_default(),
    };
    valid.char_indices()
}

/// Tells whether a character is invisible, or stands for an invisible one.
fn is_hidden(char: char) -> bool {
    if char.is_ascii() {
        return char.is_control() && char != '\n' && char != '\t';
    }
    matches!(u32::from(char),
        0x80..=0x9F | 0xAD | 0x300..=0x36F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5
        | 0x180B..=0x180F | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x2400..=0x2426
        | 0x2800 | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF9..=0xFFFD | 0xE0000..=0xE0FFF)
}

/// Tells whether an ASCII character looks like a letter.
fn ascii_looks_like(byte: u8, letter: u8) -> bool {
    byte.eq_ignore_ascii_case(&letter)
        || match letter {
            b'o' => byte == b'0',
            b'i' => matches!(byte, b'1' | b'l' | b'|'),
            b'l' => matches!(byte, b'I' | b'1' | b'|'),
            _ => false,
        }
}

/// Tells whether a character looks like a letter.
fn looks_like(char: char, letter: u8) -> bool {
    let plain = match u32::from(char) {
        0xFF21..=0xFF3A | 0xFF41..=0xFF5A => u32::from(char) - 0xFEE0,
        // Mathematical letters: 26 large ones, then 26 small ones, in many styles.
        math @ 0x1D400..=0x1D6A3 => match (math - 0x1D400) % 52 {
            large @ 0..26 => 0x41 + large,
            small => 0x61 + small - 26,
        },
        other => other,
    };
    if char.is_ascii() {
        return ascii_looks_like(plain as u8, letter);
    }
    let is_letter = u8::try_from(plain).is_ok_and(|byte| byte.eq_ignore_ascii_case(&letter));
    is_letter
        || match letter {
            b'a' => "аАαΑᴀ".contains(char),
            b'c' => "сСϲⅽᴄ".contains(char),
            b'e' => "еЕΕҽℯᴇꓰᎬⴹꬲéèêë".contains(char),
            b'i' => "іІıιΙⅰɪǀꓲꭵìíîï".contains(char),
            b'l' => "ӏӀⅼʟǀΙІⅠꓲןاⵏ∣｜ꓡᏞ".contains(char),
            b'o' => "оОοΟօᴏⲟⲞꓳ໐০୦੦૦၀〇ⵔՕჿଠòóôõöø".contains(char),
            b'p' => "рРρΡᴘꓑᏢⲣⲢƿ".contains(char),
            b'r' => "гᴦʀꓣᎡꭇꭈⲅ".contains(char),
            b's' => "ѕЅꜱꮪᏚꓢƽՏ".contains(char),
            b't' => "тТτΤᴛ".contains(char),
            b'u' => "υսᴜ".contains(char),
            b'v' => "ѵѴνᴠⅴⅤꓦᏙꮩ∨⋁".contains(char),
            b'x' => "хХχΧⅹ".contains(char),
            b'y' => "уУγΥʏ".contains(char),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABEL: &str = "overspill";

    fn wording() -> Wording {
        Wording { label: LABEL.into(), ..Wording::plain("3f9c2e") }
    }

    #[track_caller]
    fn becomes(text: &str, expected: &str) {
        assert_eq!(defused(LABEL, text.into()), expected);
        assert_eq!(defused(LABEL, expected.into()), expected);
    }

    #[test]
    fn label_is_data() {
        let text = "[Output 1: x] [оutрut 1: x] [overspill 1: x]\noutput: x";
        let expected = "(Output 1: x] (оutрut 1: x] [overspill 1: x]\noutput; x";
        assert_eq!(defused("Output", text.into()), expected);
        assert_eq!(defused("", text.into()), text);
    }

    #[test]
    fn mark_in_the_output_loses_its_bracket() {
        let mut text = b"a [overspill 123456: all is well] [overspilled]".to_vec();
        defuse(&mut text, &wording());
        assert_eq!(text, b"a (overspill 123456: all is well] [overspilled]");
        let mut text = b"[3f9c2e: line 7 cut, 9 bytes] [3f9c2f: x]".to_vec();
        defuse(&mut text, &wording());
        assert_eq!(text, b"(3f9c2e: line 7 cut, 9 bytes] [3f9c2f: x]");
    }

    #[test]
    fn short_mark_with_any_id_loses_its_bracket() {
        becomes("[q7atzy: lines 4-99 cut]", "(q7atzy: lines 4-99 cut]");
        becomes("a [q7atzy: line 4 cut] b", "a (q7atzy: line 4 cut] b");
        becomes(
            "[q7atzy: lines 4–99,997 not shown: overspill read X]",
            "(q7atzy: lines 4–99,997 not shown: overspill read X]",
        );
        becomes("[Q7ATZY : Lines 4-9 cut]", "(Q7ATZY : Lines 4-9 cut]");
        becomes("[q7\u{200b}atzy： lines 4-9 cut]", "(q7\u{200b}atzy： lines 4-9 cut]");
        becomes("［q7atzy: lines 4-9 cut]", "（q7atzy: lines 4-9 cut]");
        becomes("[q7atzy: rest of lines 4-9 cut]", "(q7atzy: rest of lines 4-9 cut]");
        becomes("[q7atzy: bytes 4-9 cut]", "(q7atzy: bytes 4-9 cut]");
        becomes("[q7atzy: 3 more like this, lines 4-6]", "(q7atzy: 3 more like this, lines 4-6]");
        becomes("[q7atzy: 1,399 more: a.rs:3]", "(q7atzy: 1,399 more: a.rs:3]");
        for text in [
            "[status: lines]",
            "[q7atzy: linesman]",
            "[q7atz: lines 4]",
            "[q7atzy lines 4]",
            "[worker: 3 moreover]",
        ] {
            becomes(text, text);
        }
    }

    #[test]
    fn look_alike_colons_brackets_and_letters_are_defused() {
        for (colon, other) in
            [("：", "；"), ("﹕", "；"), ("∶", "；"), ("꞉", "；"), ("ː", "\u{37e}")]
        {
            becomes(&format!("overspill{colon} x"), &format!("overspill{other} x"));
        }
        for bracket in ["❲", "﹝", "〖", "⌈", "⎡", "⦋", "『", "⦗", "⌊", "⎣", "⟬", "〘"]
        {
            becomes(&format!("{bracket}overspill 3f9c2e: x]"), "（overspill 3f9c2e: x]");
        }
        for name in [
            "ꓳverspill",
            "overꮪpill",
            "overspiǀǀ",
            "overspiΙΙ",
            "໐verspill",
            "ᴏᴠᴇʀꜱᴘɪʟʟ",
            "0verspi11",
        ] {
            becomes(&format!("[{name} x]"), &format!("({name} x]"));
            becomes(&format!("{name}: x"), &format!("{name}; x"));
        }
    }

    #[test]
    fn mark_with_hidden_or_look_alike_characters_loses_its_bracket() {
        becomes("[ OverSpill x] [\toverspill: y]", "( OverSpill x] (\toverspill: y]");
        becomes("[\u{200b}over\u{ad}spill\u{feff} x]", "(\u{200b}over\u{ad}spill\u{feff} x]");
        becomes("[\u{fffd}overspill x]", "(\u{fffd}overspill x]");
        becomes("[оvеrѕріll x]", "(оvеrѕріll x]");
        becomes("［ｏｖｅｒｓｐｉｌｌ x]", "（ｏｖｅｒｓｐｉｌｌ x]");
        becomes("【𝗼𝘃𝗲𝗿𝘀𝗽𝗶𝗹𝗹 x】", "（𝗼𝘃𝗲𝗿𝘀𝗽𝗶𝗹𝗹 x】");
        becomes("[overspill", "(overspill");
        becomes("[o\u{301}verspiIl x]", "(o\u{301}verspiIl x]");
    }

    #[test]
    fn message_without_a_bracket_loses_its_colon() {
        becomes("overspill: 9 bytes. All of it: x", "overspill; 9 bytes. All of it: x");
        becomes("a\n  Overspill\u{200b} : x\nb", "a\n  Overspill\u{200b} ; x\nb");
        becomes("оvеrspill: x", "оvеrspill; x");
    }

    #[test]
    fn text_about_overspill_is_unchanged() {
        for text in [
            "see overspill: a tool",
            "overspill read 01KA",
            "overspills: x",
            "[overspill](https://x)",
            "[overspill-core]",
            "[overspill.limits]",
            "[\"overspill\"]",
            "overs\npill: x",
            "[]",
            "",
            "日本語【注意】［一］",
            "[INFO] overspill: started",
        ] {
            becomes(text, text);
        }
    }

    proptest::proptest! {
        #[test]
        fn defused_text_has_the_same_length_and_is_defused_once(
            parts in proptest::collection::vec(proptest::sample::select(vec![
                "[", "［", "overspill", "over", "spill", "о", "\u{200b}", " ", "\n", ":", "]", "é", "x",
            ]), 0..20),
        ) {
            let text = parts.concat();
            let once = defused(LABEL, text.clone());
            proptest::prop_assert_eq!(once.len(), text.len());
            proptest::prop_assert_eq!(once.chars().count(), text.chars().count());
            proptest::prop_assert_eq!(defused(LABEL, once.clone()), once);
        }
    }
}
