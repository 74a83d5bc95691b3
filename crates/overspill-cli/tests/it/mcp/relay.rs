//! Messages that need no change are unchanged.

use proptest::prelude::*;
use serde_json::json;

use super::client::{Client, chaos};

#[test]
fn progress_logs_requests_and_extensions_are_unchanged_both_ways() {
    let chaos = chaos();
    let mut client = Client::with(&[], &[chaos.to_str().unwrap(), "--mirror"], |_| {});
    for message in [
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1e400,"progress":0.10}}"#,
        r#"{"jsonrpc":"2.0","id":"s-1","method":"sampling/createMessage","params":{"messages":[]}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"elicitation/create","params":{"message":"\u00e4"}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"tasks/get","params":{"taskId":"x"},"new":[{}]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#,
        r#"{"method":"x/y","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        r#"[{"jsonrpc":"2.0","method":"a"}, {"jsonrpc":"2.0","id":9,"method":"b"}]"#,
        "",
        "   ",
        "not JSON at all",
        "{\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"unknown\"}]}}\r",
        r#"{"z":1,"a":2,"id":123456789012345678901234567890,"result":{"content":7}}"#,
    ] {
        client.send(message);
        assert_eq!(client.next().unwrap(), [message.as_bytes(), b"\n"].concat());
    }
}

#[test]
fn giant_message_is_unchanged_both_ways() {
    let chaos = chaos();
    let mut client = Client::with(&[], &[chaos.to_str().unwrap(), "--mirror"], |_| {});
    let blob = "x\\n".repeat(1_500_000);
    for message in [
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/x","params":"{blob}"}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":"{blob}","b":[1,2]}}}}"#),
        format!(r#"[{{"id":1,"result":{{"contents":[{{"text":"{blob}"}}]}}}}]"#),
        format!(r#"{{"id":99,"result":{{"contents":[{{"text":"{blob}"}}]}}}}"#),
    ] {
        let message = message.into_bytes();
        let stdin = client.stdin.take().unwrap();
        let writer = std::thread::spawn({
            let message = message.clone();
            move || {
                use std::io::Write;
                let mut stdin = stdin;
                stdin.write_all(&[&message[..], b"\n"].concat()).unwrap();
                stdin
            }
        });
        let line = client.next().unwrap();
        client.stdin = Some(writer.join().unwrap());
        assert!(line == [&message[..], b"\n"].concat(), "{}", line.len());
    }
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        "-?[0-9]{1,30}(\\.[0-9]{1,5})?",
        "\"([ -!#-\\[\\]-~]|\\\\n|\\\\u00e9|é){0,12}\"",
    ];
    leaf.prop_recursive(4, 30, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|all| format!("[{}]", all.join(", "))),
            prop::collection::vec(("[a-z]{1,6}|id|result|method|content", inner), 0..4).prop_map(
                |all| {
                    let fields = all.iter().map(|(key, value)| format!("\"{key}\" :{value}"));
                    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
                }
            ),
        ]
    })
}

#[test]
fn generated_messages_are_unchanged_and_in_order() {
    let chaos = chaos();
    let client =
        std::cell::RefCell::new(Client::with(&[], &[chaos.to_str().unwrap(), "--mirror"], |_| {}));
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(100);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases,
        ..ProptestConfig::default()
    });
    runner
        .run(&prop::collection::vec(value(), 1..6), |messages| {
            let mut client = client.borrow_mut();
            for message in &messages {
                client.send(message);
            }
            for message in &messages {
                prop_assert_eq!(&client.line(), message);
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn tools_are_listed_with_retrieval_tools_and_without_schemas() {
    let tools = json!([
        {"name": "overspill_read", "inputSchema": {"type": "object"}, "x": 1.50,
         "outputSchema": {"type": "object"}, "_meta": {"own": 1}},
        {"name": "other", "inputSchema": {"type": "object"}},
    ]);
    let chaos = chaos();
    let mut client = Client::with(&[], &[chaos.to_str().unwrap()], |command| {
        command.env("CHAOS_TOOLS", tools.to_string());
    });
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let answer = client.json();
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["overspill_read", "other", "overspill_read_2", "overspill_grep"]);
    assert!(tools[0].get("outputSchema").is_none());
    assert_eq!(tools[0]["_meta"], json!({"own": 1, "anthropic/maxResultSizeChars": 10_000}));
    // From now on the notice names the tool by its new name.
    let answer = client.call("text", json!({"text": super::client::lines(5_000)}));
    assert!(super::client::text_of(&answer).contains("overspill_read_2 {\"id\""));
    // The old name is now only the name of the server's tool.
    assert!(client.call("overspill_read", json!({})).get("error").is_some());
}
