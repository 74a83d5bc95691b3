//! Files in JSON, also with comments and commas at the end.

use std::ops::Range;

use super::{Entry, Language, List, Splice, Words};
use crate::mcp::tokens::{Token, Tokens};

pub(super) struct Json;

impl Language for Json {
    fn entries(&self, text: &str) -> Result<Vec<Entry>, String> {
        let values = values(&plain(text)).ok_or("is not JSON")?;
        let mut entries = Vec::new();
        for value in &values {
            // Where servers stand: their own table, or one of the client's settings, or of a project's.
            let path: Vec<&str> = value.path.iter().map(String::as_str).collect();
            let is_server = match &path[..] {
                ["mcpServers" | "servers", _] | ["mcp", _] if path[1] != "servers" => true,
                ["mcp", "servers", _] | ["projects", _, "mcpServers", _] => true,
                _ => false,
            };
            if !is_server || !value.is_object {
                continue;
            }
            let field = |name: &str| {
                values.iter().find(|field| {
                    field.path.len() == path.len() + 1
                        && field.path.starts_with(&value.path)
                        && field.path[path.len()] == name
                })
            };
            let list = |name: &str| field(name).and_then(|field| field.list.clone());
            let words = match (field("command"), list("command"), list("args")) {
                (Some(_), Some(list), _) => Words::Together(list),
                (Some(program), None, arguments) => {
                    Words::Apart { program: program.place.clone(), arguments }
                }
                (None, ..) => Words::None,
            };
            entries.push(Entry { name: path[path.len() - 1].to_owned(), words });
        }
        Ok(entries)
    }

    fn word(&self, word: &str) -> String {
        serde_json::Value::from(word).to_string()
    }

    fn read(&self, written: &str) -> Option<String> {
        serde_json::from_str(written).ok()
    }

    fn new_arguments(&self, _: &str, program: &Range<usize>, words: &[String]) -> Splice {
        let with = format!(", \"args\": [{}]", words.join(", "));
        Splice { place: program.end..program.end, with }
    }

    fn added(&self, _: &str, program: &Range<usize>, list: &Range<usize>) -> Range<usize> {
        program.end..list.end
    }
}

/// A value, and where it stands.
#[derive(Debug)]
struct Value {
    path: Vec<String>,
    place: Range<usize>,
    is_object: bool,
    /// The strings in it, if it is a list of strings.
    list: Option<List>,
}

/// Returns the text with blanks in the place of comments and of commas before an end.
fn plain(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let (mut at, mut comma) = (0, None);
    while at < bytes.len() {
        let len = match (bytes[at], bytes.get(at + 1)) {
            (b'"', _) => {
                comma = None;
                string_len(&bytes[at..])
            }
            (b'/', Some(b'/')) => {
                let len = memchr::memchr(b'\n', &bytes[at..]).unwrap_or(bytes.len() - at);
                bytes[at..at + len].fill(b' ');
                len
            }
            (b'/', Some(b'*')) => {
                let end = memchr::memmem::find(&bytes[at + 2..], b"*/");
                let len = end.map_or(bytes.len() - at, |end| end + 4);
                bytes[at..at + len].fill(b' ');
                len
            }
            (b'}' | b']', _) => {
                if let Some(comma) = comma.take() {
                    bytes[comma] = b' ';
                }
                1
            }
            (b',', _) => {
                comma = Some(at);
                1
            }
            (byte, _) => {
                if !byte.is_ascii_whitespace() {
                    comma = None;
                }
                1
            }
        };
        at += len;
    }
    bytes
}

fn string_len(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Finds all values that are not in lists.
fn values(json: &[u8]) -> Option<Vec<Value>> {
    const DEEPEST: usize = 16;
    let mut tokens = Tokens::default();
    let mut found: Vec<Value> = Vec::new();
    // For each that is open: the key, and which value it is.
    let mut open: Vec<(Option<String>, usize)> = Vec::new();
    let (mut key, mut text, mut at, mut is_key, mut start) =
        (String::new(), Vec::new(), 0, false, 0);
    // A mark of its own keeps it from being taken for a key at the start.
    let start_bytes = json.strip_prefix("\u{feff}".as_bytes()).map_or(0, |_| 3);
    at += start_bytes;
    while at < json.len() {
        let (token, len) = tokens.next(&json[at..]).ok()?;
        let in_list = matches!(open.last(), Some((None, _)));
        let mut begun = false;
        match token {
            Token::String { is_key: key } => {
                (is_key, start) = (key, at);
                text.clear();
                begun = !key;
            }
            Token::Text(bytes) => text.extend_from_slice(bytes),
            Token::EndString if is_key => key = String::from_utf8_lossy(&text).into_owned(),
            Token::EndString if in_list => {
                if let Some((_, index)) = open.last()
                    && let Some(list) = &mut found[*index].list
                {
                    list.words.push(start..at + len);
                }
            }
            Token::EndString => {
                if let Some(last) = found.last_mut() {
                    last.place.end = at + len;
                }
            }
            Token::Open(_) | Token::Word => begun = true,
            Token::Close => {
                if let Some((_, index)) = open.pop() {
                    let value = &mut found[index];
                    value.place.end = at + len;
                    if let Some(list) = &mut value.list {
                        list.place = value.place.clone();
                    }
                }
            }
            Token::Between => {}
        }
        if begun {
            let is_plain = !matches!(token, Token::Open(_));
            if in_list && matches!(token, Token::Word | Token::Open(_)) {
                // What is not all strings is no command.
                if let Some((_, index)) = open.last() {
                    found[*index].list = None;
                }
            }
            if !(in_list && is_plain) {
                let mut path: Vec<String> =
                    open.iter().filter_map(|(key, _)| key.clone()).collect();
                if let (Some(last), false) = (path.last_mut(), open.is_empty()) {
                    last.clone_from(&key);
                }
                let is_list = token == Token::Open(b'[');
                let list =
                    is_list.then(|| List { place: at..at, words: Vec::new(), dashes: false });
                let is_object = token == Token::Open(b'{');
                found.push(Value { path, place: at..at + len, is_object, list });
            }
            if let Token::Open(bracket) = token {
                if open.len() > DEEPEST {
                    return None;
                }
                // What is in a list has no name of its own.
                if let Some((Some(name), _)) = open.last_mut() {
                    name.clone_from(&key);
                }
                open.push(((bracket == b'{').then(String::new), found.len() - 1));
            }
        }
        at += len;
    }
    tokens.is_done().then_some(found)
}
