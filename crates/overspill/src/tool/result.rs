//! The layout of a result that is a JSON value, and the fields that mark it as shortened.

use std::borrow::Cow;

use overspill_core::{LeftOut, Limits};
use serde_json::{Map, Value, json};

use super::media::SavedMedia;
use super::rules::{PartField, PartRoom, ResultRules, Structured};
use super::same::{Compared, Digest};
use super::walk::{ResultChange, ResultWalk, StructuredChange};
use crate::Spilled;
use crate::profile::{PartKinds, ResultField, ResultLayout, Unmarked};

/// The field with structured content.
const STRUCTURED: &str = "structuredContent";

/// The content of a result that is measured and saved.
pub(super) struct Contents<'a> {
    pub(super) texts: Vec<Cow<'a, str>>,
    /// Parts for which the room is too small. Their JSON is among the texts, after their own texts.
    pub(super) as_text: Vec<PartAsText>,
    /// The JSON of the structured content, if it counts.
    pub(super) structured: Option<Vec<u8>>,
    /// Parts with large media, by index.
    pub(super) media: Vec<(usize, &'a Value)>,
}

/// A part whose JSON counts as text.
pub(super) struct PartAsText {
    pub(super) at: usize,
    /// The JSON is in the text of the part before it.
    pub(super) is_joined: bool,
}

impl Contents<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.structured.is_none() && self.media.is_empty()
    }

    /// Returns all text, joined by line feeds. Structured content that repeats the only text is
    /// left out.
    pub(super) fn joined(&self) -> String {
        let mut texts: Vec<&str> = self.texts.iter().map(|text| &**text).collect();
        let json = self.structured.as_deref().map(String::from_utf8_lossy);
        if let Some(json) = &json {
            let (mut digest, mut compared) = (Digest::default(), Compared::default());
            digest.push(texts.first().copied().unwrap_or_default().as_bytes());
            compared.push(json.as_bytes());
            if texts.len() != 1 || !digest.is_said_by(&compared) {
                texts.push(json);
            }
        }
        texts.join("\n")
    }

    /// Saves large media. Returns the line that replaces each part, by its index.
    pub(super) fn saved_media(&self, walk: &ResultWalk) -> Vec<(usize, String)> {
        self.media.iter().filter_map(|(at, part)| Some((*at, saved_line(part, walk)?))).collect()
    }
}

/// Saves the media of a part, and returns the line with the path of the file.
fn saved_line(part: &Value, walk: &ResultWalk) -> Option<String> {
    let (mut mime, mut uri, mut saved) = ("", None, None);
    PartKinds::Mcp.each(part, &mut |field, _, text| match field {
        PartField::MimeType => mime = text,
        PartField::Uri => uri = Some(text),
        PartField::Media
            if walk.rules().is_large(text.len() as u64) && !field.is_text(text.as_bytes()) =>
        {
            saved = walk.begin_media().and_then(|mut draft| {
                draft.push(text.as_bytes());
                draft.end()
            });
        }
        _ => {}
    });
    saved.as_ref().map(|saved: &SavedMedia| saved.line(mime, uri))
}

impl ResultField {
    /// Returns the value in this place.
    pub(super) fn get(self, fields: &Map<String, Value>) -> Option<&Value> {
        match self {
            ResultField::Top(key) => fields.get(key),
            ResultField::Metadata(key) => fields.get("metadata")?.as_object()?.get(key),
            ResultField::Nowhere => None,
        }
    }
}

impl ResultLayout {
    /// The layout of MCP results. They have no place for our marks.
    const MCP: ResultLayout = ResultLayout {
        text: "content",
        handled: ResultField::Nowhere,
        flag: ResultField::Nowhere,
        path: ResultField::Nowhere,
        left_out: None,
        record: None,
        error: Some("isError"),
        display: None,
        nothing: Unmarked::Unchanged,
        disabled: Unmarked::Unchanged,
        parts: PartKinds::Mcp,
    };

    /// Returns the layout of one result: this one, or that of MCP.
    pub(super) fn of(&self, fields: &Map<String, Value>) -> ResultLayout {
        let is_content = |value: &Value| value.is_array() || value.is_object() || value.is_string();
        let has_parts = fields.get(ResultLayout::MCP.text).is_some_and(is_content);
        let is_mcp = self.parts == PartKinds::Mcp
            && !fields.contains_key(self.text)
            && (has_parts || fields.contains_key(STRUCTURED));
        if is_mcp { ResultLayout::MCP } else { *self }
    }

