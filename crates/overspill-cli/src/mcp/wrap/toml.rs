//! Finds the servers in the TOML file of Codex.

use std::ops::Range;

use toml_edit::{Item, Value};

use super::{Entry, Language, List, Splice, Words};
use crate::settings::edit;

pub(super) struct Toml;

impl Language for Toml {
    fn entries(&self, text: &str) -> Result<Vec<Entry>, String> {
        let document = edit::parse(text)?;
        let Some(servers) = document.get("mcp_servers").and_then(Item::as_table_like) else {
            return Ok(Vec::new());
        };
        let entry = |(name, server): (&str, &Item)| {
            let server = server.as_table_like()?;
            let program = server.get("command").and_then(Item::as_value).and_then(Value::span);
            let list = server.get("args").and_then(Item::as_array).and_then(|array| {
                let words = array.iter().map(Value::span).collect::<Option<Vec<_>>>()?;
                Some(List { place: array.span()?, words, dashes: false })
            });
            let words = match program {
                Some(program) => Words::Apart { program, arguments: list },
                None => Words::None,
            };
            Some(Entry { name: name.to_owned(), words })
        };
        Ok(servers.iter().filter_map(entry).collect())
    }

    fn word(&self, word: &str) -> String {
        Value::from(word).to_string()
    }

    fn read(&self, written: &str) -> Option<String> {
        written.parse::<Value>().ok()?.as_str().map(str::to_owned)
    }

    fn new_arguments(&self, text: &str, program: &Range<usize>, words: &[String]) -> Splice {
        // A comma separates the fields of a table on one line; otherwise a line break does.
        let line = text[..program.start].rfind('\n').map_or(0, |at| at + 1);
        let before = if text[line..program.start].contains('{') { ", " } else { "\n" };
        let with = format!("{before}args = [{}]", words.join(", "));
        Splice { place: program.end..program.end, with }
    }

    fn before_arguments(&self) -> &'static [&'static str] {
        &["args=", ",args="]
    }
}
