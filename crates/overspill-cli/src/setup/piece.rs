//! One thing that is written into a file: how it gets there, and how it comes out again.

use std::path::Path;

use serde_json::Value;

use crate::jsonc::Jsonc;
use crate::mcp::wrap::{To, rewrapped};
use crate::settings::edit;
use crate::ui;

/// Something in a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum SetupPiece {
    /// A value of a JSON file; `only_if_missing` if any value will do.
    Json { path: &'static [&'static str], value: Value, only_if_missing: bool },
    /// One more in a list of a JSON file.
    Item { path: &'static [&'static str], value: Value },
    /// A value of a TOML file.
    Toml { path: &'static [&'static str], value: String },
    /// A line of a file of variables.
    Variable { name: &'static str, value: String },
    /// All of the file.
    Whole(String),
    /// A paragraph between two marks.
    Paragraph(String),
    /// The proxy, in front of every server.
    Servers,
}

const BEGIN: &str = "<!-- overspill: begin -->\n";
const END: &str = "<!-- overspill: end -->\n";

impl SetupPiece {
    /// Returns the text with it.
    pub(super) fn put(&self, text: &str, file: &Path, program: &str) -> Result<String, String> {
        match self {
            SetupPiece::Json { path, value, only_if_missing } => {
                let text = or_empty(text);
                let json = Jsonc::parse(&text)?;
                if *only_if_missing && json.get(path).is_some() {
                    return Ok(text.clone());
                }
                json.set(path, value)
            }
            SetupPiece::Item { path, value } => {
                let text = or_empty(text);
                let json = Jsonc::parse(&text)?;
                if self.index(&json).is_some() { Ok(text.clone()) } else { json.push(path, value) }
            }
            SetupPiece::Toml { path, value } => {
                let (name, way) = split(path);
                edit::set_at(text, way, name, value)
            }
            SetupPiece::Variable { name, value } => {
                let text = without_line(text, name);
                let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
                Ok(format!("{text}{end}{}\n", variable(name, value)))
            }
            SetupPiece::Whole(whole) => Ok(whole.clone()),
            SetupPiece::Paragraph(paragraph) => {
                let text = without_paragraph(text);
                let gap = match text.is_empty() {
                    true => "",
                    false if text.ends_with('\n') => "\n",
                    false => "\n\n",
                };
                Ok(format!("{text}{gap}{BEGIN}{paragraph}{END}"))
            }
            SetupPiece::Servers => rewrapped(text, file, To::Wrap, program, None),
        }
    }

    /// Returns the text without it. `before` is the text as it was before us, where that is known.
    pub(super) fn take(
        &self,
        text: &str,
        file: &Path,
        before: Option<&str>,
    ) -> Result<String, String> {
        match self {
            SetupPiece::Json { path, value, only_if_missing } => {
                let json = Jsonc::parse(text)?;
                if *only_if_missing && before.is_none() {
                    // Nobody knows whose it is.
                    return Ok(text.to_owned());
                }
                let is_ours =
                    json.get(path).and_then(|node| json.value_of(node)).as_ref() == Some(value);
                let old = before.and_then(|before| Jsonc::parse(before).ok());
                let old = old.as_ref().and_then(|old| old.value_of(old.get(path)?));
                match old {
                    _ if !is_ours => Ok(text.to_owned()),
                    Some(old) => json.set(path, &old),
                    None => Ok(without(&json, path, before)),
                }
            }
            SetupPiece::Item { path, .. } => {
                let json = Jsonc::parse(text)?;
                let Some(index) = self.index(&json) else { return Ok(text.to_owned()) };
                let less = json.without_item(path, index);
                let json = Jsonc::parse(&less)?;
                let is_empty = json.get(path).and_then(|node| json.value_of(node));
                let is_empty = is_empty.is_some_and(|list| list == Value::Array(Vec::new()));
                Ok(if is_empty { without(&json, path, before) } else { less.clone() })
            }
            SetupPiece::Toml { path, value } => {
                let (name, way) = split(path);
                if edit::string_at(text, path)?.as_ref() != Some(value) {
                    return Ok(text.to_owned());
                }
                match before.map(|before| edit::string_at(before, path)).transpose()?.flatten() {
                    Some(old) => edit::set_at(text, way, name, &old),
                    None => edit::unset_at(text, way, name),
                }
            }
            SetupPiece::Variable { name, value } => {
                let line = variable(name, value);
                if !text.lines().any(|found| found == line) {
                    return Ok(text.to_owned());
                }
                let old = before.and_then(|before| line_of(before, name));
                let old = old.map_or_else(String::new, |old| format!("{old}\n"));
                Ok(text.replacen(&format!("{line}\n"), &old, 1))
            }
            SetupPiece::Whole(_) => Ok(before.unwrap_or_default().to_owned()),
            SetupPiece::Paragraph(_) => Ok(without_paragraph(text)),
            SetupPiece::Servers => rewrapped(text, file, To::Unwrap, "", before),
        }
    }

