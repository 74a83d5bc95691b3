//! One table of tool results. The library, the hooks, the packages and the MCP proxy must shorten each
//! of them in the same way.
//!
//! Each test crate includes this file and brings its own surface: a function from a result to what the
//! reader gets.

#![allow(dead_code, reason = "not every test uses all of it")]

use serde_json::{Value, json};

/// A result, and what becomes of it.
pub(crate) struct Case {
    name: String,
    /// The result as a tool returns it.
    pub(crate) result: Value,
    /// The text of each part afterwards; `None` if the result is unchanged.
    content: Option<Vec<String>>,
    structured: Option<String>,
    /// The limit in characters.
    most: usize,
    saved: Vec<Vec<u8>>,
}

/// The limits of each surface in these tests, which are those of the hosts.
pub(crate) const MAX_BYTES: u64 = 51_200;
pub(crate) const MAX_LINES: u64 = 1_900;
pub(crate) const MAX_CHARS: u64 = 9_500;

/// Returns the table, with its placeholders filled in.
pub(crate) fn cases() -> Vec<Case> {
    let rows: Vec<Value> = serde_json::from_str(include_str!("cases.json")).unwrap();
    rows.iter().map(Case::of).collect()
}

impl Case {
    fn of(row: &Value) -> Case {
        let strings = |value: &Value| -> Vec<String> {
            value.as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
        };
        let saved = row.get("saved").and_then(Value::as_array).into_iter().flatten();
        let saved = saved.map(|texts| {
            let texts = texts.as_array().unwrap().iter().map(|text| match filled(text) {
                Value::String(text) => text,
                other => panic!("{other}"),
            });
            texts.collect::<Vec<_>>().join("\n").into_bytes()
        });
        Case {
            name: row["name"].as_str().unwrap().to_owned(),
            result: filled(&row["result"]),
            content: row.get("content").map(strings),
            structured: row.get("structured").map(|word| word.as_str().unwrap().to_owned()),
            most: row
                .get("most")
                .map_or(MAX_CHARS as usize, |most| most.as_u64().unwrap() as usize),
            saved: saved.collect(),
        }
    }

    /// Tells whether the tool says that it failed.
    pub(crate) fn has_error(&self) -> bool {
        self.result.get("isError") == Some(&Value::Bool(true))
    }

    /// Checks the answer of a surface: `after` is the new result, or `None` for an unchanged one.
    #[track_caller]
    pub(crate) fn check(&self, surface: &str, after: Option<&Value>, mut saved: Vec<Vec<u8>>) {
        let what = format!("{surface}: {}", self.name);
        let mut expected = self.saved.clone();
        expected.sort();
        saved.sort();
        let sizes = |saved: &[Vec<u8>]| saved.iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(sizes(&saved), sizes(&expected), "{what}: bytes saved");
        assert!(saved == expected, "{what}: saved");
        let Some(content) = &self.content else {
            let is_same = after.is_none_or(|after| after == &self.result);
            assert!(is_same, "{what}: the result must stay");
            return;
        };
        let after = after.unwrap_or_else(|| panic!("{what}: the result is too large"));
        let parts = after["content"].as_array().unwrap_or_else(|| panic!("{what}: no content"));
        let own = self.result.get("content").and_then(Value::as_array);
        let own = own.map_or(&[][..], Vec::as_slice);
        let (mut shown, mut described) = (String::new(), Vec::new());
        for (index, part) in parts.iter().enumerate() {
            let places =
                ["/text", "/resource/text", "/description", "/about/0/body", "/body", "/data"];
            let text = places.iter().find_map(|place| part.pointer(place)?.as_str());
            let text = text.unwrap_or_default();
            let is_file = text.starts_with("[overspill ") && text.contains(" is in this file: ");
            described.push(match own.get(index) {
                Some(own) if own == part => "same",
                _ if is_file => "file",
                Some(own) if part["type"] == "text" && own["type"] != "text" => "replaced",
                Some(own) => {
                    assert_eq!(part["annotations"], own["annotations"], "{what}");
                    assert_eq!(part["resource"]["uri"], own["resource"]["uri"], "{what}");
                    assert_eq!(part["type"], own["type"], "{what}");
                    match own["type"].as_str().unwrap() {
                        "text" => "text",
                        "resource" => "resource",
                        _ => "other",
                    }
                }
                None => "added",
            });
            if !is_file {
                shown.push_str(text);
            }
        }
        assert_eq!(&described, content, "{what}: parts");
        assert!(shown.chars().count() <= self.most, "{what}: {} characters", shown.chars().count());
        if described
            .iter()
            .any(|word| ["text", "resource", "other", "added", "replaced"].contains(word))
        {
            assert!(shown.starts_with("[overspill "), "{what}: {shown:.200}");
            assert!(shown.len() > self.most / 2, "{what}: only {} bytes", shown.len());
        }
        let structured = after.get("structuredContent");
        match self.structured.as_deref() {
            Some("gone") | None => assert_eq!(structured, None, "{what}"),
            Some(other) => panic!("{what}: unknown decision {other}"),
        }
    }
}

fn rows(count: u32) -> Value {
    json!({ "rows": (0..count).collect::<Vec<u32>>() })
}

fn short_strings() -> Value {
    (0..4_000).map(|n| format!("short string {n}")).collect()
}

/// Fills in the placeholders.
fn filled(value: &Value) -> Value {
    const MEDIA: usize = 1_800_000;
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap().into();
    match value {
        Value::String(text) => match text.as_str() {
            "@SHORT@" => "a short text".into(),
            "@LONG@" => {
                let lines = (1..=16_000).map(|n| format!("line {n} of a long text\n"));
                lines.collect::<String>().into()
            }
            "@DATA-URL@" => format!("data:image/png;base64,{}", "TUFQ".repeat(30_000)).into(),
            "@BASE64@" => "TUFQ".repeat(30_000).into(),
            "@BASE64-PART@" => {
                json!({ "type": "news", "data": "TUFQ".repeat(30_000) }).to_string().into()
            }
            "@SHORT-STRINGS@" => short_strings(),
            "@SHORT-STRINGS-PART@" => {
                json!({ "type": "news", "about": short_strings() }).to_string().into()
            }
            "@MEDIA@" => "TUFQ".repeat(MEDIA).into(),
            "@MEDIA-BYTES@" => "MAP".repeat(MEDIA).into(),
            "@ROWS@" => rows(800),
            "@ROWS-TEXT@" => pretty(&rows(800)),
            "@MANY-ROWS@" => rows(70_000),
            "@MANY-ROWS-TEXT@" => pretty(&rows(70_000)),
            "@MANY-ROWS-JSON@" => rows(70_000).to_string().into(),
            _ => value.clone(),
        },
        Value::Array(values) => values.iter().map(filled).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.clone(), filled(value))).collect()
        }
        other => other.clone(),
    }
}