    /// Returns the fields of a result with a list of parts. Some MCP servers send one part, or only
    /// its text, instead of a list.
    pub(super) fn listed<'a>(&self, fields: &'a Map<String, Value>) -> Cow<'a, Map<String, Value>> {
        let content = fields.get(self.text).filter(|_| self.text == ResultLayout::MCP.text);
        let list = match content {
            Some(Value::String(text)) => json!([{ "type": "text", "text": text }]),
            Some(Value::Object(part)) => json!([part]),
            _ => return Cow::Borrowed(fields),
        };
        let mut fields = fields.clone();
        fields.insert(self.text.to_owned(), list);
        Cow::Owned(fields)
    }

    /// Returns the text of a tool result, or `None` if it has no text.
    ///
    /// The result is an object with this layout or that of MCP, a list of parts, or a string. Line
    /// feeds join the texts.
    pub fn text_of(&self, result: &Value) -> Option<String> {
        let fields;
        let fields = match result {
            Value::Object(fields) => fields,
            content => {
                fields = Map::from_iter([(self.text.to_owned(), content.clone())]);
                &fields
            }
        };
        let room = PartRoom::of(&Limits::NONE);
        let layout = self.of(fields);
        let fields = layout.listed(fields);
        let contents = layout.contents(&fields, &ResultRules::default(), room);
        let has_text = !contents.texts.is_empty() || contents.structured.is_some();
        has_text.then(|| contents.joined())
    }

    /// Tells whether a tool reports that it failed.
    pub(super) fn is_error(&self, fields: &Map<String, Value>) -> bool {
        self.error.is_some_and(|key| fields.get(key) == Some(&Value::Bool(true)))
    }

    /// Tells whether errors have half of the room, because some MCP clients show their text twice.
    pub(super) fn halves_errors(&self) -> bool {
        self.parts == PartKinds::Mcp
    }

    /// Tells whether every result is marked, cut or not.
    pub(super) fn marks(&self) -> bool {
        self.flag != ResultField::Nowhere
    }

    /// Returns the content that is measured and saved.
    pub(super) fn contents<'a>(
        &self,
        fields: &'a Map<String, Value>,
        rules: &ResultRules,
        mut room: PartRoom,
    ) -> Contents<'a> {
        let (mut texts, mut media, mut as_text) = (Vec::new(), Vec::new(), Vec::new());
        match fields.get(self.text) {
            Some(Value::String(text)) if !text.is_empty() => texts.push(text.into()),
            Some(Value::Array(parts)) => {
                for (at, part) in parts.iter().enumerate() {
                    let (mut is_large, texts_before) = (false, texts.len());
                    self.parts.each(part, &mut |field, _, text| {
                        if field.is_text(text.as_bytes()) {
                            texts.push(text.into());
                        } else if field == PartField::Media {
                            is_large |= rules.is_large(text.len() as u64);
                        }
                    });
                    if is_large {
                        media.push((at, part));
                    } else if let Some(json) = self.parts.without_room(part, &mut room) {
                        // Neighbouring parts are one text.
                        let follows =
                            as_text.last().is_some_and(|last: &PartAsText| last.at + 1 == at);
                        let is_joined = follows && texts.len() == texts_before;
                        match texts.last_mut().filter(|_| is_joined) {
                            Some(text) => {
                                let text: &mut String = Cow::to_mut(text);
                                text.push('\n');
                                text.push_str(&json);
                            }
                            None => texts.push(json.into()),
                        }
                        as_text.push(PartAsText { at, is_joined });
                    }
                }
            }
            _ => {}
        }
        let counts = self.parts == PartKinds::Mcp && rules.structured != Structured::Keep;
        let structured = fields.get(STRUCTURED).filter(|_| counts);
        let structured = structured.map(|value| value.to_string().into_bytes());
        Contents { texts, as_text, structured, media }
    }

    /// Returns a result with its changes and marks.
    pub(super) fn changed(
        &self,
        fields: &Map<String, Value>,
        change: ResultChange,
        media: &[(usize, String)],
        as_text: &[PartAsText],
    ) -> Map<String, Value> {
        let mut fields = fields.clone();
        let ResultChange { texts, added, structured, spilled } = change;
        if let Some(content) = fields.get_mut(self.text) {
            match content {
                Value::Array(parts) => self.parts.replace(parts, texts, media, as_text),
                Value::String(text) => {
                    if let Some(shown) = texts.and_then(|texts| texts.into_iter().next()) {
                        *text = shown.unwrap_or_default();
                    }
                }
                _ => {}
            }
        }
        if let Some(added) = added {
            match fields.get_mut(self.text) {
                Some(Value::Array(parts)) => parts.push(json!({ "type": "text", "text": added })),
                Some(Value::String(text)) => {
                    text.push('\n');
                    text.push_str(&added);
                }
                _ => {
                    let parts = json!([{ "type": "text", "text": added }]);
                    fields.insert(self.text.to_owned(), parts);
                }
            }
        }
        match structured {
            StructuredChange::Stays => {}
            StructuredChange::Removed => drop(fields.shift_remove(STRUCTURED)),
            StructuredChange::Becomes(value) => drop(fields.insert(STRUCTURED.to_owned(), value)),
        }
        match spilled {
            None => set(&mut fields, self.flag, Some(Value::Bool(false))),
            Some(spilled) => self.mark(&mut fields, &spilled),
        }
        fields
    }

    /// Marks a result as shortened.
    fn mark(&self, fields: &mut Map<String, Value>, spilled: &Spilled) {
        set(fields, self.flag, Some(Value::Bool(true)));
        set(fields, self.path, spilled.path().map(Value::from));
        if let Some((lines, bytes)) = self.left_out {
            let (in_lines, in_bytes) = match spilled.left_out {
                LeftOut::Lines(n) => (Some(Value::from(n)), None),
                LeftOut::Bytes(n) => (None, Some(Value::from(n))),
                LeftOut::Chars(_) => (None, None),
            };
            set(fields, lines, in_lines);
            set(fields, bytes, in_bytes);
        }
        if let Some(record) = self.record {
            set(fields, record, Some(own_record(spilled)));
        }
        if let Some(display) = self.display {
            self.replace_display(fields, display);
        }
    }

    /// Replaces the text for people by the text for the model, unless it is short or not text.
    fn replace_display(&self, fields: &mut Map<String, Value>, display: &str) {
        const SHORT: usize = 5000;
        let stays = match fields.get(display) {
            Some(Value::String(text)) => text.len() <= SHORT,
            Some(Value::Object(_)) => true,
            _ => false,
        };
        let room = PartRoom::of(&Limits::NONE);
        let texts = self.contents(fields, &ResultRules::default(), room).texts;
        if !stays && !texts.is_empty() {
            let text = texts.join("\n");
            fields.insert(display.to_owned(), Value::String(text));
        }
    }
}

