//! Reads a settings file: TOML text in, values and warnings out.

use std::collections::BTreeMap;
use std::path::Path;

use overspill::Layer;
use overspill::internal::settings::{CallKind, ProjectRule, Warning};
use toml_edit::{Document, Item, TableLike};

use super::destination::{DestinationFault, destination_of};
use super::edit::KeyPath;
use super::keys::{Key, meant, names_in};
use super::redact::{Fault, FaultKind};
use super::value::{SettingValue, ValueKind};
use crate::ui;

/// The owner of a file, which decides what the file may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileOwner {
    User,
    Project,
}

/// A value, its text and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FoundValue {
    pub(crate) value: SettingValue,
    pub(crate) written: String,
    /// The line of the file; `None` for variables.
    pub(crate) line: Option<usize>,
}

/// The values of one level, such as a file or the variables.
pub(crate) type FileValues = BTreeMap<Key, FoundValue>;

/// The values that a file sets.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SettingsFile {
    pub(crate) values: FileValues,
    pub(crate) tools: BTreeMap<String, FileValues>,
}

impl SettingsFile {
    /// Reads the values that `text` sets. An invalid value is left out with a warning.
    pub(crate) fn parse(text: &str, path: &Path, owner: FileOwner) -> Parsed {
        let line_ends = text.match_indices('\n').map(|(at, _)| at).collect();
        let parsed = Parsed::default();
        let mut reader = Reader { text, line_ends, path, owner, parsed, unlisted: 0 };
        match Document::parse(text) {
            Ok(document) => reader.table(document.as_table(), ""),
            Err(error) => reader.broken(&error),
        }
        reader.end()
    }

    /// Returns the value at `address`.
    pub(crate) fn get(&self, address: &KeyPath) -> Option<&FoundValue> {
        let values = match &address.tool {
            None => Some(&self.values),
            Some(tool) => self.tools.get(tool),
        };
        values?.get(&address.key)
    }

    /// Removes the value at `address`, and returns it.
    pub(crate) fn remove(&mut self, address: &KeyPath) -> Option<FoundValue> {
        let values = match &address.tool {
            None => Some(&mut self.values),
            Some(tool) => self.tools.get_mut(tool),
        };
        values?.remove(&address.key)
    }

    /// Returns the file as a level of settings.
    pub(crate) fn layer(&self) -> Layer {
        let tools = self.tools.iter().map(|(tool, values)| (tool.clone(), layer(values)));
        // A table without settings of a call is not an entry for a tool.
        let tools = tools.filter(|(_, layer)| *layer != Layer::new()).collect();
        Layer { tools, ..layer(&self.values) }
    }
}

/// Returns `values` as a level of settings.
pub(crate) fn layer(values: &FileValues) -> Layer {
    let mut layer = Layer::new();
    for (key, found) in values {
        if let (Key::Call(setting), SettingValue::Call(value)) = (key, &found.value) {
            layer.set(*setting, Some(*value));
        }
    }
    layer
}

/// The values that a text sets, and the warnings about it.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) file: SettingsFile,
    pub(crate) warnings: Vec<Warning>,
    /// Mistakes about `redact`. Only the user's file has any.
    pub(crate) faults: Vec<Fault>,
    /// Invalid settings of the destination of uploads. Only the user's file has any.
    pub(crate) destination: Vec<DestinationFault>,
}

/// The largest number of warnings of one file that are kept. A hostile file could have 200,000.
const MOST_WARNINGS: usize = 100;

struct Reader<'a> {
    text: &'a str,
    line_ends: Vec<usize>,
    path: &'a Path,
    owner: FileOwner,
    parsed: Parsed,
    /// The number of warnings that were not kept.
    unlisted: usize,
}

