//! A piece: one change that `init` makes in a file. This module adds a piece to a text, finds it
//! and removes it.

use std::path::Path;

use serde_json::Value;

use super::{lines, slot, toml};
use crate::jsonc::{Jsonc, JsoncNode};
use crate::mcp::wrap;
use crate::ui;

/// A change that `init` makes in a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum SetupPiece {
    /// A value of a JSON file.
    Json { path: Vec<String>, value: Value, need: JsonNeed },
    /// An item of a list in a JSON file.
    Item { path: Vec<String>, value: Value },
    /// A value of a TOML file.
    Toml { path: Vec<String>, value: String },
    /// A line of a file of variables.
    Variable { name: String, value: String },
    /// The whole file.
    Whole(String),
    /// A paragraph between two marks.
    Paragraph(String),
    /// The proxy in front of every MCP server: `program` is the path that `init` writes.
    Servers { program: String },
}

/// The condition on which a value is written into a JSON file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonNeed {
    Nothing,
    /// The file has no other value there.
    NoValue,
    /// The object around the value exists.
    Object,
}

impl SetupPiece {
    /// Returns the text with the piece.
    pub(super) fn put(&self, text: &str, file: &Path) -> Result<String, String> {
        match self {
            SetupPiece::Json { path, value, .. } => {
                let text = or_empty(text);
                Jsonc::parse(&text)?.set(&names(path), value)
            }
            SetupPiece::Item { path, value } => {
                let text = or_empty(text);
                Jsonc::parse(&text)?.push(&names(path), value)
            }
            SetupPiece::Toml { path, value } => toml::set(text, &names(path), value),
            SetupPiece::Variable { name, value } => Ok(lines::with_variable(text, name, value)),
            SetupPiece::Whole(whole) => Ok(whole.clone()),
            SetupPiece::Paragraph(paragraph) => Ok(lines::with_paragraph(text, paragraph)),
            SetupPiece::Servers { program } => wrap::with_proxy(text, file, program),
        }
    }

    /// Checks that a text can be parsed. The error names the place. An empty text is fine.
    pub(super) fn check(&self, text: &str, file: &Path) -> Result<(), String> {
        match self {
            _ if text.trim().is_empty() => Ok(()),
            SetupPiece::Json { .. } | SetupPiece::Item { .. } => Jsonc::parse(text).map(drop),
            SetupPiece::Toml { .. } => toml::string_at(text, &[]).map(drop),
            SetupPiece::Servers { program } => {
                wrap::without_proxy(text, file, program, None).map(drop)
            }
            SetupPiece::Variable { .. } | SetupPiece::Whole(_) | SetupPiece::Paragraph(_) => Ok(()),
        }
    }

    /// Tells whether the piece is written only on a condition.
    pub(super) fn has_need(&self) -> bool {
        matches!(self, SetupPiece::Json { need: JsonNeed::NoValue | JsonNeed::Object, .. })
    }

    /// Tells whether the text already has the piece, or does not need it.
    pub(super) fn is_satisfied(&self, text: &str, file: &Path) -> bool {
        match self {
            SetupPiece::Json { path, need: JsonNeed::NoValue, .. } => {
                Jsonc::parse(text).is_ok_and(|json| json.get(&names(path)).is_some())
            }
            SetupPiece::Json { path, need: JsonNeed::Object, .. } => {
                let names = names(path);
                let around = names.split_last().map_or(&names[..], |(_, around)| around);
                let has_object = Jsonc::parse(text)
                    .is_ok_and(|json| json.get(around).is_some_and(JsoncNode::is_object));
                !has_object || self.is_in(text, file, None)
            }
            // The user may have added servers since.
            SetupPiece::Servers { .. } => self.put(text, file).as_deref() == Ok(text),
            _ => self.is_in(text, file, None),
        }
    }

    /// Tells whether the text has the piece exactly as `init` writes it. `before` is the text
    /// before `init`: a proxy that it already had is not ours.
    pub(super) fn is_in(&self, text: &str, file: &Path, before: Option<&str>) -> bool {
        match self {
            SetupPiece::Json { path, value, .. } => Jsonc::parse(text).is_ok_and(|json| {
                let found = json.get(&names(path)).and_then(|node| json.value_of(node));
                found.as_ref() == Some(value)
            }),
            SetupPiece::Item { path, value } => {
                Jsonc::parse(text).is_ok_and(|json| index(&json, path, value).is_some())
            }
            SetupPiece::Toml { path, value } => {
                toml::string_at(text, &names(path)).is_ok_and(|found| found.as_ref() == Some(value))
            }
            SetupPiece::Variable { name, value } => {
                lines::line_of(text, name) == Some(lines::variable(name, value).as_str())
            }
            SetupPiece::Whole(whole) => text == whole,
            SetupPiece::Paragraph(paragraph) => lines::has_paragraph(text, paragraph),
            SetupPiece::Servers { program } => wrap::has_proxy(text, file, program, before),
        }
    }

