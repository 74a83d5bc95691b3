//! Changes one setting in the text of a settings file. All other text stays.

use std::ops::Range;

use toml_edit::{Document, DocumentMut, Item, Table, TableLike};

use super::file::place_of;
use super::keys::{Key, last_part, meant, names_in};
use crate::ui;

/// The name of a setting, for all tools or for one: `max_lines`, `store.dir`, `tools.bash.keep`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyPath {
    pub(crate) tool: Option<String>,
    pub(crate) key: Key,
}

impl KeyPath {
    /// Reads a name. With `tool`, it is a setting of that tool. The error has a hint with a similar
    /// name.
    pub(crate) fn of(typed: &str, tool: Option<&str>) -> Result<KeyPath, String> {
        let (tool, typed) =
            match (tool, typed.strip_prefix("tools.").and_then(|s| s.rsplit_once('.'))) {
                (None, Some((tool, rest))) => (Some(tool), rest),
                (tool, _) => (tool, typed),
            };
        let is_right = |key: &Key| tool.is_none() || key.is_per_tool();
        // Options have dashes and settings have underscores, so people type both.
        let typed = &*typed.replace('-', "_");
        if let Some(key) = Key::named(typed).filter(is_right) {
            return Ok(KeyPath { tool: tool.map(str::to_owned), key });
        }
        let in_store = names_in("store").find(|name| tool.is_none() && *name == typed);
        let all = Key::all().filter(is_right).flat_map(Key::names);
        let hint = match (in_store, meant(typed, all)) {
            (Some(name), _) => {
                format!("did you mean store.{name}? `overspill config get store.{name}` shows it")
            }
            (None, Some(name)) => {
                format!("did you mean {name}? `overspill config get {name}` shows it")
            }
            (None, None) => "`overspill config list` shows them all".into(),
        };
        let of_tool = if tool.is_some() { " of a tool" } else { "" };
        Err(format!("there is no setting{of_tool} {typed:?}\n\nhint: {hint}"))
    }

    /// Returns the tables around the setting, and the names that it can have there.
    fn way(&self) -> (Vec<&str>, Vec<&'static str>) {
        let name = self.key.name();
        match (&self.tool, name.split_once('.')) {
            (Some(tool), _) => (vec!["tools", tool], self.key.names().collect()),
            (None, Some((table, _))) => (vec![table], vec![last_part(name)]),
            (None, None) => (vec![], self.key.names().collect()),
        }
    }
}

impl std::fmt::Display for KeyPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.tool {
            Some(tool) => write!(f, "tools.{tool}.{}", self.key.name()),
            None => f.write_str(self.key.name()),
        }
    }
}

/// Returns `text` with the setting at `address` set to `value`. The error is the reason why that is
/// not possible.
pub(crate) fn set(
    text: &str,
    address: &KeyPath,
    value: &toml_edit::Value,
) -> Result<String, String> {
    let document = parse(text)?;
    let (way, names) = address.way();
    let written = value.to_string();
    match &find(document.as_table(), &way, &names)[..] {
        // Comments at the end of the file stay above the new setting.
        [] if document.is_empty() || is_new(document.as_table(), &way) => {
            let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
            let end = if text.is_empty() || text.ends_with('\n') { "" } else { line_end };
            let apart = if document.is_empty() { "" } else { line_end };
            let new = added("", &way, names[0], value)?.replace('\n', line_end);
            Ok([text, end, apart, &new].concat())
        }
        [] => added(text, &way, names[0], value),
        [(name, item)] => match item.span().filter(|_| item.is_value()) {
            Some(span) => Ok(spliced(text, span, written.trim())),
            None => Err(format!("{name} is a table there")),
        },
        // The file has the setting under both its names.
        [_, ..] => match unset(text, address)? {
            Some(without) => set(&without, address, value),
            None => Ok(text.to_owned()),
        },
    }
}

/// Returns `text` without the setting at `address`; `None` if the text does not have it.
pub(crate) fn unset(text: &str, address: &KeyPath) -> Result<Option<String>, String> {
    let document = parse(text)?;
    let (way, names) = address.way();
    let found = find(document.as_table(), &way, &names);
    let Some((name, item)) = found.first() else { return Ok(None) };
    let table = way.iter().try_fold(document.as_item(), |item, name| item.get(name));
    let is_inline = table.is_some_and(|table| table.is_inline_table());
    let without = match item.span().filter(|_| item.is_value()) {
        None => return Err(format!("{name} is a table there")),
        Some(_) if is_inline => changed(text, |root| {
            made(root, &way)?.remove(name);
            Ok(())
        })?,
        Some(span) => spliced(text, whole_lines(text, span), ""),
    };
    // The file may also have the setting under its other name.
    Ok(Some(unset(&without, address)?.unwrap_or(without)))
}

/// Parses a text. The error names the place of the mistake.
pub(crate) fn parse(text: &str) -> Result<Document<&str>, String> {
    Document::parse(text).map_err(|error| {
        let (line, column) = place_of(text, error.span().map_or(0, |span| span.start));
        format!("line {line}, column {column} is not TOML: {}", ui::escaped(error.message(), 60))
    })
}

