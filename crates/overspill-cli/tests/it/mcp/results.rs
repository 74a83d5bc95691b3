//! Results of tools through the proxy: shortened, saved, or unchanged.

use serde_json::{Value, json};

use super::client::{Client, id_in, lines, text_of};

/// Returns the frame that makes the test server answer with this result.
fn frame(result: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{result}}}"#)
}

#[test]
fn short_result_is_unchanged() {
    let mut client = Client::new();
    for frame in [
        r#"{"jsonrpc":"2.0","id":77,"result":{"content":[{"type":"text","text":"\u00e9 \/"}],"x":1.0e5}}"#,
        r#"{ "result" : { "content":[ ] , "structuredContent":{"b":12345678901234567890123,"a":1} }, "id":77}"#,
        r#"{"id":77,"error":{"code":-32000,"message":"no","data":{"big":1}}}"#,
    ] {
        assert_eq!(client.raw(frame), frame);
    }
    assert!(client.saved().is_empty());
}

#[test]
fn long_result_is_shortened_and_saved_with_a_notice() {
    let mut client = Client::new();
    let long = lines(5_000);
    let answer = client.call("text", json!({"text": long}));
    let text = text_of(&answer);
    assert!(text.chars().count() <= 9_500, "{}", text.chars().count());
    assert!(text.starts_with("[overspill ") && text.ends_with("line 5000 of a long text\n"));
    for way in ["overspill_read {\"id\":", "or overspill_grep]"] {
        assert!(text.contains(way), "{way}: {text}");
    }
    assert_eq!(client.saved(), [long.into_bytes()]);
}

#[test]
fn same_result_gives_the_same_preview() {
    let mut client = Client::new();
    let mut texts = Vec::new();
    for _ in 0..2 {
        let text = text_of(&client.call("text", json!({"text": lines(5_000)})));
        let id = id_in(&text);
        texts.push(text.replace(&id, "ID"));
    }
    assert_eq!(texts[0], texts[1]);
}

#[test]
fn parts_share_one_budget_and_others_stay_in_place() {
    let mut client = Client::new();
    let image = json!({"type": "image", "data": "AAAA".repeat(9_000), "mimeType": "image/png"});
    let link = json!({"type": "resource_link", "uri": "file:///a", "name": "a", "size": 1e300});
    let resource =
        json!({"type": "resource", "resource": {"uri": "file:///b", "text": lines(900)}});
    let content = json!([
        {"type": "text", "text": lines(900), "annotations": {"priority": 0.5}},
        image, link, resource,
        {"type": "text", "text": "in the middle"},
        {"type": "news", "about": [1, 2]},
        {"type": "text", "text": lines(900)},
    ]);
    let sent = frame(&json!({"content": content, "_meta": {"k": 12345678901234567890_u64}}));
    let answer: Value = serde_json::from_str(&client.raw(&sent)).unwrap();
    let parts = answer["result"]["content"].as_array().unwrap();
    assert_eq!(answer["result"]["_meta"]["k"], 12345678901234567890_u64);
    assert_eq!(parts[0]["annotations"]["priority"], 0.5);
    assert_eq!((&parts[1], &parts[2]), (&image, &link));
    assert_eq!(parts[3]["resource"]["uri"], "file:///b");
    assert!(parts.contains(&json!({"type": "news", "about": [1, 2]})));
    let shown: String = parts
        .iter()
        .filter_map(|part| part["text"].as_str().or(part["resource"]["text"].as_str()))
        .collect();
    assert!(shown.chars().count() <= 9_500);
    assert!(shown.starts_with("[overspill ") && shown.ends_with("line 900 of a long text\n"));
    let whole = [lines(900), lines(900), "in the middle".into(), lines(900)].join("\n");
    assert_eq!(client.saved(), [whole.into_bytes()]);
}

#[test]
fn ten_thousand_parts_become_few() {
    let mut client = Client::new();
    let parts: Vec<Value> =
        (0..10_000).map(|n| json!({"type": "text", "text": format!("part {n}")})).collect();
    let line = client.raw(&frame(&json!({"content": parts})));
    let answer: Value = serde_json::from_str(&line).unwrap();
    let parts = answer["result"]["content"].as_array().unwrap();
    assert!(parts.len() < 1_900 && line.len() < 100_000, "{}", parts.len());
    assert_eq!(parts.last().unwrap()["text"], "part 9999");
}