impl Reader<'_> {
    /// Reads the table of this name: `""`, `"store"`, `"mcp"`, `"tools"` or `"tools.NAME"`.
    fn table(&mut self, table: &dyn TableLike, name: &str) {
        for (key, item) in table.iter() {
            let whole = if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
            let line = self.line_of(table, key, item);
            match item.as_table_like() {
                Some(inner) if name == "tools" || name.is_empty() && key == "tools" => {
                    self.table(inner, &whole);
                }
                Some(inner) if name.is_empty() && ["store", "mcp"].contains(&key) => {
                    self.table(inner, &whole);
                }
                _ if name == "tools"
                    || name.is_empty() && ["tools", "store", "mcp"].contains(&key) =>
                {
                    self.hidden(item, &whole, 0);
                    self.reject(line, &whole, item, format!("{} is not a table", shown(item)));
                }
                _ => self.value(name, key, &whole, item, line),
            }
        }
    }

    fn value(&mut self, table: &str, key: &str, whole: &str, item: &Item, line: usize) {
        let tool = table.strip_prefix("tools.");
        let known = if names_in(table).any(|name| name == key) {
            Key::named(if tool.is_some() { key } else { whole })
        } else {
            None
        };
        let Some(known) = known else {
            // The search for a similar name takes a while, and a hostile file has many names.
            if self.is_full() {
                return self.warn(line, whole, String::new());
            }
            self.hidden(item, whole, 0);
            let hint = match meant(&ui::escaped(key, 60), names_in(table)) {
                Some(meant) => format!("; did you mean {meant}?"),
                None => String::new(),
            };
            return self.reject(line, whole, item, format!("there is no such setting{hint}"));
        };
        let (kind, rule) = (known.kind(), known.row().project);
        if self.owner == FileOwner::Project && rule == ProjectRule::Ignored {
            return self.warn(line, whole, NOT_FOR_PROJECTS.into());
        }
        let Some((value, written)) = value_of(kind, item) else {
            let allowed = kind.allowed();
            return self.reject(line, whole, item, format!("{} is not {allowed}", shown(item)));
        };
        let values = match tool {
            None => &mut self.parsed.file.values,
            Some(tool) => self.parsed.file.tools.entry(tool.to_owned()).or_default(),
        };
        let before = values.insert(known, FoundValue { value, written, line: Some(line) });
        if let Some(line_before) = before.and_then(|found| found.line) {
            let message =
                format!("duplicate of `{}` on line {line_before}; this line applies", known.name());
            self.warn(line, whole, message);
        }
    }

    /// Warns about each `redact` in an unknown table.
    fn hidden(&mut self, item: &Item, whole: &str, depth: usize) {
        if self.owner != FileOwner::User || FaultKind::of_key(whole).is_some() {
            return;
        }
        // People do not nest tables this deep.
        let is_deep = depth >= DEEPEST;
        for table in tables_of(item) {
            for (key, item) in table.iter() {
                let line = self.line_of(table, key, item);
                let whole = format!("{whole}.{key}");
                if is_deep || FaultKind::of_key(&whole).is_some() {
                    let kind = FaultKind::of_key(&whole).unwrap_or(FaultKind::Value);
                    let place = Some(format!("{}:{line}", self.path.display()));
                    let message = "there is no such setting in this table".into();
                    let warning = Warning { key: whole, place, message };
                    return self.parsed.faults.push(Fault { kind, warning });
                }
                self.hidden(item, &whole, depth + 1);
            }
        }
    }

    fn line_of(&self, table: &dyn TableLike, key: &str, item: &Item) -> usize {
        let key = table.get_key_value(key).and_then(|(key, _)| key.span());
        let at = key.or(item.span()).map_or(0, |span| span.start);
        self.line_ends.partition_point(|end| *end < at) + 1
    }

    fn broken(&mut self, error: &toml_edit::TomlError) {
        let (line, column) = place_of(self.text, error.span().map_or(0, |span| span.start));
        let place = Some(format!("{}:{line}:{column}", self.path.display()));
        let reason = ui::escaped(error.message(), 50);
        let message = format!("{reason}, so overspill ignores the file");
        let warning = Warning { key: "not TOML".into(), place, message };
        match self.owner {
            FileOwner::User => self.parsed.faults.push(Fault { kind: FaultKind::File, warning }),
            FileOwner::Project => self.parsed.warnings.push(warning),
        }
    }

    /// Warns about an invalid key or value.
    fn reject(&mut self, line: usize, whole: &str, item: &Item, message: String) {
        let destination = destination_of(whole).filter(|_| self.owner == FileOwner::User);
        let Some(key) = destination else { return self.warn(line, whole, message) };
        let written = item.as_str().map_or_else(|| shown(item), str::to_owned);
        let place = Some(format!("{}:{line}", self.path.display()));
        let warning = Warning { key: whole.to_owned(), place, message };
        let fault = DestinationFault { key, written, in_variable: false, warning };
        self.parsed.destination.push(fault);
    }

    fn warn(&mut self, line: usize, key: &str, message: String) {
        let fault = match self.owner {
            FileOwner::User => FaultKind::of_key(key),
            FileOwner::Project => None,
        };
        if fault.is_none() && self.parsed.warnings.len() >= MOST_WARNINGS {
            self.unlisted += 1;
            return;
        }
        let place = Some(format!("{}:{line}", self.path.display()));
        let warning = Warning { key: key.to_owned(), place, message };
        match fault {
            Some(kind) => self.parsed.faults.push(Fault { kind, warning }),
            None => self.parsed.warnings.push(warning),
        }
    }

    /// Tells whether further warnings are only counted. Warnings about `redact` are always kept.
    fn is_full(&self) -> bool {
        self.owner == FileOwner::Project && self.parsed.warnings.len() >= MOST_WARNINGS
    }

    fn end(mut self) -> Parsed {
        if self.unlisted > 0 {
            let place = Some(self.path.display().to_string());
            let message = format!("{} more settings cannot be used", self.unlisted);
            self.parsed.warnings.push(Warning { key: "and".into(), place, message });
        }
        self.parsed
    }
}

