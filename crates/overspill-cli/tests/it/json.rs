//! Compares the JSON of commands with docs/json.md and the schemas.

use serde_json::{Map, Value};

use crate::program::{Test, numbered, saved_run};

const PI_SESSION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transcripts/pi.jsonl");

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

/// Replaces values by the names of their types. Only the first value of a list counts.
fn shape(value: &Value) -> Value {
    match value {
        // A value may be null in one call and not in another.
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

/// Tells whether two shapes can belong to the same kind of value.
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
            "errors" => &["info", "--json", "nosuch"],
            "cut" => &[],
            "list" => &["list", "--json"],
            "info" => &["info", "--json", &id],
            "grep" => &["grep", "--json", "4242", &id],
            "explain" => &["explain", "--json", &id],
            "diff" => &["diff", "--json", &id, &id],
            "stats" => &["stats", "--json"],
            "audit" => &["audit", "--json", PI_SESSION],
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

/// Runs a command, and returns the objects that it prints, one on each line.
fn printed(done: &crate::program::Done, args: &[&str]) -> Vec<Value> {
    let (_, text, error) = done.then(args);
    let object =
        |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{args:?}: {line}"));
    let objects: Vec<Value> = text.lines().map(object).collect();
    assert!(!objects.is_empty(), "{args:?}: {error}");
    objects
}

/// Returns the schema of one command. The test refuses fields that the schema does not name,
/// although programs should ignore them.
fn schema(name: &str) -> Value {
    fn closed(value: &mut Value) {
        if let Value::Object(fields) = value {
            if fields.get("properties").is_some_and(Value::is_object) {
                fields.insert("additionalProperties".into(), false.into());
            }
            fields.values_mut().for_each(closed);
        } else if let Value::Array(values) = value {
            values.iter_mut().for_each(closed);
        }
    }
    let mut all: Value =
        serde_json::from_str(include_str!("../../../../docs/schema/overspill.json")).unwrap();
    assert!(all["$defs"][name].is_object(), "{name}");
    all["anyOf"] = serde_json::json!([{ "$ref": format!("#/$defs/{name}") }]);
    closed(&mut all["$defs"]);
    all
}

#[test]
fn json_of_every_command_is_valid_by_its_schema() {
    let done = saved_run();
    let id = done.id();
    let cut = Test::new(&["cut", "--json", "--max-lines", "9"]).stdin(numbered(5_000)).run().text();
    let short = Test::new(&["cut", "--json"]).stdin("x\n").run().text();
    std::fs::write(done.test.dir.path().join("plain"), "x").unwrap();
    let rows: &[(&str, &[&str])] = &[
        ("list", &["list", "--json"]),
        ("info", &["info", "--json"]),
        ("grep", &["grep", "--json", "-A", "1", "4242", &id]),
        ("grep", &["grep", "--json", ".", &id]),
        ("explain", &["explain", "--json"]),
        ("diff", &["diff", "--json", &id, &id]),
        ("stats", &["stats", "--json"]),
        ("stats", &["stats", "--json", "--price", "3"]),
        ("audit", &["audit", "--json", PI_SESSION]),
        ("pin", &["pin", "--json"]),
        ("error", &["rm", "--json", &id]),
        ("gc", &["gc", "--json", "--dry-run"]),
        ("config-list", &["config", "list", "--json"]),
        ("config-list", &["config", "--json"]),
        ("config-list", &["config", "get", "max_lines", "--json"]),
        ("config-list", &["config", "set", "--json", "max_lines", "500"]),
        ("config-list", &["config", "unset", "max_lines", "--json"]),
        ("error", &["config", "get", "max_line", "--json"]),
        ("error", &["config", "set", "max_lines", "many", "--json"]),
        ("error", &["config", "edit", "--json"]),
        ("config-path", &["config", "path", "--json"]),
        ("doctor", &["doctor", "--json"]),
        ("init", &["init", "--json"]),
        ("init", &["init", "--json", "--force", "--dry-run", "claude-code"]),
        ("error", &["info", "--json", "nosuch"]),
        ("error", &["list", "--json", "--limit", "x"]),
        ("error", &["list", "--jsn", "--json"]),
        ("error", &["grep", "--json", "a(b"]),
        ("error", &["diff", "--json"]),
        ("error", &["push", "--json"]),
        ("rm", &["rm", "--json", "--force", &id]),
    ];
    let check = |name: &str, value: &Value| {
        let validator = jsonschema::validator_for(&schema(name)).unwrap();
        let faults: Vec<String> = validator.iter_errors(value).map(|it| it.to_string()).collect();
        assert!(faults.is_empty(), "{name}: {faults:?}\n{value}");
    };
    for (name, args) in rows {
        printed(&done, args).iter().for_each(|value| check(name, value));
    }
    for text in [cut, short] {
        check("cut", &serde_json::from_str(&text).unwrap());
    }
    // The schema refuses other objects.
    let validator = jsonschema::validator_for(&schema("pin")).unwrap();
    for wrong in [r#"{"version":1,"id":"x"}"#, r#"{"version":2,"id":"x","pinned":true}"#, "[]"] {
        assert!(!validator.is_valid(&serde_json::from_str(wrong).unwrap()), "{wrong}");
    }
}

#[test]
fn error_under_json_is_an_object_on_stdout_and_text_on_stderr() {
    let done = saved_run();
    let (code, stdout, stderr) = done.then(&["info", "nosuch", "--json"]);
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &json["error"]["exit"]), (1, &1.into()));
    let text = |field: &str| json["error"][field].as_str().unwrap().to_owned();
    assert_eq!(stderr, format!("error: {}\nhint: {}\n", text("message"), text("hint")));
    // `read --json` prints values of the output, so it prints no error object.
    let (_, stdout, _) = done.then(&["read", "nosuch", "--json", "$"]);
    assert_eq!(stdout, "");
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

#[test]
fn config_set_and_get_print_the_value_in_use_as_json() {
    let done = Test::new(&["config", "set", "max_lines", "500", "--json"]).run().code(0);
    let set: Value = serde_json::from_str(&done.text()).unwrap();
    assert_eq!(
        (&set["key"], &set["value"], &set["line"]),
        (&"max_lines".into(), &500.into(), &1.into())
    );
    let (_, get, _) = done.then(&["config", "get", "max_lines", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&get).unwrap(), set);
    let (_, unset, _) = done.then(&["config", "unset", "max_lines", "--json"]);
    let unset: Value = serde_json::from_str(&unset).unwrap();
    assert_eq!((&unset["value"], &unset["origin"]), (&2000.into(), &"profile".into()));
}
