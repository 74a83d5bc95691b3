//! The tools by which a model reads and searches saved outputs.

mod arguments;
mod resources;

use overspill::Part;
use overspill::core::Limits;
use overspill::internal::notice::{ToolNames, defused, mark_line};
use overspill::internal::retrieve::{self, BadPath, FromValue, JsonPath};
use overspill::retrieve::{Answer, Request};
use overspill::store::{OutputId, Store};
use serde_json::{Map, Value, json};

use super::scope::OutputScope;
use crate::ui;
use arguments::Arguments;

/// The retrieval tools, with names that no tool of the server has.
#[derive(Debug, Clone)]
pub(super) struct RetrievalTools {
    pub(super) names: ToolNames,
    pub(super) list: String,
    pub(super) scope: OutputScope,
    /// The limits of an answer.
    pub(super) limits: Limits,
}

/// The largest number of bytes of the footer, without a path or pattern.
const FOOTER_BYTES: u64 = 500;

impl RetrievalTools {
    /// Returns the names of `read` and `grep`, and of `list`: with `prefix`, and not in `taken`.
    pub(super) fn names(prefix: &str, taken: &[&str]) -> (ToolNames, String) {
        let free = |name: &str| {
            let first = format!("{prefix}{name}");
            let others = (2..).map(|n| format!("{prefix}{name}_{n}"));
            let mut all = std::iter::once(first.clone()).chain(others);
            all.find(|name| !taken.contains(&name.as_str())).unwrap_or(first)
        };
        (ToolNames { read: free("read"), grep: free("grep") }, free("list"))
    }

    /// Tells whether a tool is one of the retrieval tools.
    pub(super) fn has(&self, tool: &str) -> bool {
        [&self.names.read, &self.names.grep, &self.list].contains(&&tool.to_owned())
    }

    /// Returns the definitions for a client with a server behind the proxy. They include `list`
    /// only if the client can reach more than one output, because every definition takes room in
    /// the model's context.
    pub(super) fn definitions(&self, store: &dyn Store) -> Vec<Value> {
        let has_many = self.scope.entries(store).is_ok_and(|entries| entries.len() > 1);
        let [read, grep, list] = self.all();
        [Some(read), Some(grep), has_many.then_some(list)].into_iter().flatten().collect()
    }

    /// Returns the definitions of the three retrieval tools.
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
                "tail": whole("The number of lines at the end to read."),
                "json": text("A JSONPath such as $.items[*].name, or a JSON Pointer; of a result that is JSON."),
                "from": text("With json: the value to start at."),
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
                "context": whole("The number of lines to show around each match."),
                "limit": whole("The largest number of matches to show."),
                "ignore_case": {"type": "boolean"},
                "fixed": {"type": "boolean", "description": "The pattern is plain text."},
                "from_line": whole("The line to start at."),
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

    /// Calls a tool. An error becomes a result that the model reads.
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

    /// Returns the limits of a page without its footer. `repeated` is the number of bytes of the
    /// request that the footer repeats.
    fn room(&self, repeated: u64) -> Limits {
        let Limits { bytes, lines, chars, tokens } = self.limits;
        let most = [bytes, chars, tokens].into_iter().flatten().min().unwrap_or(51_200);
        let bytes = most.saturating_sub(FOOTER_BYTES).max(most / 2);
        let bytes = bytes.saturating_sub(repeated).max(bytes / 2);
        Limits {
            bytes: Some(bytes),
            lines: lines.map(|most| most.saturating_sub(1)),
            ..Limits::NONE
        }
    }

    fn read(&self, store: &dyn Store, arguments: Arguments) -> Result<String, String> {
        let name = self.output(store, arguments)?;
        let part = arguments.one_of(&["lines", "bytes", "tail", "json"])?;
        if part.is_none()
            && let Some(label) =
                retrieve::binary_label(store, &name).map_err(|error| error.to_string())?
        {
            return Ok(self.binary_line(store, &name, &label));
        }
        let answer = match arguments.text("json")? {
            Some(path) => self.values(store, &name, path, arguments.from()?)?,
            None => {
                let page = retrieve::read(store, &name, &arguments.part()?, &self.room(0));
                page.map_err(|error| error.to_string())?.answer(store, &name)
            }
        };
        let text = answer.to_text(|next| self.request(next));
        let _ = store.retrieved(&name, text.len() as u64, &answer.parts);
        Ok(text)
    }