/// Returns the items with any of these names in the table at the end of `way`.
fn find<'a>(
    root: &'a Table,
    way: &[&str],
    names: &[&'static str],
) -> Vec<(&'static str, &'a Item)> {
    let mut table: Option<&dyn TableLike> = Some(root);
    for name in way {
        table = table.and_then(|table| table.get(name)?.as_table_like());
    }
    let there = |name: &&'static str| Some((*name, table?.get(name)?));
    names.iter().filter_map(there).collect()
}

/// Returns `text` with a new value.
pub(crate) fn added(
    text: &str,
    way: &[&str],
    name: &str,
    value: &toml_edit::Value,
) -> Result<String, String> {
    changed(text, |root| {
        made(root, way)?.insert(name, Item::Value(value.clone()));
        Ok(())
    })
}

/// Tells whether the first table of `way` does not exist.
fn is_new(root: &Table, way: &[&str]) -> bool {
    way.first().is_some_and(|name| !root.contains_key(name))
}

/// Returns the table at the end of `way`. It adds missing tables.
fn made<'a>(root: &'a mut Table, way: &[&str]) -> Result<&'a mut dyn TableLike, String> {
    let mut table: &mut dyn TableLike = root;
    for (depth, name) in way.iter().enumerate() {
        if !table.contains_key(name) {
            let mut new = Table::new();
            // `[tools.bash]` has one header, not another one for `[tools]`.
            new.set_implicit(depth + 1 < way.len());
            table.insert(name, Item::Table(new));
        }
        let found = table.get_mut(name).and_then(Item::as_table_like_mut);
        table = found.ok_or_else(|| format!("{name} is not a table there"))?;
    }
    Ok(table)
}