/// Returns the tables of an item: the item itself, or the tables in its list.
fn tables_of(item: &Item) -> Vec<&dyn TableLike> {
    match item {
        Item::ArrayOfTables(tables) => tables.iter().map(|table| table as &dyn TableLike).collect(),
        Item::Value(toml_edit::Value::Array(values)) => values
            .iter()
            .filter_map(|value| value.as_inline_table())
            .map(|table| table as &dyn TableLike)
            .collect(),
        _ => item.as_table_like().into_iter().collect(),
    }
}

/// The number of levels of tables that are searched for `redact`. A deeper table counts as if it
/// had `redact`.
const DEEPEST: usize = 16;

/// The warning about a setting that a project's file cannot set.
pub(crate) const NOT_FOR_PROJECTS: &str =
    "a project file cannot set this; only your own settings file can";

/// Returns the line and the column, both from 1, of a place in a text.
pub(super) fn place_of(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

/// Returns the value of an item, and its text without quotes.
fn value_of(kind: ValueKind, item: &Item) -> Option<(SettingValue, String)> {
    let written = match item.as_value()? {
        toml_edit::Value::String(text) => {
            // A switch in quotes is invalid.
            let text = text.value().clone();
            (kind != ValueKind::Call(CallKind::Switch)).then_some(text)?
        }
        toml_edit::Value::Integer(number) => number.value().to_string(),
        toml_edit::Value::Boolean(on) => on.value().to_string(),
        _ => return None,
    };
    let value = kind.parse(&written)?;
    let written = if kind == ValueKind::Redact { value.written(kind) } else { written };
    Some((value, written))
}

/// Returns the text of an item, on one line and not too long.
fn shown(item: &Item) -> String {
    match item.as_value() {
        Some(value) => ui::escaped(value.to_string().trim(), 40),
        None => "a table".into(),
    }
}
