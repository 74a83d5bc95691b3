//! An MCP server for tests that misbehaves as its tool calls ask: giant messages, invalid lines,
//! exits at any time.
//!
//! `chaos --mirror` writes every line back unchanged.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test server may panic")]

use std::io::{BufRead, Write, stdin, stdout};
use std::time::Duration;

use serde_json::{Value, json};

fn main() {
    let mut out = stdout().lock();
    let mirror = std::env::args().any(|word| word == "--mirror");
    let mut line = Vec::new();
    let mut input = stdin().lock();
    while input.read_until(b'\n', &mut line).unwrap() > 0 {
        if mirror {
            out.write_all(&line).unwrap();
            out.flush().unwrap();
        } else if let Ok(message) = serde_json::from_slice::<Value>(&line) {
            respond(&message, &mut out);
        }
        line.clear();
    }
    if let Ok(stays) = std::env::var("CHAOS_STAYS") {
        std::thread::sleep(Duration::from_secs(stays.parse().unwrap()));
    }
}

fn respond(message: &Value, out: &mut impl Write) {
    let list: Vec<&Value> = match message {
        Value::Array(messages) => messages.iter().collect(),
        one => vec![one],
    };
    for message in list {
        let (id, method) = (&message["id"], message["method"].as_str().unwrap_or_default());
        let params = &message["params"];
        if message.get("id").is_none() {
            continue;
        }
        let has_resources = std::env::var_os("CHAOS_RESOURCES").is_some();
        let result = match method {
            "initialize" => json!({
                "protocolVersion": params["protocolVersion"],
                "capabilities": match has_resources {
                    true => json!({"tools": {}, "resources": {"subscribe": true}}),
                    false => json!({"tools": {}}),
                },
                "serverInfo": {"name": "chaos", "version": "1"},
            }),
            "resources/list" if has_resources && params["cursor"].is_null() => {
                json!({"resources": [{"uri": "chaos://1", "name": "one"}], "nextCursor": "2"})
            }
            "resources/list" if has_resources => {
                json!({"resources": [{"uri": "chaos://2", "name": "two"}]})
            }
            "resources/templates/list" if has_resources => json!({"resourceTemplates": []}),
            "tools/list" => {
                let tools = std::env::var("CHAOS_TOOLS").unwrap_or_else(|_| {
                    r#"[{"name":"raw","inputSchema":{"type":"object"}}]"#.into()
                });
                json!({"tools": serde_json::from_str::<Value>(&tools).unwrap()})
            }
            "tools/call" => {
                let arguments = &params["arguments"];
                call(params["name"].as_str().unwrap_or_default(), id, arguments, out);
                continue;
            }
            _ => json!({"method": method}),
        };
        writeln!(out, "{}", json!({"jsonrpc": "2.0", "id": id, "result": result})).unwrap();
        out.flush().unwrap();
    }
}

fn call(tool: &str, id: &Value, arguments: &Value, out: &mut impl Write) {
    let number = |name: &str| arguments[name].as_u64().unwrap_or_default();
    match tool {
        // Write exactly this frame, without an added line feed.
        "raw" => {
            let frame = arguments["frame"].as_str().unwrap_or_default();
            out.write_all(frame.replace("$ID", &id.to_string()).as_bytes()).unwrap();
        }
        "bytes" => {
            let bytes: Vec<u8> = serde_json::from_value(arguments["bytes"].clone()).unwrap();
            out.write_all(&bytes).unwrap();
        }
        "slow" => {
            let frame =
                arguments["frame"].as_str().unwrap_or_default().replace("$ID", &id.to_string());
            for byte in frame.as_bytes() {
                out.write_all(&[*byte]).unwrap();
                out.flush().unwrap();
                std::thread::sleep(Duration::from_micros(number("micros")));
            }
        }
        "text" => {
            let text = &arguments["text"];
            let content = json!([{"type": "text", "text": text}]);
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": {"content": content}});
            writeln!(out, "{answer}").unwrap();
        }
        // Write a text with this number of bytes, in lines. With `last`, the id comes at the end.
        "big" => big(id, number("bytes"), arguments["last"] == true, out),
        "flood" => {
            for n in 0..number("lines") {
                eprintln!("line {n} of a server that talks too much");
            }
            writeln!(out, "{}", json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}}))
                .unwrap();
        }
        "die" => {
            let frame = arguments["frame"].as_str().unwrap_or_default();
            out.write_all(frame.replace("$ID", &id.to_string()).as_bytes()).unwrap();
            out.flush().unwrap();
            std::process::exit(number("code") as i32);
        }
        "hang" => {}
        // Write a text without an end until the reader goes away.
        "endless" => {
            write!(out, r#"{{"id":{id},"result":{{"content":[{{"type":"text","text":""#).unwrap();
            while out.write_all(b"and so on, ").is_ok() {}
            std::process::exit(1);
        }
        _ => {
            let error = json!({"code": -32602, "message": "no such tool"});
            writeln!(out, "{}", json!({"jsonrpc": "2.0", "id": id, "error": error})).unwrap();
        }
    }
    out.flush().unwrap();
}

fn big(id: &Value, bytes: u64, last: bool, out: &mut impl Write) {
    let line = r#"the quick brown fox jumps over the lazy dog, and that is a line of sixty-four\n"#;
    let block = line.repeat(1000);
    if last {
        out.write_all(br#"{"result":{"content":[{"type":"text","text":""#).unwrap();
    } else {
        write!(
            out,
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":""#
        )
        .unwrap();
    }
    let mut left = bytes;
    while left > 0 {
        let len = left.min(block.len() as u64);
        // Write only whole lines, so that no escape is cut.
        let len = if len < block.len() as u64 {
            len / line.len() as u64 * line.len() as u64
        } else {
            len
        };
        out.write_all(&block.as_bytes()[..len as usize]).unwrap();
        left = if len == 0 { 0 } else { left - len };
    }
    if last {
        writeln!(out, r#""}}]}},"jsonrpc":"2.0","id":{id}}}"#).unwrap();
    } else {
        out.write_all(b"\"}]}}\n").unwrap();
    }
}
