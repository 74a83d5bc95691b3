//! Finds the strings in the parts of a result that are text, and puts their shares back.

use serde_json::{Value, json};

use super::result::PartAsText;
use super::rules::{PartField, PartRoom, is_removed_without_text};
use crate::profile::PartKinds;

/// Receives each string of a part: its role, its place as a JSON pointer, and its text.
type TakeString<'t, 'a> = &'t mut dyn FnMut(PartField, &str, &'a str);

impl PartKinds {
    /// Calls `take` with each string of a part of these kinds, in order.
    pub(super) fn each<'a>(self, part: &'a Value, take: TakeString<'_, 'a>) {
        match (self, part) {
            (PartKinds::Mcp, Value::Object(_) | Value::Array(_)) => {
                each_string(part, &mut Vec::new(), &mut String::new(), take);
            }
            (PartKinds::Text, Value::Object(fields)) if is_text_part(part) => {
                if let Some(Value::String(text)) = fields.get("text") {
                    take(PartField::Text, "/text", text);
                }
            }
            _ => {}
        }
    }

    /// Counts a part that is not only text. Returns the JSON of the part without texts if the room
    /// is too small for the part.
    pub(super) fn without_room(self, part: &Value, room: &mut PartRoom) -> Option<String> {
        let is_only_text =
            || is_text_part(part) && part.as_object().is_some_and(|part| part.len() == 2);
        if self != PartKinds::Mcp || is_only_text() {
            return None;
        }
        let (mut free, mut media, mut texts) = (0, 0, Vec::new());
        self.each(part, &mut |field, place, text| match field {
            field if field.is_text(text.as_bytes()) => texts.push(place.to_owned()),
            PartField::Meta => free += json_len(text),
            PartField::Media | PartField::ForeignMedia => media += json_len(text),
            _ => {}
        });
        let mut rest = part.clone();
        for place in texts {
            if let Some(text) = rest.pointer_mut(&place) {
                *text = "".into();
            }
        }
        let rest = rest.to_string();
        let kind = part.get("type").and_then(Value::as_str).unwrap_or_default().as_bytes();
        room.is_full_after(kind, rest.len() as u64 - free, media).then_some(rest)
    }

    /// Puts the share of each text in its place, and a line in the place of each part with large
    /// media.
    pub(super) fn replace(
        self,
        parts: &mut Vec<Value>,
        shares: Option<Vec<Option<String>>>,
        media: &[(usize, String)],
        as_text: &[PartAsText],
    ) {
        let mut shares = shares.map(Vec::into_iter);
        let mut indexes = 0..;
        parts.retain_mut(|part| {
            let index = indexes.next();
            let mut places = Vec::new();
            if let Some(shares) = &mut shares {
                self.each(part, &mut |field, place, text| {
                    if field.is_text(text.as_bytes()) {
                        places.push((place.to_owned(), shares.next().flatten()));
                    }
                });
            }
            let found = index.map(|index| as_text.binary_search_by_key(&index, |part| part.at));
            if let (Some(Ok(found)), Some(shares)) = (found, &mut shares) {
                if as_text[found].is_joined {
                    return false;
                }
                let shown =
                    places.into_iter().map(|(_, share)| share).chain([shares.next().flatten()]);
                let shown: Vec<String> = shown.flatten().collect();
                *part = json!({ "type": "text", "text": shown.join("\n") });
                return !shown.is_empty();
            }
            if let Some((_, line)) = media.iter().find(|(at, _)| Some(*at) == index) {
                *part = json!({ "type": "text", "text": line });
                return true;
            }
            let kind = part.get("type").and_then(Value::as_str).unwrap_or_default().as_bytes();
            let shows_nothing = places.iter().all(|(_, share)| share.is_none());
            if shows_nothing && is_removed_without_text(kind, places.len()) {
                return false;
            }
            for (place, share) in places {
                if let Some(text) = part.pointer_mut(&place) {
                    *text = share.unwrap_or_default().into();
                }
            }
            true
        });
    }
}

/// Returns the length of a string in JSON, without quotes.
fn json_len(text: &str) -> u64 {
    serde_json::to_string(text).map_or(0, |json| json.len() as u64 - 2)
}

fn is_text_part(part: &Value) -> bool {
    part.get("type").and_then(Value::as_str) == Some("text")
}

fn each_string<'a>(
    value: &'a Value,
    path: &mut Vec<&'a str>,
    pointer: &mut String,
    take: TakeString<'_, 'a>,
) {
    let len = pointer.len();
    match value {
        Value::String(text) => take(PartField::at(path), pointer, text),
        Value::Object(fields) => {
            for (key, value) in fields {
                path.push(key);
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                each_string(value, path, pointer, take);
                pointer.truncate(len);
                path.pop();
            }
        }
        Value::Array(values) => {
            path.push("[]");
            for (index, value) in values.iter().enumerate() {
                pointer.push_str(&format!("/{index}"));
                each_string(value, path, pointer, take);
                pointer.truncate(len);
            }
            path.pop();
        }
        _ => {}
    }
}