/// Returns the record by which we recognise our own work.
fn own_record(spilled: &Spilled) -> Value {
    let mut record = json!({
        "id": spilled.saved.as_ref().ok().map(|saved| saved.id.to_string()),
        "bytes": spilled.total.bytes,
        "lines": spilled.total.lines,
        "shownBytes": spilled.shown.bytes,
        "shownLines": spilled.shown.lines,
        "saveError": spilled.saved.as_ref().err().map(ToString::to_string),
    });
    if spilled.masked > 0 {
        record["masked"] = spilled.masked.into();
    }
    record
}

/// Sets a value in its place, or removes it.
fn set(fields: &mut Map<String, Value>, place: ResultField, value: Option<Value>) {
    let (fields, key) = match place {
        ResultField::Nowhere => return,
        ResultField::Top(key) => (fields, key),
        ResultField::Metadata(key) => {
            let metadata = fields.entry("metadata").or_insert(Value::Null);
            if metadata.is_null() {
                *metadata = Value::Object(Map::new());
            }
            // Metadata of another kind does not belong to overspill.
            let Value::Object(metadata) = metadata else { return };
            (metadata, key)
        }
    };
    match value {
        Some(value) => drop(fields.insert(key.to_owned(), value)),
        None => drop(fields.shift_remove(key)),
    }
}