/// Returns `text` after `change`, with its original line breaks and byte order mark.
fn changed(
    text: &str,
    change: impl FnOnce(&mut Table) -> Result<(), String>,
) -> Result<String, String> {
    let mut document: DocumentMut = parse(text)?.into_mut();
    change(document.as_table_mut())?;
    let mut changed = document.to_string();
    if text.contains("\r\n") {
        changed = changed.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    let mark = if text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    Ok(format!("{mark}{changed}"))
}

pub(crate) fn spliced(text: &str, range: Range<usize>, new: &str) -> String {
    let (before, after) = (text.get(..range.start), text.get(range.end..));
    [before.unwrap_or_default(), new, after.unwrap_or_default()].concat()
}

/// Returns the range of the lines that `span` touches, with their last line break.
fn whole_lines(text: &str, span: Range<usize>) -> Range<usize> {
    let start = text.get(..span.start).and_then(|text| text.rfind('\n')).map_or(0, |at| at + 1);
    let rest = text.get(span.end..).and_then(|text| text.find('\n'));
    start..rest.map_or(text.len(), |at| span.end + at + 1)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::file::{FileOwner, SettingsFile};
    use super::*;

    fn address(typed: &str) -> KeyPath {
        KeyPath::of(typed, None).unwrap()
    }

    #[track_caller]
    fn check(text: &str, typed: &str, set_to: &str, without: Option<&str>) {
        assert_eq!(set(text, &address(typed), &7.into()).as_deref(), Ok(set_to));
        assert_eq!(unset(text, &address(typed)), Ok(without.map(str::to_owned)));
    }

    #[test]
    fn existing_value_is_changed_in_its_place() {
        check("max_lines=5\n", "max_lines", "max_lines=7\n", Some(""));
        check(
            "# a\n max_lines = '5' # b\nx=1",
            "max_lines",
            "# a\n max_lines = 7 # b\nx=1",
            Some("# a\nx=1"),
        );
        check("\u{feff}max_lines = 5\r\n", "max_lines", "\u{feff}max_lines = 7\r\n", Some(""));
        check(
            "[tools.a]\nmax_lines = 5\n",
            "tools.a.max_lines",
            "[tools.a]\nmax_lines = 7\n",
            Some("[tools.a]\n"),
        );
        check("tools.a.max_lines = 5\n", "tools.a.max_lines", "tools.a.max_lines = 7\n", Some(""));
        check(
            "tools = {a={max_lines=5}}\n",
            "tools.a.max_lines",
            "tools = {a={max_lines=7}}\n",
            Some("tools = {a={}}\n"),
        );
        check("truncation = true\n", "enabled", "truncation = 7\n", Some(""));
        check("enabled = true\ntruncation = true\n", "enabled", "enabled = 7\n", Some(""));
    }

    #[test]
    fn new_value_is_added_below_the_others_of_its_table() {
        check("", "max_lines", "max_lines = 7\n", None);
        check("# mine", "store.quota", "# mine\n[store]\nquota = 7\n", None);
        check(
            "keep = \"head\"\n\n[store]\n# s\n",
            "max_lines",
            "keep = \"head\"\nmax_lines = 7\n\n[store]\n# s\n",
            None,
        );
        check(
            "[store]\r\nquota = 5\r\n",
            "store.keep_free",
            "[store]\r\nquota = 5\r\nkeep_free = 7\r\n",
            None,
        );
        check(
            "tools.a = {keep=\"head\"}\n",
            "tools.a.max_lines",
            "tools.a = {keep=\"head\", max_lines = 7 }\n",
            None,
        );
        check("", "tools.my.tool.max_lines", "[tools.\"my.tool\"]\nmax_lines = 7\n", None);
    }

    #[test]
    fn value_that_cannot_be_changed_stays() {
        let say = |text: &str, typed: &str| set(text, &address(typed), &7.into()).unwrap_err();
        assert_eq!(say("[max_lines]\n", "max_lines"), "max_lines is a table there");
        assert_eq!(say("store = 1\n", "store.quota"), "store is not a table there");
        assert_eq!(
            say("a = 1\nb\n", "keep"),
            "line 2, column 2 is not TOML: key with no value, expected `=`"
        );
    }

    #[test]
    fn setting_name_may_have_dashes_for_underscores() {
        let name = |typed: &str| KeyPath::of(typed, None).unwrap().to_string();
        assert_eq!(name("max-lines"), "max_lines");
        assert_eq!(name("store.max-output"), "store.max_output");
        assert_eq!(name("tools.my-tool.max-lines"), "tools.my-tool.max_lines");
    }

    #[test]
    fn unknown_setting_name_gets_a_hint() {
        let hint = |typed: &str| KeyPath::of(typed, None).unwrap_err();
        assert!(hint("maxlines").ends_with("`overspill config get max_lines` shows it"));
        assert!(hint("quota").ends_with("`overspill config get store.quota` shows it"));
        assert!(
            hint("store.qouta").ends_with("`overspill config get store.quota` shows it"),
            "{}",
            hint("store.qouta")
        );
        assert!(hint("tools.x.profile").starts_with("there is no setting of a tool \"profile\""));
        assert!(hint("x").ends_with("hint: `overspill config list` shows them all"));
    }

    proptest::proptest! {
        /// Any text can be read, and a change either fails or changes only that value.
        #[test]
        fn change_of_a_setting_changes_one_value_or_none(
            first in proptest::collection::vec(proptest::sample::select(PARTS), 0..2),
            lines in proptest::collection::vec(proptest::sample::select(LINES), 0..9),
            last in proptest::collection::vec(proptest::sample::select(PARTS), 0..2),
        ) {
            let text = [first, lines, last].concat().concat();
            let read = |text: &str| SettingsFile::parse(text, Path::new("f"), FileOwner::User).file;
            let before = read(&text);
            for typed in ["max_lines", "enabled", "store.quota", "tools.a.max_lines"] {
                let address = address(typed);
                if let Ok(after) = set(&text, &address, &7.into()) {
                    let after = read(&after);
                    proptest::prop_assert_eq!(after.get(&address).is_some(), typed != "enabled");
                    proptest::prop_assert_eq!(others(&after, &address), others(&before, &address));
                }
                if let Ok(Some(after)) = unset(&text, &address) {
                    let after = read(&after);
                    proptest::prop_assert_eq!(after.get(&address), None);
                    proptest::prop_assert_eq!(others(&after, &address), others(&before, &address));
                }
            }
        }
    }

    /// Lines of settings files.
    const LINES: &[&str] = &[
        "\n",
        "\r\n",
        "# é\n",
        "[store]\n",
        "[tools.a]\n",
        "[tools]\n",
        "[[tools]]\n",
        "max_lines = 5\n",
        "keep = \"tail\" # t\r\n",
        "truncation = true\n",
        "enabled = false\n",
        "quota = \"\"\"\n1\"\"\"\n",
        "tools.a = { max_lines = 5, keep = \"head\" }\n",
        "tools.a.keep = \"head\"\n",
        "store.quota = 1\n",
        "a = { enabled = true }\n",
        "store = {}\n",
        "tools = {a={},b={keep='head'}}\n",
        "max_chars = 1",
    ];

    /// Parts that make a file invalid.
    const PARTS: &[&str] =
        &["max_lines", ".", " = ", "5", "\"", "{", "}", ",", "\u{feff}", "\u{0}", "[", "]", "\n"];

    /// Returns all settings except the one at `address`, without their places.
    fn others(file: &SettingsFile, address: &KeyPath) -> Vec<(String, Key, String)> {
        let general = [(String::new(), &file.values)];
        let tools = file.tools.iter().map(|(tool, values)| (tool.clone(), values));
        let all = general.into_iter().chain(tools).flat_map(|(tool, values)| {
            values.iter().map(move |(key, found)| (tool.clone(), *key, found.written.clone()))
        });
        let is_other = |(tool, key, _): &(String, Key, String)| {
            (tool.as_str(), *key) != (address.tool.as_deref().unwrap_or_default(), address.key)
        };
        all.filter(is_other).collect()
    }
}