#[test]
fn structured_content_that_repeats_the_text_is_dropped_and_short_text_stays() {
    let mut client = Client::new();
    let value = json!({"rows": (0..800).collect::<Vec<u32>>()});
    let text = serde_json::to_string_pretty(&value).unwrap();
    let sent =
        frame(&json!({"content": [{"type": "text", "text": text}], "structuredContent": value}));
    let answer: Value = serde_json::from_str(&client.raw(&sent)).unwrap();
    assert!(
        answer["result"] == json!({"content": [{"type": "text", "text": text}]}),
        "{answer:.300}"
    );
    assert!(client.saved().is_empty());
}

#[test]
fn structured_content_with_more_than_the_text_is_shown_and_saved_as_text() {
    let mut client = Client::new();
    let value = json!({"rows": (0..9_000).collect::<Vec<u32>>()});
    for content in [Some(json!([{"type": "text", "text": "9000 rows"}])), Some(json!([])), None] {
        let mut result = json!({"structuredContent": value, "isError": false});
        if let Some(content) = &content {
            result["content"] = content.clone();
        }
        let answer: Value = serde_json::from_str(&client.raw(&frame(&result))).unwrap();
        let text = text_of(&answer);
        assert!(answer["result"].get("structuredContent").is_none());
        assert!(text.contains("8998,8999") && text.len() < 10_000, "{text}");
        assert!(client.saved().iter().any(|saved| saved.ends_with(value.to_string().as_bytes())));
    }
}

#[test]
fn error_results_get_half_of_the_limit_and_stay_errors() {
    let mut client = Client::new();
    let text = lines(2_000);
    let result = json!({
        "isError": true, "content": [{"type": "text", "text": text}], "structuredContent": {"a": text},
    });
    let answer: Value = serde_json::from_str(&client.raw(&frame(&result))).unwrap();
    assert_eq!(answer["result"]["isError"], true);
    assert!(answer["result"].get("structuredContent").is_none());
    assert!(text_of(&answer).chars().count() <= 4_750);
}

