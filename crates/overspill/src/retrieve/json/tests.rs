//! Tests of reading JSON values by their path.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;
use crate::Call;
use crate::store::Memory;

fn stored(text: &str) -> (Memory, OutputId) {
    let store = Memory::default();
    let mut draft = store.create(&Call::default()).unwrap();
    draft.append(text.as_bytes()).unwrap();
    let name = draft.publish().unwrap().id;
    (store, name)
}

fn read(text: &str, path: &str) -> Result<Values, JsonError> {
    let (store, name) = stored(text);
    values(&store, &name, &JsonPath::parse(path).unwrap(), FromValue::START, &Limits::NONE)
}

fn found(text: &str, path: &str) -> String {
    read(text, path).unwrap().text
}

const SHOP: &str = r#"{"store": {"book": [
  {"title": "A", "price": 8.950, "tags": []},
  {"title": "B", "price": 12e0, "is\u0062n": "0-553"},
  {"title": "C", "price": 100000000000000000000}],
  "x y": {"a/b": 1, "m~n": 2, "0": "zero"}, "null": null}}"#;

#[test]
fn paths_lead_to_values_as_they_are_written() {
    for (path, expected) in [
        ("$.store.book[0].title", "\"A\"\n"),
        ("store.book[-1].price", "100000000000000000000\n"),
        (".store.book[*].price", "8.950\n12e0\n100000000000000000000\n"),
        ("$..price", "8.950\n12e0\n100000000000000000000\n"),
        ("$.store['x y']", "{\"a/b\": 1, \"m~n\": 2, \"0\": \"zero\"}\n"),
        ("$.store[\"x y\",'null']['a/b']", "1\n"),
        ("$..isbn", "\"0-553\"\n"),
        ("$..book[1:].title", "\"B\"\n\"C\"\n"),
        ("$..book[:-1].title", "\"A\"\n\"B\"\n"),
        ("$..book[::2].title", "\"A\"\n\"C\"\n"),
        ("$..book[::-2].title", "\"A\"\n\"C\"\n"),
        ("$..book[0, 2].title", "\"A\"\n\"C\"\n"),
        ("$.store.null", "null\n"),
        ("/store/book/1/title", "\"B\"\n"),
        ("/store/x y/a~1b", "1\n"),
        ("/store/x y/m~0n", "2\n"),
        ("/store/x y/0", "\"zero\"\n"),
        ("$.store.book[3]", ""),
        ("$.store.title", ""),
    ] {
        assert_eq!(found(SHOP, path), expected, "{path}");
    }
    assert_eq!(found(SHOP, ""), format!("{SHOP}\n"));
    assert_eq!(found(SHOP, "$"), format!("{SHOP}\n"));
    // A value inside another value of the path is found too.
    assert_eq!(found(r#"{"a": {"a": 1}}"#, "$..a"), "{\"a\": 1}\n1\n");
}

#[test]
fn json_lines_are_shown_with_their_line_numbers() {
    let text = "{\"a\": 1}\n\n{\"b\": 2}\n{\"a\": [3]}\n";
    assert_eq!(found(text, "$.a"), "1:1\n4:[3]\n");
    let mixed = "{\"a\": 1}\nstarting\n{\"a\": \"x\n{\"a\": 2}\n";
    let values = read(mixed, "$.a").unwrap();
    assert_eq!(values.text, "1:1\n4:2\n");
    let bad = values.bad.unwrap();
    assert_eq!((bad.line, bad.column), (2, 1));
}

#[test]
fn byte_order_mark_before_the_first_text_is_skipped() {
    assert_eq!(found("\u{feff}{\"a\": 1}", "$.a"), "1\n");
    assert_eq!(found("\u{feff}{\"a\": 1}\n{\"a\": 2}\n", "$.a"), "1:1\n2:2\n");
    assert!(read("{\"a\": 1}\n\u{feff}{\"a\": 2}\n", "$.a").unwrap().bad.is_some());
    // A full-width bracket begins with the first byte of a mark.
    let mixed = read("{\"a\": 1}\n\u{ff08}note\n{\"a\": 2}\n", "$.a").unwrap();
    assert_eq!(mixed.text, "1:1\n3:2\n");
}

#[test]
fn invalid_json_error_names_the_place() {
    for (text, sentence) in [
        ("", ""),
        ("hello", "not JSON: expected a value at line 1, byte 1"),
        ("{\"a\": 1,\n \"b\" 2}", "not JSON: expected `:` at line 2, byte 6"),
        ("[1, 2", "not JSON: expected `,` or `]` at line 1, byte 6"),
        ("[1, ]", "not JSON: expected a value at line 1, byte 5"),
        ("[1 2]", "not JSON: expected `,` or `]` at line 1, byte 4"),
        ("[tree]", "not JSON: expected a value at line 1, byte 4"),
        ("\"abc", "not JSON: a string that does not end at line 1, byte 5"),
        ("3 passed, 1 failed", "not JSON: expected a value at line 1, byte 3"),
        ("[01]", "not JSON: expected `,` or `]` at line 1, byte 3"),
        ("12abc", "not JSON: expected white space after the value at line 1, byte 3"),
        ("[\n\"a\tb\"]", "not JSON: a control byte in a string at line 2, byte 3"),
        ("[\"\\x\"]", "not JSON: an escape that JSON does not have at line 1, byte 4"),
    ] {
        match read(text, "$.zzz") {
            Ok(values) => assert_eq!((values.text.as_str(), sentence), ("", "")),
            Err(JsonError::NotJson { bad, .. }) => assert_eq!(bad.to_string(), sentence, "{text}"),
            Err(error) => panic!("{text}: {error}"),
        }
    }
    let deep = "[".repeat(100_000);
    assert!(read(&deep, "$.a").unwrap_err().to_string().contains("nested deeper"));
    // Values before the mistake are returned.
    let values = read("{\"a\": 1, \"b\": [2, 3", "$.*").unwrap();
    assert_eq!((values.text.as_str(), values.bad.is_some()), ("1\n", true));
}

#[test]
fn odd_texts_get_the_answer_of_the_table() {
    crate::json_texts::check("retrieve", |chunks| {
        let store = Memory::default();
        let mut draft = store.create(&Call::default()).unwrap();
        draft.append(&chunks.concat()).unwrap();
        let name = draft.publish().unwrap().id;
        // The output is read in blocks as long as the first chunk.
        let source = Source::open(&store, &name).unwrap();
        let mut scan =
            Scan::with_blocks(source, chunks.first().map_or(1, |chunk| chunk.len()) as u64);
        let mut page = Page::new(FromValue::START, Room::of(&Limits::NONE));
        let bad = collect(&mut scan, &JsonPath::parse("$").unwrap(), &mut page).unwrap();
        bad.is_none() && page.values.len() == 1
    });
}

#[test]
fn invalid_path_error_names_the_place() {
    for (path, at) in [("$.", 3), ("$x", 2), ("$['a'", 6), ("/a~2", 3), ("$[-]", 4)] {
        assert_eq!(JsonPath::parse(path).unwrap_err().at, at, "{path}");
    }
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<i32>().prop_map(|number| json!(number)),
        "[a-c\"\\\\é\n]{0,40}".prop_map(Json::String),
    ];
    leaf.prop_recursive(4, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::Array),
            prop::collection::vec(("[a-c]", inner), 0..6)
                .prop_map(|pairs| Json::Object(pairs.into_iter().collect())),
        ]
    })
}

