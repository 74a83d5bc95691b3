//! docs/json.md names every field that commands print.

use serde_json::{Map, Value};

use crate::program::{Test, numbered, saved_run};

/// Returns the example below each heading of the page.
fn examples() -> Vec<(String, Value)> {
    let page = include_str!("../../../../docs/json.md");
    let sections = page.split("\n## ").skip(1).filter_map(|section| {
        let (name, rest) = section.split_once('\n')?;
        let (_, rest) = rest.split_once("```json\n")?;
        let (json, _) = rest.split_once("```")?;
        let json = serde_json::from_str(json).unwrap_or_else(|why| panic!("{name}: {why}"));
        Some((name.to_owned(), json))
    });
    sections.collect()
}

/// Replaces values by the names of their types. Of a list only the first value counts.
fn shape(value: &Value) -> Value {
    match value {
        // A value may be missing in one call and not in another.
        Value::Null => "any".into(),
        Value::Bool(_) => "bool".into(),
        Value::Number(_) => "number".into(),
        Value::String(_) => "string".into(),
        Value::Array(values) => values.first().map(shape).into_iter().collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.clone(), shape(value)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
    }
}

/// Tells whether two shapes can be of the same kind of value.
fn agrees(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(word), _) | (_, Value::String(word)) if word == "any" => true,
        (Value::Array(one), Value::Array(other)) => {
            one.iter().zip(other).all(|(one, other)| agrees(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(name, value)| other.get(name).is_some_and(|other| agrees(value, other)))
        }
        (one, other) => one == other,
    }
}

#[test]
fn documented_json_is_what_commands_print() {
    let done = saved_run();
    let id = done.id();
    let cut = Test::new(&["cut", "--json", "--max-lines", "9"]).stdin(numbered(5_000)).run();
    let examples = examples();
    assert!(examples.len() >= 14, "{}", examples.len());
    for (name, example) in examples {
        let args: &[&str] = match name.as_str() {
            "Errors" => &["info", "--json", "nosuch"],
            "cut" => &[],
            "list" => &["list", "--json"],
            "info" => &["info", "--json", &id],
            "grep" => &["grep", "--json", "4242", &id],
            "explain" => &["explain", "--json", &id],
            "diff" => &["diff", "--json", &id, &id],
            "stats" => &["stats", "--json"],
            "pin" => &["pin", "--json", &id],
            "gc" => &["gc", "--json", "--dry-run"],
            "rm" => &["rm", "--force", "--json", &id],
            "config list" => &["config", "list", "--json"],
            "config path" => &["config", "path", "--json"],
            "doctor" => &["doctor", "--json"],
            "init" => &["init", "--json"],
            name => panic!("{name}: no command"),
        };
        let text = if args.is_empty() { cut.text() } else { done.then(args).1 };
        let mut values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        let printed = values.next().unwrap_or_else(|| panic!("{name}: no JSON")).unwrap();
        let (printed, example) = (shape(&printed), shape(&example));
        assert!(agrees(&printed, &example), "{name}\nprinted: {printed}\nexample: {example}");
    }
}

#[test]
fn shown_has_one_shape_in_all_commands() {
    let done = Test::new(&["cut", "--json", "--max-lines", "9"]).stdin(numbered(5_000)).run();
    let cut: Value = serde_json::from_str(&done.text()).unwrap();
    let listed: Value = serde_json::from_str(&done.then(&["list", "--json"]).1).unwrap();
    assert_eq!(cut["version"], 1);
    assert_eq!(listed["version"], 1);
    assert_eq!(listed["record"]["shown"]["bytes"], cut["shown"]["bytes"]);
    assert_eq!(listed["record"]["shown"]["lines"], cut["shown"]["lines"]);
    assert_eq!(listed["record"]["pieces"], cut["pieces"]);
}
