//! Edits JSON with comments and trailing commas: finds each value, and changes single values
//! without changing any other byte.

use std::ops::Range;

use serde_json::Value;

/// The whitespace characters of JSON.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// A value and its byte range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JsoncNode {
    pub(crate) place: Range<usize>,
    pub(crate) kind: JsoncKind,
}

/// The kind of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JsoncKind {
    Object(Vec<Member>),
    List(Vec<JsoncNode>),
    /// A string, a number, `true`, `false` or `null`.
    Plain,
}

/// A value with a name; the range of the name includes its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) name_place: Range<usize>,
    pub(crate) value: JsoncNode,
}

/// A parsed text.
#[derive(Debug)]
pub(crate) struct Jsonc<'a> {
    text: &'a str,
    root: JsoncNode,
    /// The positions of trailing commas.
    last_commas: Vec<usize>,
}

impl<'a> Jsonc<'a> {
    /// Parses a text, or returns the position of the error.
    pub(crate) fn parse(text: &'a str) -> Result<Jsonc<'a>, String> {
        let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let (mut plain, last_commas) = plain(text);
        plain[..start].fill(b' ');
        serde_json::from_slice::<Value>(&plain).map_err(|error| {
            let what = error.to_string();
            let what = what.split(" at line ").next().unwrap_or(&what).to_owned();
            format!("line {}, column {} is not JSON: {what}", error.line(), error.column())
        })?;
        // From here on the text is known to be valid.
        let root = Reader { plain: &plain, at: 0 }.node();
        Ok(Jsonc { text, root, last_commas })
    }

    /// Returns the value at a path of names.
    pub(crate) fn get(&self, path: &[&str]) -> Option<&JsoncNode> {
        path.iter().try_fold(&self.root, |node, name| node.member(name).map(|found| &found.value))
    }

    /// Returns the value of a node.
    pub(crate) fn value_of(&self, node: &JsoncNode) -> Option<Value> {
        let (plain, _) = plain(&self.text[node.place.clone()]);
        serde_json::from_slice(&plain).ok()
    }

    /// Returns the value at `path` as it is written.
    pub(crate) fn written_at(&self, path: &[&str]) -> Option<&'a str> {
        self.get(path).map(|node| &self.text[node.place.clone()])
    }

    /// Returns the text with the value at `path` replaced by `written`.
    pub(crate) fn replaced(&self, path: &[&str], written: &str) -> String {
        match self.get(path) {
            Some(node) => spliced(self.text, node.place.clone(), written),
            None => self.text.to_owned(),
        }
    }

    /// Returns the text with `value` at `path`. Adds missing objects on the path.
    pub(crate) fn set(&self, path: &[&str], value: &Value) -> Result<String, String> {
        let (mut node, mut depth) = (&self.root, 0);
        while let Some(member) = path.get(depth).and_then(|name| node.member(name)) {
            (node, depth) = (&member.value, depth + 1);
        }
        if depth == path.len() {
            if self.value_of(node).as_ref() == Some(value) {
                return Ok(self.text.to_owned());
            }
            return Ok(spliced(self.text, node.place.clone(), &value.to_string()));
        }
        let JsoncKind::Object(members) = &node.kind else {
            let what = if depth == 0 { "the file".into() } else { path[..depth].join(".") };
            return Err(format!("{what} is not an object"));
        };
        let nested = path[depth + 1..].iter().rev().fold(value.clone(), |inner, name| {
            Value::Object([((*name).to_owned(), inner)].into_iter().collect())
        });
        let last = members.last().map(|last| last.name_place.start..last.value.place.end);
        let name = Value::from(path[depth]).to_string();
        Ok(self.added(node, last, Some(&name), &nested))
    }

    /// Returns the text with `value` as the last item of the list at `path`. Creates a missing
    /// list.
    pub(crate) fn push(&self, path: &[&str], value: &Value) -> Result<String, String> {
        let Some(node) = self.get(path) else {
            return self.set(path, &Value::Array(vec![value.clone()]));
        };
        let JsoncKind::List(items) = &node.kind else {
            return Err(format!("{} is not a list", path.join(".")));
        };
        let last = items.last().map(|item| item.place.clone());
        Ok(self.added(node, last, None, value))
    }