/// All values below a value, itself first, in the order of the text.
fn below<'a>(value: &'a Json, found: &mut Vec<&'a Json>) {
    found.push(value);
    match value {
        Json::Array(values) => values.iter().for_each(|value| below(value, found)),
        Json::Object(pairs) => pairs.values().for_each(|value| below(value, found)),
        _ => {}
    }
}

proptest! {
    #[test]
    fn everything_below_is_found_once_and_in_order(value in any_json(), pretty: bool) {
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        let mut all = Vec::new();
        below(&value, &mut all);
        let found = found(&text, "$..*");
        let mut stream = serde_json::Deserializer::from_str(&found).into_iter::<Json>();
        for expected in &all[1..] {
            prop_assert_eq!(&stream.next().unwrap().unwrap(), *expected);
        }
        prop_assert!(stream.next().is_none());
    }

    #[test]
    fn pointer_agrees_with_another_implementation(value in any_json(), way in "(/[a-c0-3]){0,4}") {
        let text = value.to_string();
        let expected = value.pointer(&way).map(|value| format!("{value}\n")).unwrap_or_default();
        prop_assert_eq!(found(&text, &way), expected);
    }

    #[test]
    fn json_pages_are_within_limits_and_together_complete(
        value in any_json(), pretty: bool, bytes in 12_u64..200, lines in 1_u64..9,
    ) {
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        let (store, name) = stored(&text);
        let path = JsonPath::parse("$..*").unwrap();
        let whole = values(&store, &name, &path, FromValue::START, &Limits::NONE).unwrap();
        let limits = Limits::NONE.bytes(bytes).lines(lines);
        let (mut from, mut seen) = (FromValue::START, String::new());
        loop {
            let page = values(&store, &name, &path, from, &limits).unwrap();
            prop_assert!(page.text.len() as u64 <= bytes, "{:?}", page);
            prop_assert!(page.text.lines().count() as u64 <= lines, "{:?}", page);
            seen.push_str(&page.text);
            let Some(next) = page.next else { break };
            prop_assert!((next.value, next.byte) > (from.value, from.byte));
            from = next;
        }
        prop_assert_eq!(seen, whole.text);
    }
}

