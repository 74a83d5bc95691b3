//! Servers and clients that violate the protocol.

use serde_json::json;

use super::client::{Client, lines, text_of};

#[test]
fn frame_that_is_no_result_is_unchanged_and_the_next_call_works() {
    let mut client = Client::new();
    let long = lines(3_000).replace('\n', "\\n");
    for frame in [
        "{not json".to_owned(),
        "null".into(),
        "[]".into(),
        r#"{"jsonrpc":"2.0","id":null,"result":{}}"#.into(),
        r#"{"jsonrpc":"2.0","id":4711,"result":{"content":[]}}"#.into(),
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"other":"{long}"}}}}"#),
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":7},"short"]}}"#
            .into(),
    ] {
        assert_eq!(client.raw(&frame), frame.replace("$ID", "77"));
        client.is_well();
    }
}

#[test]
fn deeply_nested_message_does_not_stop_the_proxy() {
    let mut client = Client::new();
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let frame = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"content":[],"x":{deep}}}}}"#);
    assert_eq!(client.raw(&frame), frame.replace("$ID", "77"));
    let long = lines(3_000).replace('\n', "\\n");
    let frame = format!(
        r#"{{"id":$ID,"result":{{"structuredContent":{deep},"content":[{{"type":"text","text":"{long}"}}]}}}}"#
    );
    let line = client.raw(&frame);
    assert!(line.len() < 20_000 && line.contains("overspill_read"), "{}", line.len());
    client.is_well();
}

#[test]
fn binary_bytes_are_passed_on_or_shown_readably() {
    let mut client = Client::new();
    let small =
        b"{\"id\":77,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\xff\xfeb\"}]}}\n"
            .to_vec();
    client.ask(77, "bytes", json!({"bytes": small}));
    assert_eq!(client.next().unwrap(), small);
    let mut large = b"{\"id\":77,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"".to_vec();
    large.extend(b"\xff\xfe bytes\\n".repeat(2_000));
    large.extend(b"\"}]}}\n");
    client.ask(77, "bytes", json!({"bytes": large}));
    let text = text_of(&client.json());
    assert!(text.contains("bytes") && text.chars().count() <= 9_500);
    client.is_well();
}

#[test]
fn structured_content_against_its_schema_is_unchanged() {
    let mut client = Client::new();
    let frame = r#"{"id":77,"result":{"content":[],"structuredContent":{"wrong":[null]}}}"#;
    assert_eq!(client.raw(frame), frame);
}

#[test]
fn server_that_floods_stderr_still_answers() {
    let mut client = Client::new();
    let answer = client.call("flood", json!({"lines": 50_000}));
    assert_eq!(answer["id"], 77);
    client.is_well();
}

#[test]
fn server_that_answers_byte_by_byte_is_awaited() {
    let mut client = Client::new();
    let frame = "{\"id\":$ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"slow\"}]}}\n";
    let answer = client.call("slow", json!({"frame": frame, "micros": 3_000}));
    assert_eq!(text_of(&answer), "slow");
}

#[test]
fn two_requests_with_one_id_get_two_answers() {
    let mut client = Client::new();
    client.ask(1, "text", json!({"text": lines(3_000)})).ask(
        1,
        "text",
        json!({"text": lines(4_000)}),
    );
    for last in ["line 3000", "line 4000"] {
        let text = text_of(&client.json());
        assert!(text.contains(last) && text.chars().count() <= 9_500, "{last}");
    }
}

#[test]
fn request_with_a_null_id_or_cancelled_blocks_no_other() {
    let mut client = Client::new();
    client.send(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#);
    assert_eq!(client.json()["id"], json!(null));
    client.ask(5, "hang", json!({}));
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#);
    client.is_well();
    // The server answers the cancelled request anyway, with a long result.
    client.ask(
        6,
        "raw",
        json!({"frame": format!(
            "{{\"id\":5,\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{}\"}}]}}}}\n",
            lines(3_000).replace('\n', "\\n"),
        )}),
    );
    assert!(text_of(&client.json()).chars().count() <= 9_500);
}

#[test]
fn giant_frame_that_is_not_json_fails_only_its_request_and_is_saved() {
    let mut client = Client::new();
    client.ask(5, "hang", json!({}));
    let long = lines(40_000);
    let escaped = long.replace('\n', "\\n");
    for (frame, rest) in [
        (
            format!(r#"{{"id":$ID,"result":{{"content":[{{"type":"text","text":"{escaped}"]}}}}"#),
            "]}}",
        ),
        (
            format!(r#"{{"id":$ID,"result":{{"content":[{{"type":"text","text":"{escaped}" oh no"#),
            "oh no",
        ),
    ] {
        let answer: serde_json::Value = serde_json::from_str(&client.raw(&frame)).unwrap();
        let message = answer["error"]["message"].as_str().unwrap();
        assert_eq!(answer["id"], 77);
        assert!(message.contains("is not JSON") && message.contains("overspill_read"), "{message}");
        assert!(message.len() < 10_000);
        let whole = [&long, "\n", rest].concat();
        assert!(client.saved().iter().any(|saved| saved.starts_with(whole.as_bytes())));
        client.is_well();
    }
    // Bytes that are not text are saved as they came.
    let junk = format!("{{\"id\":77,\"result\":[{}", "1,".repeat(200_000));
    let answer: serde_json::Value = serde_json::from_str(&client.raw(&junk)).unwrap();
    assert!(answer["error"]["message"].as_str().unwrap().contains("overspill_read"));
    assert!(client.saved().iter().any(|saved| saved.starts_with(junk.as_bytes())));
    client.is_well();
}
