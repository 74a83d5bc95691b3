//! Recognizes settings files: YAML with nested keys, TOML and INI with sections.

use super::line::ScoredLines;
use super::source;

/// A settings file has at least this many keys.
const FEWEST_KEYS: usize = 8;

/// In YAML, at least one key out of this many has other keys or items below it.
const NESTED: usize = 20;

/// TOML and INI have at least this many sections.
const FEWEST_SECTIONS: usize = 2;

/// In a settings file, at most one line out of this many has another form.
const OTHERS: usize = 10;

/// Tells whether the lines are a settings file.
pub(super) fn is_config(lines: &ScoredLines) -> bool {
    has_nested_keys(lines) || has_sections(lines)
}

/// Returns the lines without line numbers and blank lines.
fn texts(lines: &ScoredLines) -> impl Iterator<Item = &[u8]> {
    let texts = lines.lines.iter().map(|line| source::without_number(lines.text(line)));
    texts.map(<[u8]>::trim_ascii_end).filter(|text| !text.is_empty())
}

/// Tells whether the lines are YAML: keys with a value, or with keys and items below them.
fn has_nested_keys(lines: &ScoredLines) -> bool {
    let (mut keys, mut items, mut nests, mut others) = (0, 0, 0, 0);
    // The indent of the last key, and whether it has no value.
    let mut last: Option<(usize, bool)> = None;
    // The indent of a key whose value is the text of the next lines: `script: |`.
    let mut text_of: Option<usize> = None;
    for text in texts(lines) {
        let inner = text.trim_ascii_start();
        let indent = text.len() - inner.len();
        if text_of.is_some_and(|key| indent > key) || inner.starts_with(b"#") || inner == b"---" {
            continue;
        }
        text_of = None;
        let mut item = inner;
        while let Some(rest) = item.strip_prefix(b"- ") {
            item = rest.trim_ascii_start();
        }
        let is_item = item.len() < inner.len() || inner == b"-";
        let depth = text.len() - item.len();
        nests +=
            usize::from(last.is_some_and(|(key, is_bare)| is_bare && (indent > key || is_item)));
        match value_of_key(item) {
            Some(value) => {
                keys += 1;
                last = Some((depth, value.is_empty()));
                let is_text = matches!(value, [b'|' | b'>', ..]) && value.len() <= 3;
                text_of = is_text.then_some(depth);
            }
            None if is_item => items += 1,
            // A long value goes on in the next line.
            None if last.is_some_and(|(key, _)| indent > key) => {}
            None => {
                others += 1;
                if others * OTHERS > lines.lines.len() {
                    return false;
                }
            }
        }
    }
    keys >= FEWEST_KEYS && nests * NESTED >= keys && others * OTHERS <= keys + items
}

/// Returns the value of a key: `name: value`, `"name": value` or `name:`. Two blanks before the value
/// are a column of a table.
fn value_of_key(text: &[u8]) -> Option<&[u8]> {
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./$*<'\"".contains(byte);
    let name = text.iter().take_while(|byte| is_inside(byte)).count();
    let value = text[name..].strip_prefix(b":").filter(|_| name > 0)?;
    match value {
        [] => Some(value),
        [b' ', first, ..] if *first != b' ' => Some(&value[1..]),
        _ => None,
    }
}

/// Tells whether the lines are TOML or INI: sections in brackets, and values of names.
fn has_sections(lines: &ScoredLines) -> bool {
    let (mut sections, mut keys, mut others) = (0, 0, 0);
    // The end of a value of several lines.
    let mut open: Option<&[u8]> = None;
    for text in texts(lines).map(<[u8]>::trim_ascii_start) {
        if let Some(end) = open {
            open = open.filter(|_| !(text.starts_with(end) || text.ends_with(end)));
            continue;
        }
        if matches!(text[0], b'#' | b';') {
            continue;
        }
        if is_section(text) {
            sections += 1;
        } else if let Some(value) = value_of_name(text) {
            keys += 1;
            open = match value {
                [b'[', rest @ ..] if !rest.ends_with(b"]") => Some(b"]"),
                [b'"', b'"', b'"', rest @ ..] if !rest.ends_with(b"\"\"\"") => Some(b"\"\"\""),
                [b'\'', b'\'', b'\'', rest @ ..] if !rest.ends_with(b"'''") => Some(b"'''"),
                _ => None,
            };
        } else {
            others += 1;
            if others * OTHERS > lines.lines.len() {
                return false;
            }
        }
    }
    sections >= FEWEST_SECTIONS && keys >= sections.max(FEWEST_KEYS) && others * OTHERS <= keys
}

/// Tells whether a line is the heading of a section: `[name]`, `[[name]]`, `[remote "origin"]`.
fn is_section(text: &[u8]) -> bool {
    let Some(name) = text.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]")) else {
        return false;
    };
    let has_quotes = name.contains(&b'"') || name.contains(&b'\'');
    !name.is_empty() && (has_quotes || !name.contains(&b' '))
}

/// Returns the value of a name: `name = value`, `name=value`.
fn value_of_name(text: &[u8]) -> Option<&[u8]> {
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.\"'".contains(byte);
    let name = text.iter().take_while(|byte| is_inside(byte)).count();
    let rest = text[name..].trim_ascii_start();
    rest.strip_prefix(b"=").filter(|_| name > 0).map(<[u8]>::trim_ascii_start)
}
