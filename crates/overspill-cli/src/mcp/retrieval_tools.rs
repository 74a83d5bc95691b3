//! Our own tools, by which a model reaches what was saved.

mod arguments;
mod resources;

use overspill::core::Limits;
use overspill::notice::{ToolNames, defused};
use overspill::retrieve::{self, FromValue, JsonPath, Part, Query};
use overspill::store::{OutputId, Store};
use serde_json::{Map, Value, json};

use super::scope::OutputScope;
use crate::command::read::{end_line, what_is_shown};
use crate::ui;
use arguments::Arguments;

/// Our tools, under the names that nobody else has here.
#[derive(Debug, Clone)]
pub(super) struct RetrievalTools {
    pub(super) names: ToolNames,
    pub(super) list: String,
    pub(super) scope: OutputScope,
    /// What one answer may take.
    pub(super) limits: Limits,
}

/// What the last line of an answer may take.
const FOOTER_BYTES: u64 = 500;

impl RetrievalTools {
    /// Returns the names with `prefix`, other than those in `taken`.
    pub(super) fn names(prefix: &str, taken: &[&str]) -> (ToolNames, String) {
        let free = |name: &str| {
            let first = format!("{prefix}{name}");
            let others = (2..).map(|n| format!("{prefix}{name}_{n}"));
            let mut all = std::iter::once(first.clone()).chain(others);
            all.find(|name| !taken.contains(&name.as_str())).unwrap_or(first)
        };
        (ToolNames { read: free("read"), grep: free("grep") }, free("list"))
    }

    /// Tells whether a tool is one of ours.
    pub(super) fn has(&self, tool: &str) -> bool {
        [&self.names.read, &self.names.grep, &self.list].contains(&&tool.to_owned())
    }

    /// Returns what a client of a server is told of them. The list is there once there is something to
    /// list: every definition takes room in the model's context.
    pub(super) fn definitions(&self, store: &dyn Store) -> Vec<Value> {
        let has_many = self.scope.entries(store).is_ok_and(|entries| entries.len() > 1);
        let [read, grep, list] = self.all();
        [Some(read), Some(grep), has_many.then_some(list)].into_iter().flatten().collect()
    }

    /// Returns what there is to be told of all of them.
    pub(super) fn all(&self) -> [Value; 3] {
        let id = json!({"type": "string", "description": "The id from the notice, or its beginning or end."});
        let tool = |name: &str, description: &str, properties: Value, required: Value| {
            json!({
                "name": name,
                "description": description,
                "inputSchema": {"type": "object", "properties": properties, "required": required},
                "annotations": {"readOnlyHint": true, "openWorldHint": false},
            })
        };
        let text = |description: &str| json!({"type": "string", "description": description});
        let whole = |description: &str| json!({"type": "integer", "description": description});
        let read = tool(
            &self.names.read,
            "Reads a part of a tool result that was too large to be shown whole. Answers are pages; \
             each ends with the arguments for the next one.",
            json!({
                "id": id,
                "lines": text("Lines A:B, both included, counted from 1, such as 181:380."),
                "bytes": text("Bytes from A up to B, as A:B, counted from 0."),
                "tail": whole("The last so many lines."),
                "json": text("A JSONPath such as $.items[*].name, or a JSON Pointer; of a result that is JSON."),
                "from": text("With json: from this value on."),
            }),
            json!(["id"]),
        );
        let grep = tool(
            &self.names.grep,
            "Searches in a tool result that was too large to be shown whole. Shows the lines that match, with \
             their numbers.",
            json!({
                "id": id,
                "pattern": text("A regular expression."),
                "context": whole("So many lines around each match."),
                "limit": whole("No more than so many matches."),
                "ignore_case": {"type": "boolean"},
                "fixed": {"type": "boolean", "description": "The pattern is plain text."},
                "from_line": whole("From this line on."),
            }),
            json!(["id", "pattern"]),
        );
        let list = tool(
            &self.list,
            "Lists the tool results that were too large to be shown whole, the last one first.",
            json!({}),
            json!([]),
        );
        [read, grep, list]
    }

