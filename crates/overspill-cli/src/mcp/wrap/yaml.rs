//! Finds the servers in the YAML files of goose and Continue. Supports only the usual form, with
//! one value per line.

use std::ops::Range;

use super::{Entry, Language, List, Splice, Words};

pub(super) struct Yaml;

impl Language for Yaml {
    fn entries(&self, text: &str) -> Result<Vec<Entry>, String> {
        check(text)?;
        let lines = lines(text);
        let file = File { text, lines: &lines };
        file.check_form()?;
        Ok(file.of_goose().chain(file.of_continue()).collect())
    }

    fn word(&self, word: &str) -> String {
        // JSON is valid YAML.
        serde_json::Value::from(word).to_string()
    }

    fn read(&self, written: &str) -> Option<String> {
        match written.as_bytes().first()? {
            b'"' => serde_json::from_str(written).ok(),
            b'\'' => Some(written.strip_prefix('\'')?.strip_suffix('\'')?.replace("''", "'")),
            b'[' | b'{' | b'&' | b'*' | b'!' | b'|' | b'>' => None,
            _ => Some(written.to_owned()),
        }
    }

    fn new_arguments(&self, text: &str, program: &Range<usize>, words: &[String]) -> Splice {
        let line = text[..program.start].rfind('\n').map_or(0, |at| at + 1);
        // The first field of an item stands after its dash.
        let key = text[line..].trim_start_matches([' ', '-']);
        let indent = text[line..].len() - key.len();
        let with = format!("\n{}args: [{}]", " ".repeat(indent), words.join(", "));
        Splice { place: program.end..program.end, with }
    }

    fn before_arguments(&self) -> &'static [&'static str] {
        &["args:"]
    }
}

/// Checks that a text is valid YAML. The reader in this module would not notice errors.
fn check(text: &str) -> Result<(), String> {
    for event in saphyr_parser::Parser::new_from_str(text) {
        event.map_err(|error| {
            let (line, column) = (error.marker().line(), error.marker().col() + 1);
            format!("line {line}, column {column} is not YAML: {}", error.info())
        })?;
    }
    Ok(())
}

/// The lines of a file.
struct File<'a> {
    text: &'a str,
    lines: &'a [Line],
}

impl File<'_> {
    /// Fails if overspill cannot change the form of the servers: in braces or brackets, or as an
    /// alias.
    fn check_form(&self) -> Result<(), String> {
        let is_servers = |line: &&Line| {
            line.indent == 0 && !line.is_item && ["extensions", "mcpServers"].contains(&&*line.key)
        };
        for line in self.lines.iter().filter(is_servers) {
            let value = &self.text[line.value.clone()];
            if !matches!(value, "" | "{}" | "[]" | "null" | "~") {
                let number = self.text[..line.value.start].matches('\n').count() + 1;
                return Err(format!(
                    "line {number}: `{}` is written on one line, and only the form with one value a line can be changed",
                    line.key
                ));
            }
        }
        Ok(())
    }

    /// Returns the servers of goose: `extensions` contains a table for each server, under its name.
    fn of_goose(&self) -> impl Iterator<Item = Entry> {
        let servers = self.top("extensions");
        let first = self.lines.get(servers.start).map(|line| line.indent);
        let servers = servers
            .filter(move |at| Some(self.lines[*at].indent) == first && !self.lines[*at].is_item);
        servers.map(|at| Entry {
            name: self.lines[at].key.clone(),
            words: self.words(self.below(at), "cmd"),
        })
    }

    /// Returns the servers of Continue: `mcpServers` is a list of tables.
    fn of_continue(&self) -> impl Iterator<Item = Entry> {
        let servers = self.top("mcpServers");
        let first = self.lines.get(servers.start).map(|line| line.indent);
        let servers = servers
            .filter(move |at| Some(self.lines[*at].indent) == first && self.lines[*at].is_item);
        servers.map(|at| {
            let indent = self.lines[at].indent;
            let rest = &self.lines[at + 1..];
            let fields = rest.iter().take_while(|line| line.indent > indent).count();
            let fields = at + 1..at + 1 + fields;
            let name = self
                .field(fields.clone(), "name")
                .and_then(|name| Yaml.read(&self.text[self.lines[name].value.clone()]));
            Entry { name: name.unwrap_or_default(), words: self.words(fields, "command") }
        })
    }

    /// Returns the lines below a top-level key.
    fn top(&self, key: &str) -> Range<usize> {
        let is_top = |line: &Line| line.indent == 0 && !line.is_item && line.key == key;
        self.lines.iter().position(is_top).map_or(0..0, |at| self.below(at))
    }

    /// Returns the lines of the value of a key.
    fn below(&self, from: usize) -> Range<usize> {
        let indent = self.lines[from].indent;
        let is_inside =
            |line: &&Line| line.indent > indent || line.is_item && line.indent == indent;
        from + 1..from + 1 + self.lines[from + 1..].iter().take_while(is_inside).count()
    }

    /// Returns the line of a field of a table.
    fn field(&self, mut fields: Range<usize>, key: &str) -> Option<usize> {
        let depth = self.lines.get(fields.start)?.indent;
        fields.find(|at| {
            let line = &self.lines[*at];
            line.key == key && line.indent == depth && !line.is_item
        })
    }

    /// Returns the command whose program is in the field `key`.
    fn words(&self, fields: Range<usize>, key: &str) -> Words {
        let Some(program) = self.field(fields.clone(), key) else { return Words::None };
        let arguments = self.field(fields, "args").and_then(|args| {
            let value = self.lines[args].value.clone();
            if !value.is_empty() {
                return flow(self.text, value);
            }
            let items = self.below(args).filter(|at| self.lines[*at].is_item);
            let words = items.map(|at| self.lines[at].value.clone()).collect();
            Some(List { place: value, words, dashes: true })
        });
        Words::Apart { program: self.lines[program].value.clone(), arguments }
    }
}