    /// Returns the line about an output that is not text.
    fn binary_line(&self, store: &dyn Store, name: &OutputId, label: &str) -> String {
        let size = store.entry(name).map_or_else(|_| String::new(), |it| ui::size(it.bytes) + ", ");
        let (read, grep) = (&self.names.read, &self.names.grep);
        let bytes = json!({ "id": name.short_id(), "bytes": "0:256" });
        let what = format!("{label}, {size}not shown; {grep} searches it; {read} {bytes}");
        mark_line(Some(name), &what)
    }

    fn output(&self, store: &dyn Store, arguments: Arguments) -> Result<OutputId, String> {
        let id = arguments.text("id")?.unwrap_or_default();
        if id.is_empty() {
            return Err("id is missing: it is the id from the notice, such as q7atzy".into());
        }
        self.scope.find(store, id)
    }

    fn values(
        &self,
        store: &dyn Store,
        name: &OutputId,
        path: &str,
        from: FromValue,
    ) -> Result<Answer, String> {
        let bad = |bad: BadPath| format!("{}: {bad}", ui::short(path, 200));
        let path = JsonPath::parse(path).map_err(bad)?;
        let room = self.room(json!(path.to_string()).to_string().len() as u64);
        let values = retrieve::values(store, name, &path, from, &room);
        let values = values.map_err(|error| error.to_string())?;
        let is_empty = values.shown == 0;
        let answer = values.answer(name, &path);
        // Programs get exact values. Here a model reads them, so forged marks are made harmless.
        let text = defused(answer.text);
        if is_empty { Err(answer.what) } else { Ok(Answer { text, ..answer }) }
    }

    fn grep(&self, store: &dyn Store, arguments: Arguments) -> Result<String, String> {
        let name = self.output(store, arguments)?;
        let query = arguments.query()?;
        let room = self.room(json!(query.pattern).to_string().len() as u64);
        let found = retrieve::grep(store, &name, &query, &room).map_err(|error| {
            ui::short(&format!("the pattern cannot be searched for: {error}"), 400)
        })?;
        let answer = found.answer(&name, &query);
        let text = answer.to_text(|next| self.request(next));
        if !found.lines.is_empty() {
            let _ = store.retrieved(&name, text.len() as u64, &answer.parts);
        }
        Ok(text)
    }

    /// Returns a request as the name of a tool and its arguments.
    fn request(&self, request: &Request) -> String {
        let (tool, arguments) = match request {
            Request::Part { id, part } => {
                let (key, value) = match part {
                    Part::Lines(from, to) => ("lines", format!("{from}:{to}")),
                    Part::Bytes(range) => ("bytes", format!("{}:{}", range.start, range.end)),
                    Part::Tail(count) => ("tail", count.to_string()),
                };
                (&self.names.read, json!({ "id": id.short_id(), key: value }))
            }
            Request::Values { id, path, from } => {
                let (path, from) = (path.to_string(), from.to_string());
                (&self.names.read, json!({ "id": id.short_id(), "json": path, "from": from }))
            }
            Request::Search { id, query } => (&self.names.grep, arguments::of_search(id, query)),
            // No retrieval tool compares outputs.
            Request::Compare { .. } => return String::new(),
        };
        format!("{tool} {arguments}")
    }

    fn list(&self, store: &dyn Store) -> Result<String, String> {
        let mut text = String::new();
        let most = self.room(0).bytes.unwrap_or(u64::MAX) as usize;
        for (entry, record) in self.scope.entries(store)? {
            let what = record.call.command.or(record.call.tool).unwrap_or_default();
            let (size, lines, what) = (ui::size(entry.bytes), record.lines, ui::short(&what, 80));
            let line = format!("{}  {size} in {lines} lines  {what}\n", entry.name.short_id());
            if text.len() + line.len() > most {
                text.push_str(&mark_line(None, "older outputs are not listed"));
                break;
            }
            text.push_str(&line);
        }
        if text.is_empty() {
            text.push_str("No saved outputs in this session and project.\n");
        }
        Ok(text)
    }
}