    /// Calls one of them; what went wrong is said to the model.
    pub(super) fn call(&self, store: &dyn Store, tool: &str, arguments: &Value) -> Value {
        let nothing = Map::new();
        let arguments = Arguments(arguments.as_object().unwrap_or(&nothing));
        let answer = self.check(tool, arguments).and_then(|()| {
            if tool == self.names.read {
                self.read(store, arguments)
            } else if tool == self.names.grep {
                self.grep(store, arguments)
            } else {
                self.list(store)
            }
        });
        let (text, failed) = match answer {
            Ok(text) => (text, false),
            Err(reason) => (reason, true),
        };
        let mut result = json!({"content": [{"type": "text", "text": text}]});
        if failed {
            result["isError"] = Value::Bool(true);
        }
        result
    }

    /// Refuses arguments that the tool does not know.
    fn check(&self, tool: &str, arguments: Arguments) -> Result<(), String> {
        let all = self.all();
        let definition = all.iter().find(|definition| definition["name"] == tool);
        let known = definition.and_then(|tool| tool["inputSchema"]["properties"].as_object());
        known.map_or(Ok(()), |known| arguments.check(tool, known))
    }

    fn room(&self) -> Limits {
        let Limits { bytes, lines, chars, tokens } = self.limits;
        let most = [bytes, chars, tokens].into_iter().flatten().min().unwrap_or(51_200);
        let bytes = most.saturating_sub(FOOTER_BYTES).max(most / 2);
        Limits {
            bytes: Some(bytes),
            lines: lines.map(|most| most.saturating_sub(1)),
            ..Limits::NONE
        }
    }

    fn read(&self, store: &dyn Store, arguments: Arguments) -> Result<String, String> {
        let name = self.output(store, arguments)?;
        arguments.one_of(&["lines", "bytes", "tail", "json"])?;
        let (mut text, footer) = match arguments.text("json")? {
            Some(path) => self.values(store, &name, path, arguments.from()?)?,
            None => self.page(store, &name, &arguments.part()?)?,
        };
        end_line(&mut text);
        text.push_str(&footer);
        let _ = store.retrieved(&name, text.len() as u64);
        Ok(text)
    }

    fn output(&self, store: &dyn Store, arguments: Arguments) -> Result<OutputId, String> {
        let id = arguments.text("id")?.unwrap_or_default();
        if id.is_empty() {
            return Err("id is missing: it is the id from the notice, such as 01KA…".into());
        }
        self.scope.find(store, id)
    }

    fn page(
        &self,
        store: &dyn Store,
        name: &OutputId,
        part: &Part,
    ) -> Result<(String, String), String> {
        let page = retrieve::read(store, name, part, &self.room()).map_err(|e| e.to_string())?;
        let what = what_is_shown(store, name, &page);
        let next = match &page.next {
            None => String::new(),
            Some(Part::Lines(from, to)) => self.next(name, "lines", &format!("{from}:{to}")),
            Some(Part::Bytes(range)) => {
                self.next(name, "bytes", &format!("{}:{}", range.start, range.end))
            }
            Some(Part::Tail(count)) => self.next(name, "tail", &count.to_string()),
        };
        Ok((page.text, format!("[overspill {}: {what}{next}]\n", name.token())))
    }

    fn next(&self, name: &OutputId, key: &str, value: &str) -> String {
        format!("; next: {} {}", self.names.read, json!({"id": name, key: value}))
    }

