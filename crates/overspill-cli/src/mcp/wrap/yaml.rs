//! goose has its servers in YAML. Only what goose itself writes is understood: one value a line.

use std::ops::Range;

use super::{Entry, Language, List, Splice, Words};

pub(super) struct Yaml;

impl Language for Yaml {
    fn entries(&self, text: &str) -> Result<Vec<Entry>, String> {
        let lines = lines(text);
        let mut entries = Vec::new();
        let Some(top) = lines.iter().position(|line| line.indent == 0 && line.key == "extensions")
        else {
            return Ok(entries);
        };
        let below = |from: usize| {
            let indent = lines[from].indent;
            let rest = &lines[from + 1..];
            let is_inside =
                |line: &&Line| line.indent > indent || line.is_item && line.indent == indent;
            from + 1..from + 1 + rest.iter().take_while(is_inside).count()
        };
        let servers = below(top);
        let Some(first) = lines.get(servers.start).map(|line| line.indent) else {
            return Ok(entries);
        };
        for at in servers.filter(|at| lines[*at].indent == first && !lines[*at].is_item) {
            let fields = below(at);
            let field = |key: &str| {
                let depth = lines.get(fields.start)?.indent;
                fields.clone().find(|at| {
                    let line = &lines[*at];
                    line.key == key && line.indent == depth && !line.is_item
                })
            };
            let words = match field("cmd") {
                Some(program) => Words::Apart {
                    program: lines[program].value.clone(),
                    arguments: field("args").and_then(|args| {
                        let value = lines[args].value.clone();
                        if value.is_empty() {
                            let items = below(args).filter(|at| lines[*at].is_item);
                            let words: Vec<_> = items.map(|at| lines[at].value.clone()).collect();
                            return Some(List { place: value, words, dashes: true });
                        }
                        flow(text, value)
                    }),
                },
                None => Words::None,
            };
            entries.push(Entry { name: lines[at].key.clone(), words });
        }
        Ok(entries)
    }

    fn word(&self, word: &str) -> String {
        // What is JSON is YAML.
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
        let indent = text[line..].len() - text[line..].trim_start_matches(' ').len();
        let with = format!("\n{}args: [{}]", " ".repeat(indent), words.join(", "));
        Splice { place: program.end..program.end, with }
    }

    fn before_arguments(&self) -> &'static [&'static str] {
        &["args:"]
    }
}

/// A line that says something.
struct Line {
    indent: usize,
    /// It is a value of a list.
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
    }
    found
}

/// Returns a value without what is said about it on the same line.
fn without_comment(value: &str) -> &str {
    let mut quote = None;
    // Elsewhere a quote is a character like any other.
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