    /// Returns the text with a value after the last one in an object or a list, in the same layout.
    fn added(
        &self,
        node: &JsoncNode,
        last: Option<Range<usize>>,
        name: Option<&str>,
        value: &Value,
    ) -> String {
        let name = name.map_or_else(String::new, |name| format!("{name}: "));
        let Some(Range { start, end }) = last else {
            // The object or list is empty: comments in it stay before the new value.
            let indent = self.indent_of(node.place.start);
            let inner = format!("{indent}{}", self.unit());
            let written = self.written(value, &inner);
            let at = node.place.end - 1;
            let with = format!("{}{inner}{name}{written}{}{indent}", self.line(), self.line());
            return spliced(self.text, at..at, &with);
        };
        let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let before = &self.text[line..start];
        let own_line = line > node.place.start && before.trim().is_empty();
        let comma = self.last_commas.iter().find(|comma| (end..node.place.end).contains(comma));
        let (at, first, last) = match comma {
            Some(comma) => (comma + 1, "", ","),
            None => (end, ",", ""),
        };
        let with = if own_line {
            format!("{first}{}{before}{name}{}{last}", self.line(), self.written(value, before))
        } else {
            format!("{first} {name}{value}{last}")
        };
        spliced(self.text, at..at, &with)
    }

    /// Returns the text without the member at `path`. A missing member leaves it unchanged.
    pub(crate) fn without(&self, path: &[&str]) -> String {
        let Some((name, way)) = path.split_last() else { return self.text.to_owned() };
        let Some(JsoncKind::Object(members)) = self.get(way).map(|node| &node.kind) else {
            return self.text.to_owned();
        };
        let places = members.iter().map(|one| one.name_place.start..one.value.place.end);
        let places: Vec<Range<usize>> = places.collect();
        match members.iter().position(|member| member.name == *name) {
            Some(index) => self.removed(self.get(way), &places, index),
            None => self.text.to_owned(),
        }
    }

    /// Returns the text without the item number `index` of the list at `path`.
    pub(crate) fn without_item(&self, path: &[&str], index: usize) -> String {
        let node = self.get(path);
        let Some(JsoncKind::List(items)) = node.map(|node| &node.kind) else {
            return self.text.to_owned();
        };
        let places: Vec<Range<usize>> = items.iter().map(|item| item.place.clone()).collect();
        self.removed(node, &places, index)
    }

    /// Removes one of several values, with one comma and the blanks around it. Comments stay.
    fn removed(&self, node: Option<&JsoncNode>, places: &[Range<usize>], index: usize) -> String {
        let (Some(node), Some(own)) = (node, places.get(index)) else {
            return self.text.to_owned();
        };
        let before = index.checked_sub(1).and_then(|index| places.get(index));
        let start = before.map_or(node.place.start + 1, |before| before.end);
        let end = places.get(index + 1).map_or(node.place.end - 1, |next| next.start);
        let commas = (self.comma(start..own.start), self.comma(own.end..end));
        let is_blank = |place: Range<usize>| self.text[place].trim_matches(BLANKS).is_empty();
        let place = match (before, commas) {
            (Some(_), (Some(comma), _))
                if is_blank(start..comma) && is_blank(comma + 1..own.start) =>
            {
                start..own.end
            }
            (None, (_, Some(comma)))
                if places.len() > 1 && is_blank(own.end..comma) && is_blank(comma + 1..end) =>
            {
                own.start..end
            }
            // Comments surround the value, or no other value is left.
            (_, (_, Some(comma))) => {
                let text = spliced(self.text, comma..comma + 1, "");
                return spliced(&text, self.with_line(own.clone(), start), "");
            }
            (_, (Some(comma), None)) => {
                let text = spliced(self.text, self.with_line(own.clone(), comma + 1), "");
                return spliced(&text, comma..comma + 1, "");
            }
            (_, (None, None)) => {
                let place = self.with_line(own.clone(), start);
                // Undo `added` for an empty object: remove the line break after the value, too.
                let has_break = place.start < own.start && is_blank(own.end..end);
                let ends_line = self.text[start..place.start].trim_end_matches([' ', '\t']);
                let is_safe = ends_line.is_empty() || ends_line.ends_with('\n');
                place.start..if has_break && is_safe { end } else { place.end }
            }
        };
        spliced(self.text, place, "")
    }

    /// Finds the comma in a range between two values.
    fn comma(&self, place: Range<usize>) -> Option<usize> {
        let (plain, last_commas) = plain(self.text);
        let found = memchr::memchr(b',', &plain[place.clone()]).map(|at| place.start + at);
        found.or_else(|| last_commas.into_iter().find(|comma| place.contains(comma)))
    }

    /// Returns a range with the blanks before it, up to the line break and not beyond `start`.
    fn with_line(&self, place: Range<usize>, start: usize) -> Range<usize> {
        let before = &self.text[start..place.start];
        let line = before.trim_end_matches([' ', '\t']);
        let line = line.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        line.map_or(place.start, |line| start + line.len())..place.end
    }

    /// Writes a value that is not plain over several lines.
    fn written(&self, value: &Value, indent: &str) -> String {
        let plain = match value {
            Value::Object(fields) => fields.is_empty(),
            Value::Array(items) => items.is_empty(),
            _ => true,
        };
        if plain {
            return value.to_string();
        }
        let pretty = serde_json::to_string_pretty(value).unwrap_or_default();
        let lines = pretty.lines().enumerate().map(|(number, line)| {
            let text = line.trim_start_matches(' ');
            let deep = self.unit().repeat((line.len() - text.len()) / 2);
            if number == 0 { text.to_owned() } else { format!("{indent}{deep}{text}") }
        });
        lines.collect::<Vec<_>>().join(self.line())
    }