/// A line with a key or a list item.
struct Line {
    indent: usize,
    /// Tells whether the line is an item of a list.
    is_item: bool,
    key: String,
    value: Range<usize>,
}

fn lines(text: &str) -> Vec<Line> {
    let mut at = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let body = line.trim();
        if body.is_empty() || body.starts_with('#') || body == "---" {
            continue;
        }
        let indent = line.len() - line.trim_start_matches(' ').len();
        let is_item = body.starts_with("- ");
        let (key, from) = match (is_item, body.split_once(':')) {
            (true, _) => (String::new(), indent + 2),
            (false, Some((key, rest))) if rest.is_empty() || rest.starts_with(' ') => {
                (key.trim_matches(['"', '\'']).to_owned(), indent + key.len() + 1)
            }
            _ => continue,
        };
        let value = &line[from..];
        let from = start + from + (value.len() - value.trim_start().len()).min(value.len());
        let end = from + without_comment(&text[from.min(at)..at]).len();
        found.push(Line { indent, is_item, key, value: from.min(end)..end });
        found.extend(first_field(text, found.last()));
    }
    found
}

/// Returns the field after the dash of an item, as its own line.
fn first_field(text: &str, item: Option<&Line>) -> Option<Line> {
    let Line { indent, is_item: true, value, .. } = item? else { return None };
    let (key, rest) = text[value.clone()].split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|char| char.is_ascii_alphanumeric());
    if !is_key || !(rest.is_empty() || rest.starts_with(' ')) {
        return None;
    }
    let dash = text[..value.start].rfind('-')?;
    let from = value.end - rest.trim_start().len();
    let indent = indent + value.start - dash;
    Some(Line { indent, is_item: false, key: key.to_owned(), value: from..value.end })
}

/// Returns a value without the comment on the same line.
fn without_comment(value: &str) -> &str {
    let mut quote = None;
    // In other values a quote is a character like any other.
    let has_quotes = value.starts_with(['"', '\'', '[']);
    let mut before = ' ';
    for (at, char) in value.char_indices() {
        match quote {
            Some(open) if char == open && before != '\\' => quote = None,
            Some(_) => {}
            None if has_quotes && ['"', '\''].contains(&char) => quote = Some(char),
            None if char == '#' && before.is_whitespace() => return value[..at].trim_end(),
            None => {}
        }
        before = char;
    }
    value.trim_end()
}

/// Returns a list that is written on one line.
fn flow(text: &str, place: Range<usize>) -> Option<List> {
    let inner = text[place.clone()].strip_prefix('[')?.strip_suffix(']')?;
    let mut words = Vec::new();
    let (mut start, mut quote) = (None, None);
    for (at, char) in inner.char_indices().chain([(inner.len(), ',')]) {
        match (quote, char) {
            (Some(open), _) if open == char => quote = None,
            (Some(_), _) => {}
            (None, ',') => {
                let word = &inner[start.take().unwrap_or(at)..at];
                let begin = place.start + 1 + at - word.len();
                let trimmed = word.trim_end();
                if !trimmed.is_empty() {
                    words.push(begin..begin + trimmed.len());
                }
            }
            (None, ' ') if start.is_none() => {}
            (None, _) => {
                start.get_or_insert(at);
                quote = Some(char).filter(|char| ['"', '\''].contains(char));
            }
        }
    }
    Some(List { place, words, dashes: false })
}
