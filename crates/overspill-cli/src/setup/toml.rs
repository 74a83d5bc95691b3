//! Sets and removes a string in the text of a TOML file. All other bytes stay.

use std::ops::Range;

use toml_edit::{Document, Item, TableLike};

use crate::settings::edit;

/// Returns the string at `path`, if there is one.
pub(super) fn string_at(text: &str, path: &[&str]) -> Result<Option<String>, String> {
    let document = edit::parse(text)?;
    Ok(item_at(&document, path).and_then(Item::as_str).map(str::to_owned))
}

/// Returns the text of the value at `path`, as the file has it.
pub(super) fn written_at<'a>(text: &'a str, path: &[&str]) -> Option<&'a str> {
    let document = edit::parse(text).ok()?;
    text.get(item_at(&document, path)?.span()?)
}

/// Returns `text` with this string at `path`.
pub(super) fn set(text: &str, path: &[&str], value: &str) -> Result<String, String> {
    let Some((name, way)) = path.split_last() else { return Ok(text.to_owned()) };
    let document = edit::parse(text)?;
    let written = toml_edit::Value::from(value);
    if let Some(span) = item_at(&document, path).and_then(Item::span) {
        return Ok(edit::spliced(text, span, written.to_string().trim()));
    }
    let added = edit::added(text, way, name, &written)?;
    let line = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { line };
    let apart = if text.trim().is_empty() { "" } else { line };
    let appended = format!("{text}{end}{apart}[{}]{line}{name} = {written}{line}", way.join("."));
    let is_right = |new: &String| {
        is_insertion(text, new)
            && string_at(new, path).is_ok_and(|found| found.as_deref() == Some(value))
    };
    let is_new = way.first().is_none_or(|name| item_at(&document, &[name]).is_none());
    let ways = if is_new { [appended, added] } else { [added, appended] };
    let new = ways.into_iter().find(is_right);
    new.ok_or_else(|| "it is written in a way that we cannot change".into())
}

/// Returns `text` with the value at `path` replaced by the text `written`.
pub(super) fn replaced(text: &str, path: &[&str], written: &str) -> Result<String, String> {
    let document = edit::parse(text)?;
    let span = item_at(&document, path).and_then(Item::span);
    Ok(span.map_or_else(|| text.to_owned(), |span| edit::spliced(text, span, written)))
}

/// Returns `text` without the value at `path`, and without tables around it that are empty then and
/// did not exist before.
pub(super) fn without(text: &str, path: &[&str], before: Option<&str>) -> Result<String, String> {
    let mut text = match place_of(&edit::parse(text)?, text, path) {
        Some(place) => edit::spliced(text, place, ""),
        None => return Ok(text.to_owned()),
    };
    let before = before.and_then(|before| edit::parse(before).ok());
    for depth in (1..path.len()).rev() {
        let way = &path[..depth];
        if before.as_ref().is_some_and(|before| item_at(before, way).is_some()) {
            break;
        }
        let document = edit::parse(&text)?;
        let table = item_at(&document, way).and_then(Item::as_table_like);
        if !table.is_some_and(TableLike::is_empty) {
            break;
        }
        let Some(place) = place_of(&document, &text, way) else { break };
        text = edit::spliced(&text, place, "");
    }
    edit::parse(&text)?;
    Ok(text)
}

fn item_at<'a>(document: &'a Document<&str>, path: &[&str]) -> Option<&'a Item> {
    path.iter().try_fold(document.as_item(), |item, name| item.get(name))
}

