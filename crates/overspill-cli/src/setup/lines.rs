//! Edits text files: a variable on its own line, and a paragraph between two marks.

use std::ops::Range;

use serde_json::Value;

const BEGIN: &str = "<!-- overspill: begin -->";
const END: &str = "<!-- overspill: end -->";

/// Returns the line that sets a variable.
pub(super) fn variable(name: &str, value: &str) -> String {
    format!("{name}={}", Value::from(value))
}

/// Returns the last line that sets this variable, which is the line that applies.
pub(super) fn line_of<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    place_of(text, name).map(|place| &text[place])
}

fn place_of(text: &str, name: &str) -> Option<Range<usize>> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let body = line.trim_end_matches(['\r', '\n']);
        start += line.len();
        (start - line.len(), body)
    });
    let is_set = |(_, line): &(usize, &str)| {
        let line = line.trim_start();
        let line = line.strip_prefix("export ").unwrap_or(line);
        line.trim_start().strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    lines.filter(is_set).last().map(|(at, line)| at..at + line.len())
}

/// Returns the text with the variable, in the place of the line that applies, else at the end.
pub(super) fn with_variable(text: &str, name: &str, value: &str) -> String {
    let line = variable(name, value);
    match place_of(text, name) {
        Some(place) => [&text[..place.start], &line, &text[place.end..]].concat(),
        None => format!("{text}{}{line}{}", end_of_line(text), line_end(text)),
    }
}

/// Returns the text with `old` in the place of the line that applies. Without `old`, it removes the
/// line.
pub(super) fn without_variable(text: &str, name: &str, old: Option<&str>) -> String {
    let Some(place) = place_of(text, name) else { return text.to_owned() };
    let rest = &text[place.end..];
    let rest = match old {
        Some(_) => rest,
        None => rest.split_once('\n').map_or("", |(_, rest)| rest),
    };
    [&text[..place.start], old.unwrap_or_default(), rest].concat()
}

/// Returns the text with the paragraph, in the place of the existing paragraph, else at the end.
pub(super) fn with_paragraph(text: &str, paragraph: &str) -> String {
    let line = line_end(text);
    let ours = format!("{BEGIN}\n{paragraph}{END}\n").replace('\n', line);
    match marked(text) {
        Some(place) => [&text[..place.start], &ours, &text[place.end..]].concat(),
        None => {
            let apart = if text.is_empty() { "" } else { line };
            format!("{text}{}{apart}{ours}", end_of_line(text))
        }
    }
}

/// Tells whether the text has exactly this paragraph.
pub(super) fn has_paragraph(text: &str, paragraph: &str) -> bool {
    marked(text).is_some_and(|place| {
        let found = text[place].replace("\r\n", "\n");
        found.trim_end() == format!("{BEGIN}\n{paragraph}{END}")
    })
}

/// Returns the text without the paragraph and the empty line before it.
pub(super) fn without_paragraph(text: &str) -> String {
    let Some(place) = marked(text) else { return text.to_owned() };
    let before = &text[..place.start];
    let before = before.strip_suffix('\n').map(|text| text.strip_suffix('\r').unwrap_or(text));
    [before.unwrap_or(&text[..place.start]), &text[place.end..]].concat()
}

/// Returns the range of the paragraph and its marks, in bytes.
fn marked(text: &str) -> Option<Range<usize>> {
    let start = text.find(BEGIN)?;
    let end = start + text[start..].find(END)? + END.len();
    let rest = &text[end..];
    let line_break = ["\r\n", "\n"].into_iter().find(|line| rest.starts_with(line));
    Some(start..end + line_break.map_or(0, str::len))
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Returns the line break that the last line lacks; an empty text if it has one.
fn end_of_line(text: &str) -> &'static str {
    if text.is_empty() || text.ends_with('\n') { "" } else { line_end(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_replaces_the_line_that_applies() {
        let text = "A=1\r\nexport N = old\r\nB=2";
        let with = with_variable(text, "N", "x");
        assert_eq!(with, "A=1\r\nN=\"x\"\r\nB=2");
        assert_eq!(without_variable(&with, "N", line_of(text, "N")), text);
        assert_eq!(with_variable("N=1\nN=2", "N", "x"), "N=1\nN=\"x\"");
        assert_eq!(with_variable("# N=1", "N", "x"), "# N=1\nN=\"x\"\n");
        assert_eq!(without_variable("A=1\nN=\"x\"\n# end", "N", None), "A=1\n# end");
    }

    #[test]
    fn paragraph_is_replaced_in_its_place() {
        let text = "# A\r\n";
        let with = with_paragraph(text, "one\n");
        assert!(has_paragraph(&with, "one\n") && !has_paragraph(&with, "two\n"), "{with:?}");
        assert_eq!(without_paragraph(&with), text);
        let with = format!("{with}mine\r\n");
        let other = with_paragraph(&with, "two\n");
        assert_eq!(other, with.replace("one", "two"));
        assert_eq!(without_paragraph(&other), "# A\r\nmine\r\n");
    }
}