#[test]
fn error_data_is_shortened_with_the_message() {
    let mut client = Client::new();
    let text = lines(3_000);
    let error = json!({"code": -32000, "message": "no", "data": {"log": [text], "count": 7}});
    let sent = format!(r#"{{"jsonrpc":"2.0","id":$ID,"error":{error}}}"#);
    let answer: Value = serde_json::from_str(&client.raw(&sent)).unwrap();
    let data = &answer["error"]["data"];
    let shown = data["log"][0].as_str().unwrap().chars().count();
    assert!(shown > 2_000 && shown <= 4_750, "{shown}");
    assert_eq!((&answer["error"]["code"], &data["count"]), (&json!(-32000), &json!(7)));
    assert!(answer["error"]["message"].as_str().unwrap().ends_with("no"));
    assert_eq!(client.saved(), [format!("no\n{text}").into_bytes()]);
}

#[test]
fn small_limit_for_media_applies_to_small_results() {
    let chaos = super::client::chaos();
    let mut client = Client::with(&[], &[chaos.to_str().unwrap()], |command| {
        let home = command.get_current_dir().unwrap().join("config/overspill");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(home.join("config.toml"), "[mcp]\nmax_media = 1000\n").unwrap();
    });
    let picture = json!({"type": "image", "mimeType": "image/png", "data": "TUFQ".repeat(500)});
    let line = client.raw(&frame(&json!({"content": [picture]})));
    assert!(line.contains("image/png, 1500 bytes, is in this file"), "{line}");
}

#[test]
fn very_large_picture_becomes_a_file() {
    let mut client = Client::new();
    let data = "TUFQ".repeat(2_500_000);
    let content = json!([
        {"type": "text", "text": "a map"},
        {"type": "image", "data": data, "mimeType": "image/png"},
    ]);
    let answer: Value =
        serde_json::from_str(&client.raw(&frame(&json!({"content": content})))).unwrap();
    let parts = answer["result"]["content"].as_array().unwrap();
    assert_eq!(parts[0]["text"], "a map");
    let words = parts[1]["text"].as_str().unwrap();
    assert!(words.contains("image/png, 7500000 bytes, is in this file: /"), "{words}");
    assert_eq!(client.saved(), ["MAP".repeat(2_500_000).into_bytes()]);
}

#[test]
fn giant_result_is_shortened_in_little_memory_with_its_id_in_any_place() {
    for last in [false, true] {
        let mut client = Client::new();
        let answer = client.call("big", json!({"bytes": 60_000_000, "last": last}));
        assert_eq!(answer["id"], 77);
        let text = text_of(&answer);
        assert!(text.chars().count() <= 9_500 && text.contains("lines"), "{text}");
        let saved = &client.saved()[0];
        assert!(saved.len() > 58_000_000, "{}", saved.len());
        assert!(saved.starts_with(b"the quick brown fox") && saved.ends_with(b"sixty-four\n"));
        assert!(peak_kib(client.child.id()) < 64 << 10);
        client.is_well();
    }
}

/// Returns the peak memory of a process in KiB.
fn peak_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn results_in_a_list_of_messages_are_shortened() {
    let mut client = Client::new();
    let long = json!({"content": [{"type": "text", "text": lines(2_000)}]});
    client.send(
        r#"[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang"}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hang"}}]"#,
    );
    client.ask(
        3,
        "raw",
        json!({"frame": format!(
            "[{{\"id\":1,\"result\":{long}}}, {{\"id\":2,\"result\":{{\"x\":1.50}}}}]\n"
        )}),
    );
    let line = client.line();
    let answers: Value = serde_json::from_str(&line).unwrap();
    assert!(line.ends_with(r#", {"id":2,"result":{"x":1.50}}]"#), "{line}");
    assert!(text_of(&answers[0]).len() < 10_000);
}

#[test]
fn settings_apply_to_a_server_and_to_a_tool() {
    let config = r#"
        structured = "keep"
        [tools."chaos/*"]
        max_chars = 3000
        [tools."chaos/raw"]
        structured = "drop"
        [mcp]
        max_media = 1000
        tool_prefix = "spill-"
    "#;
    let chaos = super::client::chaos();
    let mut client = Client::with(&[], &[chaos.to_str().unwrap()], |command| {
        let home = command.get_current_dir().unwrap().join("config/overspill");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(home.join("config.toml"), config).unwrap();
    });
    let text = text_of(&client.call("text", json!({"text": lines(5_000)})));
    assert!(text.chars().count() <= 3_000 && text.contains("spill-read {"), "{text}");
    let picture = json!({"type": "image", "mimeType": "image/png", "data": "TUFQ".repeat(1_000)});
    let value = json!({"rows": (0..9_000).collect::<Vec<u32>>()});
    let line = client.raw(&frame(&json!({"content": [picture], "structuredContent": value})));
    assert!(line.contains("is in this file") && !line.contains("structuredContent"), "{line}");
}

#[test]
fn structured_content_can_be_shrunk_within_its_schema() {
    let schema = json!({"type": "object", "required": ["rows"], "properties": {
        "rows": {"type": "array", "items": {"type": "integer"}}}});
    let tools = json!([{"name": "raw", "inputSchema": {"type": "object"}, "outputSchema": schema}]);
    let chaos = super::client::chaos();
    let mut client = Client::with(&[], &[chaos.to_str().unwrap()], |command| {
        command.env("OVERSPILL_STRUCTURED", "shrink").env("CHAOS_TOOLS", tools.to_string());
    });
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert_eq!(client.json()["result"]["tools"][0]["outputSchema"], schema);
    let value = json!({"rows": (0..9_000).collect::<Vec<u32>>()});
    let text = value.to_string();
    let sent =
        frame(&json!({"content": [{"type": "text", "text": text}], "structuredContent": value}));
    let answer: Value = serde_json::from_str(&client.raw(&sent)).unwrap();
    let rows = answer["result"]["structuredContent"]["rows"].as_array().unwrap();
    assert!(rows.len() > 500 && rows[5] == 5);
    assert!(
        text_of(&answer).len() + answer["result"]["structuredContent"].to_string().len() <= 9_600
    );
    assert_eq!(client.saved(), [text.into_bytes()]);
}