    fn line(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// Returns the indent of one level.
    fn unit(&self) -> &'a str {
        let JsoncKind::Object(members) = &self.root.kind else { return "  " };
        let first = members.first().map(|first| self.indent_of(first.name_place.start));
        first.filter(|indent| !indent.is_empty()).unwrap_or("  ")
    }

    fn indent_of(&self, at: usize) -> &'a str {
        let line = self.text[..at].rfind('\n').map_or(0, |at| at + 1);
        let rest = &self.text[line..];
        &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
    }
}

impl JsoncNode {
    pub(crate) fn is_object(&self) -> bool {
        matches!(self.kind, JsoncKind::Object(_))
    }

    pub(crate) fn member(&self, name: &str) -> Option<&Member> {
        match &self.kind {
            // If several members have the same name, the last one counts.
            JsoncKind::Object(members) => members.iter().rev().find(|member| member.name == name),
            _ => None,
        }
    }
}

fn spliced(text: &str, place: Range<usize>, with: &str) -> String {
    [&text[..place.start], with, &text[place.end..]].concat()
}

/// Returns the text with blanks in place of comments and trailing commas, and the positions of
/// these commas. Errors stay, so that the parser reports them.
fn plain(text: &str) -> (Vec<u8>, Vec<usize>) {
    let mut bytes = text.as_bytes().to_vec();
    let (mut at, mut after_value, mut comma, mut commas) = (0, false, None, Vec::new());
    while at < bytes.len() {
        let len = match (bytes[at], bytes.get(at + 1)) {
            (b'"', _) => {
                (after_value, comma) = (true, None);
                string_len(&bytes[at..])
            }
            (b'/', Some(b'/')) => {
                let len = memchr::memchr(b'\n', &bytes[at..]).unwrap_or(bytes.len() - at);
                bytes[at..at + len].fill(b' ');
                len
            }
            (b'/', Some(b'*')) => {
                let Some(end) = memchr::memmem::find(&bytes[at + 2..], b"*/") else { break };
                let len = end + 4;
                // Line feeds stay, so that line numbers stay correct.
                let comment = bytes[at..at + len].iter_mut().filter(|byte| **byte != b'\n');
                comment.for_each(|byte| *byte = b' ');
                len
            }
            (b'}' | b']', _) => {
                if let Some(comma) = comma.take() {
                    bytes[comma] = b' ';
                    commas.push(comma);
                }
                after_value = true;
                1
            }
            (b',', _) => {
                comma = after_value.then_some(at);
                after_value = false;
                1
            }
            (byte, _) => {
                if !byte.is_ascii_whitespace() {
                    (after_value, comma) = (!b"{[:".contains(&byte), None);
                }
                1
            }
        };
        at += len;
    }
    (bytes, commas)
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

/// Finds the ranges of values in a text that is known to be valid JSON.
struct Reader<'a> {
    plain: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn blanks(&mut self) -> u8 {
        while self.plain.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.plain.get(self.at).copied().unwrap_or_default()
    }

    fn node(&mut self) -> JsoncNode {
        let first = self.blanks();
        let start = self.at;
        let kind = match first {
            b'{' => JsoncKind::Object(self.inside(b'}', Reader::member)),
            b'[' => JsoncKind::List(self.inside(b']', Reader::node)),
            b'"' => {
                self.at += string_len(&self.plain[self.at..]);
                JsoncKind::Plain
            }
            _ => {
                let is_end = |byte: &u8| byte.is_ascii_whitespace() || b",]}".contains(byte);
                let rest = self.plain.get(self.at..).unwrap_or_default();
                self.at += rest.iter().position(is_end).unwrap_or(rest.len());
                JsoncKind::Plain
            }
        };
        JsoncNode { place: start..self.at, kind }
    }

    fn member(&mut self) -> Member {
        self.blanks();
        let start = self.at;
        self.at += string_len(&self.plain[start..]);
        let name_place = start..self.at;
        let name = serde_json::from_slice(&self.plain[name_place.clone()]).unwrap_or_default();
        self.blanks();
        self.at += 1;
        Member { name, name_place, value: self.node() }
    }

    /// Reads the values between brackets.
    fn inside<T>(&mut self, end: u8, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut all = Vec::new();
        self.at += 1;
        while self.at < self.plain.len() {
            match self.blanks() {
                byte if byte == end => {
                    self.at += 1;
                    break;
                }
                b',' => self.at += 1,
                _ => all.push(one(self)),
            }
        }
        all
    }
}

#[cfg(test)]
mod tests;
