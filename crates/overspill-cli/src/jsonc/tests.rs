//! Tests of changes in files as people write them.

use serde_json::json;

use super::*;

/// Files as people write them.
const TEXTS: &[&str] = &[
    "{}",
    "{ }\n",
    "{\n}\n",
    "{\n  // nothing yet\n}\n",
    "{\"a\":1}",
    "{\n  \"a\": 1\n}\n",
    "{\r\n\t\"a\": {\r\n\t\t\"b\": [1, 2]\r\n\t}\r\n}\r\n",
    "{\n  \"a\": {\"x\": 1}, // one\n  \"list\": [\n    \"p\",\n    \"q\", // two\n  ],\n}\n",
    "\u{feff}{\"list\": [], \"a\": {}}",
    "{\"a\": {\"b\": {}}, \"list\": [ ] /* , */ }",
];

#[test]
fn removing_an_added_value_restores_the_text() {
    for text in TEXTS {
        let read = Jsonc::parse(text).unwrap();
        for (path, value) in [
            (&["new"][..], json!("x")),
            (&["new", "deep", "er"], json!({"k": [1, {"l": 2}]})),
            (&["a", "new"], json!(true)),
        ] {
            let Ok(with) = read.set(path, &value) else { continue };
            let after = Jsonc::parse(&with).unwrap_or_else(|why| panic!("{why}: {with}"));
            let found = after.value_of(after.get(path).unwrap()).unwrap();
            assert_eq!(found, value, "{with}");
            assert_eq!(after.set(path, &value).unwrap(), with);
            let existing = (0..path.len()).rev().find(|&len| read.get(&path[..len]).is_some());
            let back = after.without(&path[..=existing.unwrap_or(0)]);
            let same = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(same(&back), same(text), "{with}");
        }
        let Ok(with) = read.push(&["list"], &json!({"a": "b"})) else { continue };
        let after = Jsonc::parse(&with).unwrap_or_else(|why| panic!("{why}: {with}"));
        let items = after.value_of(after.get(&["list"]).unwrap()).unwrap();
        assert_eq!(items.as_array().unwrap().last(), Some(&json!({"a": "b"})));
    }
}

#[test]
fn odd_texts_get_the_answer_of_the_table() {
    crate::json_texts::check("jsonc", |chunks| {
        let text = String::from_utf8(chunks.concat());
        text.is_ok_and(|text| Jsonc::parse(&text).is_ok())
    });
}

#[test]
fn jsonc_errors_name_the_place() {
    let why = |text: &str| Jsonc::parse(text).unwrap_err();
    assert!(why("{\n  \"a\": 1,\n  b\n}").starts_with("line 3, column 3 is not JSON"));
    assert!(why("").contains("is not JSON"));
    let say = |text: &str| Jsonc::parse(text).unwrap().set(&["a", "b"], &json!(1)).unwrap_err();
    assert_eq!(say("{\"a\": 1}"), "a is not an object");
    assert_eq!(say("[]"), "the file is not an object");
}

#[test]
fn added_value_has_the_layout_of_the_file() {
    let set = |text: &str| Jsonc::parse(text).unwrap().set(&["e", "k"], &json!("v")).unwrap();
    assert_eq!(set("{}\n"), "{\n  \"e\": {\n    \"k\": \"v\"\n  }\n}\n");
    assert_eq!(set("{\"a\":1}"), "{\"a\":1, \"e\": {\"k\":\"v\"}}");
    assert_eq!(
        set("{\n\t\"a\": 1, // one\n}\n"),
        "{\n\t\"a\": 1,\n\t\"e\": {\n\t\t\"k\": \"v\"\n\t}, // one\n}\n"
    );
    assert_eq!(
        set("{\n  \"e\": {\n    \"j\": 1\n  }\n}"),
        "{\n  \"e\": {\n    \"j\": 1,\n    \"k\": \"v\"\n  }\n}"
    );
}

#[test]
fn removing_a_value_keeps_comments_and_valid_json() {
    for (text, path, left) in [
        ("{\n  // nothing yet\n\n  \"x\": 1\n}\n", &["x"][..], "{\n  // nothing yet\n}\n"),
        ("{ // c\n  \"x\": 1\n}", &["x"], "{ // c\n}"),
        ("{\"x\": 1,}", &["x"], "{}"),
        ("{\"a\": 1, // mine\n  \"x\": 2\n}", &["x"], "{\"a\": 1 // mine\n}"),
        ("{\"a\": 1 /* b */,\n  \"x\": 2, // c\n}", &["x"], "{\"a\": 1 /* b */, // c\n}"),
        ("{\"x\": 1, /* mine */ \"a\": 2}", &["x"], "{ /* mine */ \"a\": 2}"),
        ("{\"x\": 1, \"a\": 2}", &["x"], "{\"a\": 2}"),
        ("{\"a\": 1, \"x\": {\"b\": 2}}", &["x", "b"], "{\"a\": 1, \"x\": {}}"),
    ] {
        let less = Jsonc::parse(text).unwrap().without(path);
        assert_eq!(less, left, "{text}");
        assert!(Jsonc::parse(&less).is_ok(), "{less}");
    }
}
