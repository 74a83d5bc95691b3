//! Servers that try to get text past the limits or past the masking of secrets.

use std::process::Stdio;

use serde_json::{Value, json};

use super::client::{Client, chaos, lines, text_of};
use crate::program::program;

/// The text that all secrets in these tests contain.
const SECRET: &str = "a1B2c3D4e5F6g7H8i9J0";
const MOST: usize = 12_000;

fn token() -> String {
    format!("{}_{}", "ghp", SECRET.repeat(2))
}

/// Returns a client whose proxy masks secrets.
fn masking() -> Client {
    Client::with(&[], &[chaos().to_str().unwrap()], |command| {
        command.env("OVERSPILL_REDACT", "all");
    })
}

fn escaped(count: u32) -> String {
    lines(count).replace('\n', "\\n")
}

#[track_caller]
fn is_short(line: &str) {
    assert!(line.len() < MOST, "{} bytes: {line:.300}", line.len());
}

#[test]
fn every_string_of_a_server_is_masked() {
    let mut client = masking();
    let token = token();
    // `dG9rZW4gZ2hw…` is base64 of text with the token.
    let base64 = "dG9rZW4gZ2hwX2ExQjJjM0Q0ZTVGNmc3SDhpOUowYTFCMmMzRDRlNUY2ZzdIOGk5SjAgYW5kIG1vcmU=";
    let deep = format!("{}{{\"data\":{{\"x\":\"{token}\"}}}}{}", "[".repeat(20), "]".repeat(20));
    for frame in [
        format!(r#"{{"id":$ID,"result":{{"content":[{{"type":"image","data":"{token}"}}]}}}}"#),
        format!(
            r#"{{"id":$ID,"result":{{"content":[{{"type":"resource","resource":{{"blob":"{token}"}}}}]}}}}"#
        ),
        format!(r#"{{"id":$ID,"result":{{"contents":[{{"uri":"a","blob":"{token}"}}]}}}}"#),
        format!(r#"{{"id":$ID,"result":{{"content":[{{"type":"x","y":{deep}}}]}}}}"#),
        format!(
            r#"{{"id":$ID,"result":{{"content":[],"_meta":{{"a":"{token}"}},"x":["{token}"]}}}}"#
        ),
        format!(
            r#"{{"id":$ID,"result":{{"content":[{{"text":"x","_meta":{{"a":"{token}"}}}}]}}}}"#
        ),
        format!(
            r#"{{"id":$ID,"error":{{"code":1,"message":"no","extra":"{token}"}},"x":"{token}"}}"#
        ),
        format!(r#"{{"id":$ID,"result":{{"description":"{token}","messages":[]}}}}"#),
        format!(
            r#"{{"id":1,"method":"sampling/createMessage","params":{{"systemPrompt":"{token}","messages":["{token}"]}}}}"#
        ),
        format!(r#"{{"method":"notifications/message","params":{{"data":"{token}"}}}}"#),
        format!(r#"["{token}",{{"id":$ID,"result":{{}}}},["{token}"]]"#),
        format!(
            r#"{{"id":$ID,"result":{{"x":NaN,"content":[{{"text":"gh\u0070_{}"}}]}}}}"#,
            &token[4..]
        ),
    ] {
        let line = client.raw(&frame);
        assert!(!line.contains(SECRET), "{line}");
    }
    let frame =
        format!(r#"{{"id":$ID,"result":{{"content":[{{"type":"image","data":"{base64}"}}]}}}}"#);
    let line = client.raw(&frame);
    assert!(line.contains("dG9rZW4gZ2hwXyoqKioq") && line.len() == frame.len() - 1, "{line}");
    client.is_well();
}

#[test]
fn ids_cursors_and_names_of_a_server_stay_unmasked() {
    let mut client = masking();
    let token = token();
    for frame in [
        format!(r#"{{"id":"{token}","method":"ping"}}"#),
        format!(
            r#"{{"id":$ID,"result":{{"tools":[{{"name":"{token}"}}],"nextCursor":"{token}"}}}}"#
        ),
        format!(r#"{{"id":$ID,"result":{{"resources":[{{"uri":"{token}","name":"{token}"}}]}}}}"#),
        format!(r#"{{"method":"notifications/progress","params":{{"progressToken":"{token}"}}}}"#),
    ] {
        assert_eq!(client.raw(&frame), frame.replace("$ID", "77"));
    }
}

#[test]
fn private_key_over_several_parts_is_masked() {
    let mut client = masking();
    let (kind, line) = ("PRIVATE", SECRET.repeat(3));
    let (begin, end) = (format!("-----BEGIN {kind} KEY-----"), format!("-----END {kind} KEY-----"));
    for parts in [
        vec![begin.clone(), line.clone(), line.clone(), end.clone()],
        vec![format!("{begin}\n{line}"), format!("{line}\n{end}")],
        vec![format!("{begin}\n{line}\n"), format!("{line}\n{end}\n")],
        vec![format!("{begin}\n{line}"), format!("{SECRET}\n{end}")],
    ] {
        let parts: Vec<Value> =
            parts.iter().map(|text| json!({"type": "text", "text": text})).collect();
        let line = client.raw(&format!(r#"{{"id":$ID,"result":{}}}"#, json!({"content": parts})));
        assert!(!line.contains(SECRET) && line.contains("***"), "{line}");
    }
}

#[test]
fn line_that_is_not_json_is_short_or_refused() {
    let mut client = masking();
    for count in [2_000, 40_000] {
        let (text, deep) = (escaped(count), "[".repeat(1_100_000));
        for (frame, is_answered) in [
            (
                format!(
                    r#"{{"id":$ID,"result":{{"x":NaN,"content":[{{"type":"text","text":"{text}"}}]}}}}"#
                ),
                true,
            ),
            (
                format!(
                    r#"{{"id":$ID,"result":{{"content":[{{"type":"text","text":"{text}"}}],"x":Infinity}}}}"#
                ),
                true,
            ),
            (
                format!(
                    r#"{{"x":NaN,"id":$ID,"result":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#
                ),
                false,
            ),
            (
                format!(
                    r#"{{"id":$ID,"result":{{"x":{deep},"content":[{{"type":"text","text":"{text}"}}]}}}}"#
                ),
                true,
            ),
            (
                format!(
                    r#"{{"method":"x","id":$ID,"params":NaN,"result":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#
                ),
                false,
            ),
            (
                format!(
                    r#"{{"method":"x","id":$ID,"result":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#
                ),
                true,
            ),
            (text.clone(), false),
            (format!(r#"[{{"id":$ID,"result":{{}}}}, oops {text}"#), true),
        ] {
            client.ask(77, "raw", json!({"frame": format!("{frame}\n")}));
            client.send(r#"{"jsonrpc":"2.0","id":"ping","method":"ping"}"#);
            let mut all = String::new();
            while !all.contains(r#""id":"ping""#) {
                all.push_str(&client.line());
                all.push('\n');
            }
            is_short(&all);
            assert_eq!(all.contains(r#""id":77"#), is_answered, "{frame:.60}: {all:.500}");
        }
        client.is_well();
    }
}

#[test]
fn short_line_that_is_not_json_is_unchanged() {
    let mut client = Client::new();
    for frame in ["starting up on port 80", r#"{"id":77,"result":{"content":[],"x":NaN}}"#, "[oops"]
    {
        assert_eq!(client.raw(frame), frame);
    }
    client.is_well();
}

#[test]
fn refused_line_is_reported_on_stderr() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = program(dir.path());
    command.args(["mcp", "--"]).arg(chaos()).current_dir(dir.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut client = Client::of(dir, command);
    let mut stderr = client.child.stderr.take().unwrap();
    client.ask(77, "raw", json!({"frame": format!("{}\n", "noise ".repeat(50_000))}));
    client.is_well();
    drop(client.stdin.take());
    client.child.wait().unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut stderr, &mut text).unwrap();
    assert!(
        text.contains("warning: ") && text.contains("300001 bytes that is not a message"),
        "{text}"
    );
}

#[test]
fn answer_with_an_unknown_id_is_shortened() {
    let mut client = Client::new();
    for count in [1_000, 40_000] {
        let text = escaped(count);
        let result = format!(r#""result":{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
        for frame in [
            format!(r#"{{"id":4711,{result}}}"#),
            format!(r#"{{"id":"77",{result}}}"#),
            format!(r#"{{"id":77.0,{result}}}"#),
            format!(r#"{{"id":7.7e1,{result}}}"#),
            format!(r#"{{"id":4711,{result},"id":77}}"#),
            format!(r#"{{{result},"id":[77]}}"#),
            format!(r#"{{{result}}}"#),
            format!(r#"{{"method":"x","id":77,{result}}}"#),
            format!(r#"{{{result},"id":77,"method":"x"}}"#),
        ] {
            client.ask(77, "raw", json!({"frame": format!("{frame}\n")}));
            let line = client.line();
            is_short(&line);
            assert!(line.contains("overspill_read"), "{line}");
        }
    }
    client.is_well();
}

#[test]
fn answer_to_another_request_with_a_second_id_is_shortened() {
    let mut client = Client::new();
    for count in [1_000, 40_000] {
        let (text, filler) = (escaped(count), "filler ".repeat(20 * count as usize));
        let result = format!(r#""result":{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
        for frame in [
            format!(r#"{{"id":6,{result},"id":77}}"#),
            format!(r#"{{"id":6,"result":{{"contents":["{filler}"]}},"id":77,{result}}}"#),
        ] {
            // The test server does not answer a request that it cannot read.
            let read = r#"{"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"x":"\ud800"}}"#;
            client.send(read);
            client.ask(77, "raw", json!({"frame": format!("{frame}\n")}));
            client.send(r#"{"jsonrpc":"2.0","id":"ping","method":"ping"}"#);
            // A frame that passes in pieces breaks off, so that no client takes it for a message.
            loop {
                let line = client.line();
                let message = serde_json::from_str::<Value>(&line);
                assert!(message.is_err() || !line.contains("line 500 of"), "{line:.300}");
                if line.contains(r#""id":"ping""#) {
                    break;
                }
            }
        }
    }
}

#[test]
fn id_is_compared_by_its_value() {
    let chaos = chaos();
    let mut client = Client::with(&[], &[chaos.to_str().unwrap()], |command| {
        let home = command.get_current_dir().unwrap().join("config/overspill");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(home.join("config.toml"), "[tools.\"chaos/raw\"]\nmax_chars = 2000\n")
            .unwrap();
    });
    for id in ["77.0", "7.7e1", "770e-1", "77"] {
        let frame = json!([{"type": "text", "text": lines(1_000)}]);
        let line = client.raw(&format!(r#"{{"id":{id},"result":{{"content":{frame}}}}}"#));
        assert!(text_of(&serde_json::from_str(&line).unwrap()).chars().count() <= 2_000, "{id}");
    }
}

#[test]
fn calls_in_a_long_list_of_the_client_are_known() {
    let chaos = chaos();
    let mut client = Client::with(&[], &[chaos.to_str().unwrap()], |command| {
        let home = command.get_current_dir().unwrap().join("config/overspill");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(home.join("config.toml"), "[tools.\"chaos/text\"]\nmax_chars = 2000\n")
            .unwrap();
    });
    let call = |id: u32| {
        let arguments = json!({"text": lines(8_000)});
        json!({"id": id, "method": "tools/call", "params": {"name": "text", "arguments": arguments}})
    };
    client.send(json!([call(1), call(2)]).to_string());
    for _ in 0..2 {
        let answer = client.json();
        assert!(text_of(&answer).chars().count() <= 2_000, "{}", answer["id"]);
    }
}

#[test]
fn content_that_is_no_list_is_shortened() {
    let mut client = Client::new();
    for count in [1_000, 40_000] {
        let text = lines(count);
        for content in [
            json!(text),
            json!({"type": "text", "text": text}),
            json!({"type": "news", "about": [text]}),
        ] {
            for structured in [None, Some(json!({"rows": [1, 2]}))] {
                let mut result = json!({"content": content});
                if let Some(structured) = structured {
                    result["structuredContent"] = structured;
                }
                let line = client.raw(&format!(r#"{{"id":$ID,"result":{result}}}"#));
                is_short(&line);
                let answer: Value = serde_json::from_str(&line).unwrap();
                assert!(answer["result"]["content"].is_array(), "{line}");
                assert!(line.contains("overspill_read"), "{line}");
            }
        }
    }
    for content in [json!("short"), json!({"type": "text", "text": "short"})] {
        let frame = format!(
            r#"{{"id":77,"result":{{ "content" : {content} , "x":"{}"}}}}"#,
            escaped(1_000)
        );
        assert_eq!(client.raw(&frame), frame);
    }
}

#[test]
fn media_that_turn_out_to_be_text_are_shortened() {
    let mut client = Client::new();
    let start = "TUFQ".repeat(1_000);
    for count in [1_000, 40_000] {
        for data in [
            format!("{start}{}", lines(count)),
            format!("data:image/svg+xml,{}", lines(count)),
            format!("data:image/png;base64,{start}\"{}", lines(count)),
        ] {
            for part in [
                json!({"type": "image", "data": data}),
                json!({"type": "image", "source": {"data": data}}),
            ] {
                let line =
                    client.raw(&format!(r#"{{"id":$ID,"result":{}}}"#, json!({"content": [part]})));
                is_short(&line);
                assert!(line.contains("overspill_read"), "{line:.200}");
                assert!(client.saved().iter().any(|saved| saved == data.as_bytes()));
            }
        }
    }
    let picture = json!({"type": "image", "mimeType": "image/png", "data": start.repeat(20)});
    let frame = format!(r#"{{"id":77,"result":{}}}"#, json!({"content": [picture]}));
    assert_eq!(client.raw(&frame), frame);
}

#[test]
fn structured_content_that_comes_twice_leaves_valid_json() {
    let mut client = Client::new();
    let large: Value = (0..500_000).collect();
    let content = json!([{"type": "text", "text": lines(1_000)}]);
    for second in [json!({"a": 1}), large.clone()] {
        let line = client.raw(&format!(
            r#"{{"id":$ID,"result":{{"structuredContent":{large},"content":{content},"structuredContent":{second}}}}}"#
        ));
        is_short(&line);
        let answer: Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:.300}"));
        assert!(text_of(&answer).contains("overspill_read"));
        client.is_well();
    }
}

#[test]
fn text_between_the_messages_of_a_list_is_not_passed_on() {
    let mut client = masking();
    let token = token();
    for count in [1, 20_000] {
        let text = format!("{token} {}", escaped(count));
        let line = client.raw(&format!(
            r#"["{text}",{{"id":$ID,"result":{{}}}},{{"a":"{text}"}}, ["{text}", {{"{text}":7}}],7]"#
        ));
        assert!(!line.contains(SECRET), "{line:.300}");
        let answers: Value = serde_json::from_str(&line).unwrap();
        assert_eq!((&answers[1]["id"], &answers[4]), (&json!(77), &json!(7)));
        assert_eq!(answers[0], "");
    }
}

#[test]
fn crafted_schema_stops_neither_the_list_nor_a_result() {
    let refs = |name: &str| vec![json!({"$ref": format!("#/$defs/{name}")}); 30];
    let wide = json!({
        "anyOf": refs("a"), "$defs": {"a": {"anyOf": refs("b")}, "b": {"anyOf": refs("a")}},
    });
    let own = json!({"$ref": "#"});
    let tools =
        json!([{"name": "wide", "outputSchema": wide}, {"name": "raw", "outputSchema": own}]);
    let mut client = Client::with(&[], &[chaos().to_str().unwrap()], |command| {
        command.env("OVERSPILL_STRUCTURED", "shrink").env("CHAOS_TOOLS", tools.to_string());
    });
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let listed = client.json();
    assert!(listed["result"]["tools"][0].get("outputSchema").is_none());
    let value = json!({"structuredContent": {"rows": (0..9_000).collect::<Vec<u32>>()}});
    let line = client.raw(&format!(r#"{{"id":$ID,"result":{value}}}"#));
    is_short(&line);
    client.is_well();
}