/// Returns the range of the key at `path` in bytes, with its value and its separator.
fn place_of(document: &Document<&str>, text: &str, path: &[&str]) -> Option<Range<usize>> {
    let (name, way) = path.split_last()?;
    let parent = item_at(document, way)?;
    let (key, item) = parent.as_table_like()?.get_key_value(name)?;
    if let Some(table) = item.as_table() {
        // Only a header has its own line; dotted keys are removed with their value.
        return (!table.is_implicit() && !table.is_dotted())
            .then(|| header(text, table.span()?))?;
    }
    let own = key.span()?.start..item.span()?.end;
    if !parent.is_inline_table() {
        return Some(statement(text, own));
    }
    let places = parent.as_table_like()?.iter().filter_map(|(name, item)| {
        let (key, _) = parent.as_table_like()?.get_key_value(name)?;
        Some(key.span()?.start..item.span()?.end)
    });
    let mut places: Vec<Range<usize>> = places.collect();
    places.sort_by_key(|place| place.start);
    let index = places.iter().position(|place| *place == own)?;
    Some(match (index.checked_sub(1), places.get(index + 1)) {
        (Some(before), _) => places[before].end..own.end,
        (None, Some(next)) => own.start..next.start,
        (None, None) => own,
    })
}

/// Returns the whole line of a key and its value. A comment after the value stays.
fn statement(text: &str, own: Range<usize>) -> Range<usize> {
    let start = text[..own.start].rfind('\n').map_or(0, |at| at + 1);
    // The byte order mark at the start of a file does not belong to its first line.
    let start = if text[start..].starts_with('\u{feff}') { start + 3 } else { start };
    let rest = text[own.end..].split_inclusive('\n').next().unwrap_or_default();
    if rest.trim().is_empty() { start..own.end + rest.len() } else { start..own.end }
}

/// Returns the line of a header, with an empty line before it.
fn header(text: &str, span: Range<usize>) -> Option<Range<usize>> {
    let line = statement(text, span.clone());
    let before = text.get(..line.start)?;
    let blank = before.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    let blank = blank.filter(|text| text.is_empty() || text.ends_with('\n'));
    Some(blank.map_or(line.start, str::len)..line.end)
}

/// Tells whether `new` is `old` with an insertion at one place.
fn is_insertion(old: &str, new: &str) -> bool {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    new.len() >= old.len() && start + end >= old.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: [&str; 3] = ["policy", "set", "NAME"];

    #[track_caller]
    fn check(text: &str, with: &str) {
        assert_eq!(set(text, &PATH, "v").as_deref(), Ok(with), "{text}");
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        let back = without(with, &PATH, Some(text)).unwrap();
        assert_eq!(squeezed(&back), squeezed(text), "{with}");
    }

    #[test]
    fn toml_string_is_set_and_removed_exactly() {
        check("", "[policy.set]\nNAME = \"v\"\n");
        check("a = 1", "a = 1\n\n[policy.set]\nNAME = \"v\"\n");
        check("a = 1\r\nb = 2\n", "a = 1\r\nb = 2\n\r\n[policy.set]\r\nNAME = \"v\"\r\n");
        check("[policy.set]\n# none\n", "[policy.set]\nNAME = \"v\"\n# none\n");
        check("[policy]\nset = {}\n", "[policy]\nset = { NAME = \"v\" }\n");
        check("[policy]\nset = {A = 1}\n", "[policy]\nset = {A = 1, NAME = \"v\" }\n");
        check("policy.set.A = 1\n", "policy.set.A = 1\npolicy.set.NAME = \"v\"\n");
    }

    #[test]
    fn comments_around_a_removed_string_stay() {
        let left = |text: &str| without(text, &PATH, None).unwrap();
        assert_eq!(left("# a\n[policy.set]\n# b\nNAME = \"v\" # c\n"), "# a\n# b\n # c\n");
        assert_eq!(left("x = 1\n\n[policy.set]\nNAME = \"v\"\n"), "x = 1\n");
        assert_eq!(
            left("[policy]\nset = {A = 1, NAME = 'v'} # d\n"),
            "[policy]\nset = {A = 1} # d\n"
        );
        assert_eq!(left("[policy]\nset = {NAME = 'v'} # d\ny = 1\n"), "[policy]\n # d\ny = 1\n");
    }
}