/// Returns the values of `text` that a filter accepts, without blanks.
#[cfg(feature = "filter")]
fn taken(text: &str, path: &str) -> String {
    found(text, path).replace([' ', '\n'], "")
}

#[cfg(feature = "filter")]
#[test]
fn filter_takes_the_values_that_rfc_9535_says() {
    let list =
        r#"[{"a":"b","d":"e"}, {"a":1}, {"a":null}, {"b":[1,2]}, 7, "bc", [], {"a":{"b":true}}]"#;
    for (path, expected) in [
        // Existence, also of `null`.
        ("$[?@.a]", r#"{"a":"b","d":"e"}{"a":1}{"a":null}{"a":{"b":true}}"#),
        ("$[?!@.a]", r#"{"b":[1,2]}7"bc"[]"#),
        ("$[?(@.a)]", r#"{"a":"b","d":"e"}{"a":1}{"a":null}{"a":{"b":true}}"#),
        ("$[?@['a']]", r#"{"a":"b","d":"e"}{"a":1}{"a":null}{"a":{"b":true}}"#),
        ("$[?@.b[1]]", r#"{"b":[1,2]}"#),
        ("$[?@.*]", r#"{"a":"b","d":"e"}{"a":1}{"a":null}{"b":[1,2]}{"a":{"b":true}}"#),
        ("$[?@..b]", r#"{"b":[1,2]}{"a":{"b":true}}"#),
        // Comparison.
        ("$[?@.a=='b']", r#"{"a":"b","d":"e"}"#),
        ("$[?@.a==\"b\"]", r#"{"a":"b","d":"e"}"#),
        ("$[?@.a==null]", r#"{"a":null}"#),
        ("$[?@.a==1]", r#"{"a":1}"#),
        ("$[?@.a==1.0]", r#"{"a":1}"#),
        ("$[?@==7]", "7"),
        ("$[?@!=7]", r#"{"a":"b","d":"e"}{"a":1}{"a":null}{"b":[1,2]}"bc"[]{"a":{"b":true}}"#),
        ("$[?@>6]", "7"),
        ("$[?@>=7]", "7"),
        ("$[?@<8]", "7"),
        ("$[?@<=6]", ""),
        ("$[?@>'bb']", r#""bc""#),
        ("$[?@.a.b==true]", r#"{"a":{"b":true}}"#),
        ("$[?@.x==@.y]", r#"{"a":"b","d":"e"}{"a":1}{"a":null}{"b":[1,2]}7"bc"[]{"a":{"b":true}}"#),
        // Logic.
        ("$[?@.a=='b' && @.d]", r#"{"a":"b","d":"e"}"#),
        ("$[?@.a==1 || @.b]", r#"{"a":1}{"b":[1,2]}"#),
        ("$[?@.b || @.a && @.d]", r#"{"a":"b","d":"e"}{"b":[1,2]}"#),
        ("$[?!(@.a || @.b)]", r#"7"bc"[]"#),
        // Functions.
        ("$[?length(@)==2]", r#"{"a":"b","d":"e"}"bc""#),
        ("$[?length(@.b)>1]", r#"{"b":[1,2]}"#),
        ("$[?count(@.*)==2]", r#"{"a":"b","d":"e"}"#),
        ("$[?match(@, 'b.')]", r#""bc""#),
        ("$[?match(@, 'b')]", ""),
        ("$[?search(@, 'c')]", r#""bc""#),
        ("$[?value(@..b)==true]", r#"{"a":{"b":true}}"#),
        // With other selectors, and steps after it.
        ("$[?@==7, 0]", r#"{"a":"b","d":"e"}7"#),
        ("$[?@.a].a", r#""b"1null{"b":true}"#),
        ("$[?@.a][?@==true]", ""),
        ("$..[?@==true]", "true"),
        ("$[?@.a == 'x]y,']", ""),
    ] {
        assert_eq!(taken(list, path), expected, "{path}");
    }
    // Members of an object are filtered by their values.
    let object = r#"{"x":{"error":1,"n":"A"},"y":{"n":"B"},"z":3}"#;
    assert_eq!(taken(object, "$[?@.error]"), r#"{"error":1,"n":"A"}"#);
    assert_eq!(taken(object, "$[?@>2]"), "3");
    assert_eq!(taken(object, "$[?@.error].n"), "\"A\"");
    assert_eq!(taken(object, "$[?@.error, 'y'].n"), "\"A\"\"B\"");
}

#[cfg(feature = "filter")]
#[test]
fn filtered_value_is_shown_as_it_is_written() {
    let text = "{\"items\": [{\"ok\": 1},\n {\"error\" : 12.50, \"b\": 100000000000000000000}]}";
    let expected = "{\"error\" : 12.50, \"b\": 100000000000000000000}\n";
    assert_eq!(found(text, "$.items[?@.error]"), expected);
    let lines = "{\"level\":\"info\"}\n{\"items\":[{\"e\":1}]}\n{\"items\":[{\"e\":2}]}\n";
    assert_eq!(found(lines, "$.items[?@.e==2]"), "3:{\"e\":2}\n");
}

#[cfg(feature = "filter")]
#[test]
fn filter_holds_one_value_and_refuses_a_giant_one() {
    // The list is larger than the limit of filters, but its values are not.
    let row = format!("{{\"pad\":\"{}\"}}", "x".repeat(1 << 20));
    let rows = vec![row; 17].join(",");
    let text = format!("[{rows},{{\"error\":1}}]");
    assert_eq!(found(&text, "$[?@.error]"), "{\"error\":1}\n");
    let nested = format!("{{\"all\":[{rows}]}}");
    let error = read(&nested, "$[?@.error]").unwrap_err().to_string();
    assert!(error.contains("more than 16 MiB at line 1"), "{error}");
}

#[cfg(feature = "filter")]
#[test]
fn invalid_filter_names_the_place() {
    for (path, what, at) in [
        ("$[?]", "the filter is invalid", 4),
        ("$[?@.a == $.b]", "a filter cannot use `$`, only `@`", 11),
        ("$[?@.a == ]", "the filter is invalid", 0),
        ("$[?nothing(@)]", "the filter is invalid", 0),
        ("$[?@.a", "", 0),
        ("$[?@.a && ]", "the filter is invalid", 0),
    ] {
        let bad = JsonPath::parse(path).unwrap_err();
        assert!(bad.what.contains(what), "{path}: {bad}");
        assert!(at == 0 || bad.at == at, "{path}: {bad}");
    }
}
