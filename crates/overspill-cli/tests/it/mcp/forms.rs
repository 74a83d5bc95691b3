//! Long answers in forms that MCP does not define, and text beside the messages of a server.

use serde_json::{Value, json};

use super::client::{Client, lines};

/// The largest number of characters of a shortened answer: 9,500 for text, and as much for parts
/// that are not text.
const MOST: usize = 25_000;

fn escaped(count: u32) -> String {
    lines(count).replace('\n', "\\n")
}

fn numbers(count: u32) -> String {
    let numbers: Vec<String> = (0..count).map(|n| n.to_string()).collect();
    numbers.join(",")
}

#[test]
fn long_answer_to_a_call_is_shortened_in_any_form() {
    let mut client = Client::new();
    for count in [3_000, 40_000] {
        let (text, numbers) = (escaped(count), numbers(3 * count));
        let digits = "7".repeat(text.len());
        for body in [
            format!(r#""error":"{text}""#),
            format!(r#""error":["{text}"]"#),
            format!(r#""error":[{numbers}]"#),
            format!(r#""error":{{"code":"{text}","message":"no"}}"#),
            format!(r#""error":{{"code":{digits},"message":"no"}}"#),
            format!(r#""error":{{"code":1,"message":"no","more":{{"a":["{text}"]}}}}"#),
            format!(r#""result":"{text}""#),
            format!(r#""result":["{text}"]"#),
            format!(r#""result":[{numbers}]"#),
            format!(r#""result":{{"content":[{numbers}]}}"#),
            format!(r#""result":{{"content":[{digits}]}}"#),
            format!(r#""result":{{"content":[{{"type":"text","text":"a"}},[{numbers}],true]}}"#),
            format!(r#""result":{{"toolResult":"{text}"}}"#),
            format!(r#""result":{{"content":[],"toolResult":{{"a":["{text}"]}}}}"#),
            format!(r#""result":{{"toolResult":[{numbers}]}}"#),
        ] {
            for frame in [format!(r#"{{"id":$ID,{body}}}"#), format!(r#"{{{body},"id":$ID}}"#)] {
                let line = client.raw(&frame);
                assert!(line.len() < MOST, "{} bytes: {line:.200}", line.len());
                let answer: Value = serde_json::from_str(&line).expect(&line);
                assert_eq!(answer["id"], 77, "{line:.200}");
                assert!(line.contains("overspill_read"), "{line:.300}");
            }
        }
    }
    client.is_well();
}

#[test]
fn short_answer_in_an_odd_form_is_unchanged() {
    let mut client = Client::new();
    for body in [
        r#""error":"no""#,
        r#""error":["no",1]"#,
        r#""error":{"code":-32000,"message":"no","data":{"a":1},"more":[1.50,"x"]}"#,
        r#""result":"x""#,
        r#""result":null"#,
        r#""result":[1,"x",{"a":[]}]"#,
        r#""result":{"content":[0,1.0,true,null,"x",{"type":"text","text":"a"}]}"#,
        r#""result":{"toolResult":{"a":[1]}}"#,
    ] {
        let frame = format!(r#"{{"id":$ID,{body}}}"#);
        assert_eq!(client.raw(&frame), frame.replace("$ID", "77"));
    }
    client.is_well();
}

#[test]
fn long_log_message_is_shortened() {
    let mut client = Client::new();
    for count in [3_000, 40_000] {
        let (text, numbers) = (escaped(count), numbers(3 * count));
        for data in
            [format!("\"{text}\""), format!(r#"{{"a":["{text}"]}}"#), format!("[{numbers}]")]
        {
            let line = client.raw(&format!(
                r#"{{"method":"notifications/message","params":{{"level":"info","data":{data}}}}}"#
            ));
            assert!(line.len() < MOST, "{} bytes: {line:.200}", line.len());
            let message: Value = serde_json::from_str(&line).expect(&line);
            assert_eq!(message["method"], "notifications/message");
            assert_eq!(message["params"]["level"], "info");
            assert!(line.contains("overspill_read"), "{line:.300}");
        }
    }
    let short = r#"{"method":"notifications/message","params":{"level":"info","data":{"a":[1]}}}"#;
    assert_eq!(client.raw(short), short);
    client.is_well();
}

#[test]
fn byte_order_mark_before_an_answer_is_dropped() {
    let mut client = Client::new();
    for count in [1, 3_000, 40_000] {
        let text = escaped(count);
        let line = client.raw(&format!(
            "\u{feff}{{\"id\":$ID,\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}}}}"
        ));
        let answer: Value = serde_json::from_str(&line).expect(&line);
        assert!(answer["id"] == 77 && line.len() < MOST, "{} bytes: {line:.200}", line.len());
        assert!(answer["result"]["content"][0]["text"].is_string(), "{line:.200}");
    }
}

#[test]
fn text_before_a_long_answer_makes_it_an_error() {
    let mut client = Client::new();
    for count in [3_000, 40_000] {
        let result = json!({"content": [{"type": "text", "text": lines(count)}]});
        for frame in [
            format!(r#"x{{"id":$ID,"result":{result}}}"#),
            format!(r#"[INFO] {{"id":$ID,"result":{result}}}"#),
            format!(r#"INFO: {{"id":$ID,"result":{result}}}"#),
            format!(r#"INFO {{a}} [b]: {{"result":{result},"id":$ID}}"#),
            format!("\u{feff}x {{\"id\":$ID,\"result\":{result}}}"),
        ] {
            let line = client.raw(&frame);
            let answer: Value = serde_json::from_str(&line).expect(&line);
            assert!(answer["id"] == 77 && line.len() < MOST, "{} bytes: {line:.200}", line.len());
            assert!(answer["error"]["message"].is_string(), "{line:.200}");
        }
    }
    client.is_well();
}
