//! Frames that are too long for memory.

use serde_json::{Value, json};

use super::client::{Client, chaos, lines, text_of};

#[test]
fn giant_list_of_messages_has_only_its_results_shortened() {
    let mut client = Client::new();
    for id in 1..=3 {
        client.ask(id, "hang", json!({}));
    }
    let text = |count: u32| json!({"content": [{"type": "text", "text": lines(count)}]});
    let note = format!(r#"{{"method":"notifications/x","params":["{}"]}}"#, "x ".repeat(200_000));
    let frame = format!(
        "[ {{\"id\":1,\"result\":{}}},{{\"id\":2,\"result\":{{\"x\":1.50}}}} ,{note},\n7, {{\"result\":{},\"id\":3}}]",
        text(40_000),
        text(1_000),
    );
    let line = client.raw(&frame.replace('\n', " "));
    let answers: Value = serde_json::from_str(&line).unwrap();
    assert!(line.contains(r#"},{"id":2,"result":{"x":1.50}} ,{"method""#));
    assert!(line.contains(&note) && line.contains(", 7, {"));
    for (at, last) in [(0, "line 40000 "), (4, "line 1000 ")] {
        let text = text_of(&answers[at]);
        assert!(text.chars().count() <= 9_500 && text.contains(last), "{text}");
    }
    let mut saved = client.saved();
    saved.sort();
    assert!(saved == [lines(1_000).into_bytes(), lines(40_000).into_bytes()]);
    client.is_well();
}

#[test]
fn giant_list_that_breaks_off_keeps_the_earlier_answers() {
    let mut client = Client::new();
    client.ask(1, "hang", json!({})).ask(2, "hang", json!({}));
    let long = lines(40_000).replace('\n', "\\n");
    let frame = format!(
        r#"[{{"id":1,"result":{{}}}},{{"id":2,"result":{{"content":[{{"type":"text","text":"{long}"]"#
    );
    let answers: Value = serde_json::from_str(&client.raw(&frame)).unwrap();
    assert_eq!(answers[0], json!({"id": 1, "result": {}}));
    assert_eq!((&answers[1]["id"], &answers[1]["error"]["code"]), (&json!(2), &json!(-32603)));
    client.is_well();
}

#[test]
fn list_with_other_text_is_reported_with_the_number_of_dropped_bytes() {
    let stderr = tempfile::NamedTempFile::new().unwrap();
    let file = stderr.reopen().unwrap();
    let mut client = Client::with(&[], &[chaos().to_str().unwrap()], |command| {
        command.stderr(file);
    });
    let note = format!(r#"{{"method":"notifications/x","params":["{}"]}}"#, "x ".repeat(200_000));
    assert_eq!(client.raw(&format!("[{note},oh dear]")), format!("[{note},null]"));
    client.is_well();
    let expected = "the server wrote 9 bytes that are not JSON, in a list of messages; the client does not get this text";
    let warning = std::fs::read_to_string(stderr.path()).unwrap().replace('\n', " ");
    assert!(warning.contains(expected), "{warning}");
}

#[test]
fn giant_error_result_gets_half_of_the_limit_with_is_error_in_any_place() {
    let mut client = Client::new();
    let text = lines(40_000);
    let content = json!([{"type": "text", "text": text}]);
    for frame in [
        format!(r#"{{"id":$ID,"result":{{"isError":true,"content":{content}}}}}"#),
        format!(r#"{{"id":$ID,"result":{{"content":{content},"isError": true }}}}"#),
    ] {
        let answer: Value = serde_json::from_str(&client.raw(&frame)).unwrap();
        assert_eq!(answer["result"]["isError"], true);
        let shown = text_of(&answer);
        assert!(shown.chars().count() <= 4_750 && shown.contains("line 40000"), "{shown}");
    }
    let saved = client.saved();
    assert!(saved.len() == 2 && saved.iter().all(|saved| saved == text.as_bytes()));
}

#[test]
fn long_error_message_is_shortened() {
    let mut client = Client::new();
    for count in [1_000, 40_000] {
        let error = json!({"code": -32000, "message": lines(count), "data": {"n": 1}});
        let answer: Value =
            serde_json::from_str(&client.raw(&format!(r#"{{"id":$ID,"error":{error}}}"#))).unwrap();
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.chars().count() <= 4_750 && message.contains("overspill_read"));
        assert_eq!(answer["error"]["data"], json!({"n": 1}));
    }
}

/// Returns a client of a server whose only tool has this schema, with the setting `structured =
/// "shrink"`.
fn with_schema(schema: &Value) -> (Client, Value) {
    let tools = json!([{"name": "raw", "inputSchema": {"type": "object"}, "outputSchema": schema}]);
    let chaos = chaos();
    let mut client = Client::with(&[], &[chaos.to_str().unwrap()], |command| {
        command.env("OVERSPILL_STRUCTURED", "shrink").env("CHAOS_TOOLS", tools.to_string());
    });
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let listed = client.json()["result"]["tools"][0].clone();
    (client, listed)
}

#[test]
fn structured_content_of_any_size_is_shrunk_and_all_of_it_saved() {
    let schema = json!({"type": "object", "required": ["rows"], "properties": {
        "rows": {"type": "array", "items": {"type": "integer"}, "minItems": 3}}});
    let (mut client, listed) = with_schema(&schema);
    assert_eq!(listed["outputSchema"], schema);
    for (count, content) in [
        (2_500, json!([{"type": "text", "text": "see the rows"}])),
        (100_000, json!([{"type": "text", "text": "see the rows"}])),
        (100_000, json!([])),
        (100_000, json!(null)),
    ] {
        let value = json!({"rows": (0..count).collect::<Vec<u32>>()});
        let mut result = json!({"structuredContent": value});
        if !content.is_null() {
            result["content"] = content;
        }
        let line = client.raw(&format!(r#"{{"id":$ID,"result":{result}}}"#));
        let answer: Value = serde_json::from_str(&line).unwrap();
        let small = &answer["result"]["structuredContent"];
        let rows = small["rows"].as_array().unwrap();
        assert!(rows.len() > 200 && rows[9] == 9 && line.len() < 11_000, "{}", rows.len());
        // Clients that show only the structured content learn from it that there is more.
        assert!(small["_overspill"].as_str().unwrap().contains("overspill_read"), "{small}");
        assert!(text_of(&answer).contains("overspill_read"));
        let value = value.to_string().into_bytes();
        assert!(client.saved().iter().any(|saved| saved.ends_with(&value)));
    }
}

#[test]
fn structured_content_that_cannot_be_shrunk_is_dropped() {
    let value = json!({"rows": (0..9_000).collect::<Vec<u32>>()});
    let rows = |schema: Value| json!({"type": "object", "properties": {"rows": schema}});
    for (schema, is_known) in [
        (rows(json!({"type": "array", "minItems": 9_000})), true),
        (rows(json!({"type": "array", "contains": {"const": 8_999}})), false),
        (rows(json!({"$ref": "https://example.com/rows.json"})), false),
    ] {
        let (mut client, listed) = with_schema(&schema);
        // A client that knew the schema would refuse a result with text alone.
        assert_eq!(listed.get("outputSchema").is_some(), is_known, "{schema}");
        let result = json!({"structuredContent": value, "content": []});
        let line = client.raw(&format!(r#"{{"id":$ID,"result":{result}}}"#));
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert!(answer["result"].get("structuredContent").is_none(), "{schema}");
        assert!(text_of(&answer).contains("8998,8999") && line.len() < 11_000);
    }
}

#[test]
fn text_after_much_metadata_is_shortened_too() {
    let mut client = Client::new();
    let (text, filler) = (lines(40_000), "m".repeat(17 << 20));
    let content = json!([{"type": "text", "text": text}]);
    for frame in [
        format!(r#"{{"id":$ID,"result":{{"_meta":{{"a":"{filler}"}},"content":{content}}}}}"#),
        format!(r#"{{"result":{{"_meta":{{"a":"{filler}"}},"content":{content}}},"id":$ID}}"#),
    ] {
        let line = client.raw(&frame);
        let answer: Value = serde_json::from_str(&line).unwrap();
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(line.len() < 10_000 && message.contains("16 MiB"), "{line:.1000}");
        assert!(message.contains("line 40000"), "{message}");
    }
    let saved = client.saved();
    assert!(saved.len() == 2 && saved.iter().all(|saved| saved == text.as_bytes()));
    client.is_well();
}

#[test]
fn many_parts_with_short_strings_are_shortened() {
    let mut client = Client::new();
    for count in [5_000, 20_000] {
        let parts = (0..count).map(|n| {
            let uri = format!("file:///{n}");
            json!({"type": "resource_link", "uri": uri, "name": "a name of a file"})
        });
        let content: Value = parts.collect();
        let frame = format!(r#"{{"id":$ID,"result":{{"content":{content}}}}}"#);
        let line = client.raw(&frame);
        assert!(line.len() < 40_000, "{}", line.len());
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["result"]["content"][0], content[0]);
        let saved = String::from_utf8(client.saved().pop().unwrap()).unwrap();
        assert!(saved.contains("file:///4999\""));
    }
}

#[test]
fn many_short_strings_of_an_error_are_shortened() {
    let mut client = Client::new();
    let data: Value =
        (0..5_000).map(|n| json!({"line": format!("line {n} of the data")})).collect();
    let error = json!({"code": -32000, "message": "it failed", "data": data});
    let line = client.raw(&format!(r#"{{"id":$ID,"error":{error}}}"#));
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert!(line.len() < 10_000 && answer["error"]["data"].is_string(), "{line:.1000}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("it failed"));
    assert!(client.saved()[0].ends_with(data.to_string().as_bytes()));
}

#[test]
fn many_pictures_become_files_before_they_fill_the_memory() {
    let mut client = Client::new();
    let picture = json!({"type": "image", "mimeType": "image/png", "data": "TUFQ".repeat(1 << 20)});
    let content: Value = (0..6).map(|_| picture.clone()).collect();
    let line = client.raw(&format!(r#"{{"id":$ID,"result":{{"content":{content}}}}}"#));
    let answer: Value = serde_json::from_str(&line).unwrap();
    let parts = answer["result"]["content"].as_array().unwrap();
    assert_eq!((parts.len(), &parts[0]), (6, &picture));
    assert!(parts[5]["text"].as_str().unwrap().contains(" is in this file: "));
    assert!(client.saved().iter().all(|saved| saved.len() == 3 << 20));
}

#[test]
fn structured_content_without_room_for_a_buffer_is_an_error() {
    let chaos = chaos();
    let mut client = Client::with(&[], &[chaos.to_str().unwrap()], |command| {
        command.env("TMPDIR", "/nonexistent");
    });
    let long = "a line of text ".repeat(400_000);
    let result = json!({"structuredContent": {"long": long}, "content": []});
    let line = client.raw(&format!(r#"{{"id":$ID,"result":{result}}}"#));
    let answer: Value = serde_json::from_str(&line).unwrap();
    let reason = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(reason.contains("/nonexistent"), "{}", &line[..500.min(line.len())]);
    client.is_well();
}