    fn values(
        &self,
        store: &dyn Store,
        name: &OutputId,
        path: &str,
        from: FromValue,
    ) -> Result<(String, String), String> {
        let shown = ui::short(path, 200);
        let path = JsonPath::parse(path).map_err(|bad| format!("{shown}: {bad}"))?;
        let mut room = self.room();
        room.bytes = room.bytes.map(|most| most.saturating_sub(shown.len() as u64));
        let missing = retrieve::missing_lines(store, name).map_err(|e| e.to_string())?;
        let missing = missing.map(|missing| format!("; {missing}")).unwrap_or_default();
        let values =
            retrieve::values(store, name, &path, from, &room).map_err(|e| e.to_string())?;
        if values.shown == 0 {
            return Err(format!("nothing in {name} is at {shown}{missing}"));
        }
        let (first, last) = (from.value.max(1), from.value.max(1) + values.shown - 1);
        let next = values.next.map_or(String::new(), |FromValue { value, byte }| {
            let byte = if byte > 0 { format!(":{byte}") } else { String::new() };
            let arguments =
                json!({"id": name, "json": path.to_string(), "from": format!("{value}{byte}")});
            format!("; next: {} {arguments}", self.names.read)
        });
        let footer =
            format!("[overspill {}: values {first}–{last}{missing}{next}]\n", name.token());
        // A model reads it.
        Ok((defused(values.text), footer))
    }

    fn grep(&self, store: &dyn Store, arguments: Arguments) -> Result<String, String> {
        let name = self.output(store, arguments)?;
        let context = arguments.number("context")?.unwrap_or(0).min(1_000) as usize;
        let query = Query {
            pattern: arguments.text("pattern")?.ok_or("pattern is missing")?.to_owned(),
            ignore_case: arguments.flag("ignore_case")?,
            fixed: arguments.flag("fixed")?,
            before: context,
            after: context,
            most: match arguments.number("limit")? {
                Some(0) => return Err("limit is a whole number, 1 or more".into()),
                most => most,
            },
            from_line: arguments.number("from_line")?.unwrap_or(1),
            ..Query::default()
        };
        let mut room = self.room();
        let pattern_len = query.pattern.len() as u64;
        room.bytes = room.bytes.map(|most| most.saturating_sub(pattern_len).max(most / 2));
        let found = retrieve::grep(store, &name, &query, &room).map_err(|error| {
            ui::short(&format!("the pattern cannot be searched for: {error}"), 400)
        })?;
        let mut text = found.text();
        let token = name.token();
        let missing = found.not_searched.map(|missing| format!("{missing} and not searched"));
        if text.is_empty() && found.next_line.is_none() {
            let missing = missing.map(|missing| format!("; {missing}")).unwrap_or_default();
            return Ok(format!("[overspill {token}: nothing matches{missing}]\n"));
        }
        if let Some(line) = found.next_line {
            let mut next = arguments.0.clone();
            next.insert("id".into(), name.as_str().into());
            next.insert("from_line".into(), line.into());
            if let Some(most) = query.most {
                next.insert("limit".into(), most.saturating_sub(found.shown).into());
            }
            let next = format!("{} {}", self.names.grep, Value::Object(next));
            text.push_str(&format!("[overspill {token}: more from line {line}; next: {next}]\n"));
        }
        if let Some(missing) = missing {
            text.push_str(&format!("[overspill {token}: {missing}]\n"));
        }
        let _ = store.retrieved(&name, text.len() as u64);
        Ok(text)
    }

    fn list(&self, store: &dyn Store) -> Result<String, String> {
        let mut text = String::new();
        let most = self.room().bytes.unwrap_or(u64::MAX) as usize;
        for (entry, record) in self.scope.entries(store)? {
            let what = record.call.command.or(record.call.tool).unwrap_or_default();
            let (size, lines, what) = (ui::size(entry.bytes), record.lines, ui::short(&what, 80));
            let line = format!("{}  {size} in {lines} lines  {what}\n", entry.name);
            if text.len() + line.len() > most {
                text.push_str("[overspill: there are more, and older ones]\n");
                break;
            }
            text.push_str(&line);
        }
        if text.is_empty() {
            text.push_str("Nothing is saved here.\n");
        }
        Ok(text)
    }
}