    /// Tells whether the text has it.
    pub(super) fn is_in(&self, text: &str) -> bool {
        match self {
            SetupPiece::Json { path, value, only_if_missing } => {
                Jsonc::parse(text).is_ok_and(|json| {
                    let found = json.get(path).and_then(|node| json.value_of(node));
                    found.is_some_and(|found| *only_if_missing || found == *value)
                })
            }
            SetupPiece::Item { .. } => {
                Jsonc::parse(text).is_ok_and(|json| self.index(&json).is_some())
            }
            SetupPiece::Toml { path, value } => {
                edit::string_at(text, path).is_ok_and(|found| found.as_ref() == Some(value))
            }
            SetupPiece::Variable { name, value } => {
                text.lines().any(|line| line == variable(name, value))
            }
            SetupPiece::Whole(whole) => text == whole,
            SetupPiece::Paragraph(paragraph) => text.contains(&format!("{BEGIN}{paragraph}{END}")),
            SetupPiece::Servers => text.contains("overspill"),
        }
    }

    /// Returns the value that stood in its place, where that must go on to be heeded.
    pub(super) fn old(&self, before: &str) -> Option<String> {
        match self {
            SetupPiece::Toml { path, .. } => edit::string_at(before, path).ok()?,
            SetupPiece::Variable { name, .. } => {
                let line = line_of(before, name)?;
                let value = line.split_once('=')?.1.trim();
                Some(value.trim_matches(['"', '\'']).to_owned())
            }
            _ => None,
        }
    }

    /// Says what it is, on one line.
    pub(super) fn said(&self) -> String {
        match self {
            SetupPiece::Json { path, value, .. } => format!("{} = {value}", path.join(".")),
            SetupPiece::Item { path, value } => {
                format!("{} + {}", path.join("."), ui::short(&value.to_string(), 160))
            }
            SetupPiece::Toml { path, value } => format!("{} = {value:?}", path.join(".")),
            SetupPiece::Variable { name, value } => variable(name, value),
            SetupPiece::Whole(whole) => format!("a file of ours, {} bytes", whole.len()),
            SetupPiece::Paragraph(_) => "a paragraph of rules".into(),
            SetupPiece::Servers => "the proxy in front of its MCP servers".into(),
        }
    }

    /// Finds our item in its list: the same, or one that runs us.
    fn index(&self, json: &Jsonc) -> Option<usize> {
        let SetupPiece::Item { path, value } = self else { return None };
        let found = json.value_of(json.get(path)?)?;
        found.as_array()?.iter().position(|item| item == value)
    }
}

/// Returns the text without a member, and without those around it that are then empty and were not
/// there before.
fn without(json: &Jsonc, path: &[&str], before: Option<&str>) -> String {
    let text = json.without(path);
    let Some((_, way)) = path.split_last().filter(|(_, way)| !way.is_empty()) else { return text };
    let old = before.and_then(|before| Jsonc::parse(before).ok());
    let was_there = old.is_some_and(|old| old.get(way).is_some());
    let Ok(json) = Jsonc::parse(&text) else { return text };
    let left = json.get(way).and_then(|node| json.value_of(node));
    let is_empty = left.is_some_and(|left| left.as_object().is_some_and(serde_json::Map::is_empty));
    if is_empty && !was_there { without(&json, way, before) } else { text.clone() }
}

fn or_empty(text: &str) -> String {
    if text.trim().is_empty() { "{}\n".into() } else { text.to_owned() }
}

fn split<'a>(path: &'a [&'a str]) -> (&'a str, &'a [&'a str]) {
    path.split_last().map_or(("", path), |(name, way)| (*name, way))
}

fn variable(name: &str, value: &str) -> String {
    format!("{name}={}", Value::from(value))
}

fn line_of<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find(|line| {
        let line = line.trim_start();
        let line = line.strip_prefix("export ").unwrap_or(line);
        line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='))
    })
}

fn without_line(text: &str, name: &str) -> String {
    match line_of(text, name) {
        Some(line) => {
            let at = text.find(line).unwrap_or_default();
            let end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
            [&text[..at], &text[end..]].concat()
        }
        None => text.to_owned(),
    }
}

fn without_paragraph(text: &str) -> String {
    let Some(at) = text.find(BEGIN) else { return text.to_owned() };
    let Some(end) = text[at..].find(END) else { return text.to_owned() };
    let before = text[..at].strip_suffix('\n').unwrap_or(&text[..at]);
    [before, &text[at + end + END.len()..]].concat()
}
