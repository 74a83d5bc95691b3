//! Foreign text in messages: escapes text from project files, paths and other users, so that it
//! cannot forge a message or control the terminal.

use overspill::internal::notice::defused;
use overspill::internal::settings::Warning;

/// The largest number of characters that the line of a warning can have.
const LONGEST_WARNING: usize = 200;
/// The largest number of characters that a key can have in a warning.
const LONGEST_KEY: usize = 40;
/// The smallest number of characters that a place gets beside a message.
const SHORTEST_PLACE: usize = 24;

/// The number of characters after the shown text in which a forged name can end.
const LONGEST_NAME: usize = 64;

/// The words in the place of a key, in warnings about a whole file.
const WHOLE_FILE: [&str; 3] = ["not read", "not TOML", "not JSON"];

/// Returns foreign text for one line: at most `most` characters, all of them visible.
///
/// Control characters, and characters that hide or reorder text, become `\n` or `\u{202e}`. A
/// forged `[overspill …` becomes `(overspill …` by [`defused`]. Escaping twice has the same result
/// as escaping once.
pub(crate) fn escaped(text: &str, most: usize) -> String {
    let mut line = String::new();
    let mut room = most;
    let text = defused(text.chars().take(most.saturating_add(LONGEST_NAME)).collect());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let piece = match c {
            '\n' | '\r' | '\t' | '\0' => c.escape_debug().to_string(),
            _ if is_hidden(c) => c.escape_unicode().to_string(),
            _ => c.to_string(),
        };
        let length = piece.chars().count();
        // Leave room for the ellipsis, unless the text ends here.
        let needed = if chars.as_str().is_empty() { length } else { length + 1 };
        if needed > room {
            // The ellipsis takes the room of the last character.
            line.push('…');
            return line;
        }
        room -= length;
        line.push_str(&piece);
    }
    line
}

/// Like [`escaped`], in quotation marks unless the text is a plain name or path.
fn quoted(text: &str, most: usize) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./*~+@%,=:".contains(c);
    if !text.is_empty() && text.chars().all(|c| plain(c) && !is_hidden(c)) {
        return escaped(text, most);
    }
    format!("\"{}\"", escaped(&text.replace('"', "'"), most.saturating_sub(2)))
}

/// Returns `text` quoted as one word for a shell.
pub(crate) fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns a warning on one line that begins with `before`.
pub(super) fn warning_line(before: &str, warning: &Warning) -> String {
    let is_ours = WHOLE_FILE.contains(&&*warning.key);
    let key = if is_ours { warning.key.clone() } else { quoted(&warning.key, LONGEST_KEY) };
    let taken = before.chars().count() + key.chars().count() + 2;
    let Some(place) = &warning.place else {
        let message = escaped(&warning.message, LONGEST_WARNING.saturating_sub(taken));
        return format!("{before}{key}: {message}");
    };
    let taken = taken + 2;
    let room = LONGEST_WARNING.saturating_sub(taken + SHORTEST_PLACE);
    let message = escaped(&warning.message, room);
    let place = ending(place, LONGEST_WARNING.saturating_sub(taken + message.chars().count()));
    format!("{before}{place}: {key}: {message}")
}

/// Returns a place. If it is too long, only its end, which has the file name and the line.
fn ending(place: &str, most: usize) -> String {
    let whole = escaped(place, usize::MAX);
    let length = whole.chars().count();
    if length <= most {
        return whole;
    }
    let cut = length - most.saturating_sub(1);
    format!("…{}", whole.chars().skip(cut).collect::<String>())
}

/// Tells whether a character is invisible, or changes how other characters look.
fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    // The standard library escapes control and format characters (among them all for direction and
    // width), unusual blanks, and characters that are private or not assigned. After a letter it
    // leaves combining marks, which names in many languages need.
    let pair: String = ['x', c].iter().collect();
    pair.escape_debug().nth(1) == Some('\\') || is_blank_letter(c)
}

/// Tells whether a character is a letter, a mark or a symbol without a visible form.
fn is_blank_letter(c: char) -> bool {
    matches!(u32::from(c),
        0x034F | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x2800 | 0x3164
        | 0xFE00..=0xFE0F | 0xFFA0 | 0xE0100..=0xE01EF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_text_shows_hidden_characters() {
        for (text, expected) in [
            ("plain é 日本 e\u{301}", "plain é 日本 e\u{301}"),
            ("a\nb\r\t\0", "a\\nb\\r\\t\\0"),
            ("\u{1b}[2J\u{7f}\u{9b}", "\\u{1b}[2J\\u{7f}\\u{9b}"),
            ("\u{202e}\u{2066}\u{200b}\u{feff}", "\\u{202e}\\u{2066}\\u{200b}\\u{feff}"),
            ("\u{ad}\u{2028}\u{e0041}\u{a0}", "\\u{ad}\\u{2028}\\u{e0041}\\u{a0}"),
            ("\u{3164}\u{fe0f}\u{34f}\u{e0100}", "\\u{3164}\\u{fe0f}\\u{34f}\\u{e0100}"),
            ("[overspill x] [tools] [slug]", "(overspill x] [tools] [slug]"),
            ("[ OverSpill [\noverspill", "( OverSpill (\\noverspill"),
            ("[\u{200b}overspill", "(\\u{200b}overspill"),
            ("[", "["),
        ] {
            assert_eq!(escaped(text, 200), expected);
            assert_eq!(escaped(expected, 200), expected);
        }
    }

    #[test]
    fn escaped_text_has_at_most_the_given_number_of_characters() {
        assert_eq!(escaped("abcd", 4), "abcd");
        assert_eq!(escaped("abcde", 4), "abc…");
        assert_eq!(escaped("ab\u{202e}", 9), "ab…");
        assert_eq!(escaped("ab\u{202e}", 10), "ab\\u{202e}");
        assert_eq!(escaped("日本語日本語", 3), "日本…");
    }

    #[test]
    fn quoted_text_has_quotation_marks_unless_it_is_a_plain_name() {
        assert_eq!(quoted("tools.my-tool.max_lines", 40), "tools.my-tool.max_lines");
        assert_eq!(quoted("/home/josé/x.toml:3", 40), "/home/josé/x.toml:3");
        assert_eq!(quoted("two words", 40), "\"two words\"");
        assert_eq!(quoted("a\"b", 40), "\"a'b\"");
        assert_eq!(quoted("", 40), "\"\"");
        assert_eq!(quoted("\u{3164}", 40), "\"\\u{3164}\"");
        assert_eq!(quoted(&"y ".repeat(99), 9).chars().count(), 9);
    }

    proptest::proptest! {
        #[test]
        fn warning_is_one_visible_line_of_at_most_200_characters(
            key in "\\PC{0,300}|.{0,300}", place in proptest::option::of(".{0,300}"), message in ".{0,300}",
        ) {
            let before = "warning: ";
            let line = warning_line(before, &Warning { key, place, message });
            proptest::prop_assert!(line.starts_with(before));
            proptest::prop_assert!(line.chars().count() <= 200, "{}", line.chars().count());
            proptest::prop_assert!(!line.chars().any(is_hidden), "{:?}", line);
        }
    }
}