    /// Returns the text without the piece; `None` if nothing is left of the file. `before` is the
    /// text before `init`, if that is known. The text must have the piece.
    pub(super) fn take(
        &self,
        text: &str,
        file: &Path,
        before: Option<&str>,
    ) -> Result<Option<String>, String> {
        Ok(Some(match self {
            SetupPiece::Json { path, .. } => {
                let json = Jsonc::parse(text)?;
                let old = before.and_then(|before| Jsonc::parse(before).ok());
                match old.as_ref().and_then(|old| old.written_at(&names(path))) {
                    Some(old) => json.replaced(&names(path), old),
                    None => match slot::own_value(self) {
                        Some(own) => json.replaced(&names(path), &own.to_string()),
                        None => without(&json, &names(path), before),
                    },
                }
            }
            SetupPiece::Item { path, value } => {
                let json = Jsonc::parse(text)?;
                let Some(index) = index(&json, path, value) else { return Ok(Some(text.into())) };
                let less = json.without_item(&names(path), index);
                let json = Jsonc::parse(&less)?;
                let is_empty = is_written(&json, &names(path), "[]");
                let was_there = before.is_some_and(|before| {
                    Jsonc::parse(before).is_ok_and(|old| old.get(&names(path)).is_some())
                });
                match is_empty && !was_there {
                    true => without(&json, &names(path), before),
                    false => less,
                }
            }
            SetupPiece::Toml { path, .. } => {
                match before.and_then(|before| toml::written_at(before, &names(path))) {
                    Some(old) => toml::replaced(text, &names(path), old)?,
                    None => toml::without(text, &names(path), before)?,
                }
            }
            SetupPiece::Variable { name, .. } => {
                let old = before.and_then(|before| lines::line_of(before, name));
                let own = slot::own_value(self).map(|own| format!("{name}={own}"));
                lines::without_variable(text, name, old.or(own.as_deref()))
            }
            SetupPiece::Whole(_) => return Ok(before.map(str::to_owned)),
            SetupPiece::Paragraph(_) => lines::without_paragraph(text),
            SetupPiece::Servers { program } => wrap::without_proxy(text, file, program, before)?,
        }))
    }

    /// Tells whether the piece names the directory of our links, which only `init` writes, or has
    /// our marks.
    pub(super) fn is_signed(&self, links: &str) -> bool {
        match self {
            SetupPiece::Paragraph(_) => true,
            SetupPiece::Json { value, .. } | SetupPiece::Item { value, .. } => {
                value.to_string().contains(links)
            }
            SetupPiece::Toml { value: text, .. }
            | SetupPiece::Variable { value: text, .. }
            | SetupPiece::Servers { program: text }
            | SetupPiece::Whole(text) => text.contains(links),
        }
    }

    /// Returns the user's value that the piece replaces, if overspill must still apply that value.
    pub(super) fn old(&self, before: &str) -> Option<String> {
        match self {
            SetupPiece::Toml { path, .. } => toml::string_at(before, &names(path)).ok()?,
            SetupPiece::Variable { name, .. } => {
                let value = lines::line_of(before, name)?.split_once('=')?.1.trim();
                Some(value.trim_matches(['"', '\'']).to_owned())
            }
            _ => None,
        }
    }

    /// Returns a description of the piece on one line.
    pub(super) fn said(&self) -> String {
        match self {
            SetupPiece::Json { path, value, .. } => format!("{} = {value}", path.join(".")),
            SetupPiece::Item { path, value } => {
                format!("{} + {}", path.join("."), ui::short(&value.to_string(), 160))
            }
            SetupPiece::Toml { path, value } => format!("{} = {value:?}", path.join(".")),
            SetupPiece::Variable { name, value } => lines::variable(name, value),
            SetupPiece::Whole(whole) => {
                format!("a file that overspill writes, {} bytes", whole.len())
            }
            SetupPiece::Paragraph(_) => "a paragraph of rules".into(),
            SetupPiece::Servers { .. } => "the proxy in front of its MCP servers".into(),
        }
    }
}

/// Returns the index of an item in a list.
fn index(json: &Jsonc, path: &[String], value: &Value) -> Option<usize> {
    let found = json.value_of(json.get(&names(path))?)?;
    found.as_array()?.iter().position(|item| item == value)
}

/// Returns the text without a member, and without objects around it that are empty then and did not
/// exist before.
fn without(json: &Jsonc, path: &[&str], before: Option<&str>) -> String {
    let text = json.without(path);
    let Some((_, way)) = path.split_last().filter(|(_, way)| !way.is_empty()) else { return text };
    let old = before.and_then(|before| Jsonc::parse(before).ok());
    let was_there = old.is_some_and(|old| old.get(way).is_some());
    let Ok(json) = Jsonc::parse(&text) else { return text };
    let is_empty = is_written(&json, way, "{}");
    if is_empty && !was_there { without(&json, way, before) } else { text.clone() }
}

/// Tells whether the file writes a value exactly like `text`, except for blanks: an empty list may
/// have comments in it.
fn is_written(json: &Jsonc, path: &[&str], text: &str) -> bool {
    json.written_at(path).is_some_and(|it| it.split_whitespace().collect::<String>() == text)
}

fn names(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}

fn or_empty(text: &str) -> String {
    if text.trim().is_empty() { "{}\n".into() } else { text.to_owned() }
}
