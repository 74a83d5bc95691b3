//! The end of the server, of the client and of the proxy.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::{Client, chaos};
use crate::program::Test;

#[test]
fn server_death_answers_every_call_and_sets_the_exit_code() {
    let mut client = Client::new();
    client.ask(1, "hang", json!({})).ask(2, "hang", json!({}));
    client.is_well();
    let since = Instant::now();
    client.ask(3, "die", json!({"code": 7, "frame": "{\"id\":3,\"res"}));
    // The partial frame is passed on, and ends with a line feed.
    assert_eq!(client.line(), "{\"id\":3,\"res");
    let mut ids: Vec<u64> = (0..3)
        .map(|_| {
            let answer = client.json();
            assert_eq!(answer["error"]["code"], -32000);
            assert!(answer["error"]["message"].as_str().unwrap().contains("exit code 7"));
            answer["id"].as_u64().unwrap()
        })
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3]);
    assert!(since.elapsed() < Duration::from_secs(1), "{:?}", since.elapsed());
    assert_eq!(client.child.wait().unwrap().code(), Some(7));
}

#[test]
fn server_death_within_a_giant_frame_answers_every_call() {
    let mut client = Client::new();
    let text = "half a text\\n".repeat(100_000);
    let frame =
        format!("{{\"id\":$ID,\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{text}");
    client.ask(2, "hang", json!({}));
    client.ask(1, "die", json!({"code": 3, "frame": frame}));
    // The text so far is saved, and the error names it.
    let answer = client.json();
    let message = answer["error"]["message"].as_str().unwrap();
    assert_eq!(answer["id"], 1);
    assert!(message.len() < 10_000 && message.contains("overspill_read"), "{message}");
    assert_eq!(client.saved(), ["half a text\n".repeat(100_000).into_bytes()]);
    assert_eq!(client.json()["id"], 2);
    assert_eq!(client.child.wait().unwrap().code(), Some(3));
}

#[test]
fn background_process_of_a_dead_server_delays_no_answer() {
    let script = "sleep 60 & read line; exit 4";
    let mut client = Client::with(&[], &["sh", "-c", script], |_| {});
    let since = Instant::now();
    client.ask(1, "x", json!({}));
    assert_eq!(client.json()["id"], 1);
    assert_eq!(client.child.wait().unwrap().code(), Some(4));
    assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
}

#[test]
fn server_ends_when_its_client_is_gone() {
    let chaos = chaos();
    let mut client = Client::with(
        &[],
        &["sh", "-c", "echo $$ > pid; exec \"$0\"", chaos.to_str().unwrap()],
        |command| {
            command.env("CHAOS_STAYS", "60");
        },
    );
    client.is_well();
    let pid = std::fs::read_to_string(client.dir.path().join("pid")).unwrap();
    let pid = pid.trim().to_owned();
    let since = Instant::now();
    drop(client.stdin.take());
    assert!(client.child.wait().unwrap().code().is_some());
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
}

#[test]
fn answers_still_come_after_the_client_closed_its_input() {
    let mut client = Client::new();
    client.ask(1, "slow", json!({"frame": "{\"id\":$ID,\"result\":{}}\n", "micros": 10_000}));
    drop(client.stdin.take());
    assert_eq!(client.line(), r#"{"id":1,"result":{}}"#);
    assert_eq!(client.child.wait().unwrap().code(), Some(0));
}

#[test]
fn missing_server_program_is_reported_on_stderr_only() {
    Test::new(&["mcp", "--", "no-such-server-here"])
        .run()
        .code(127)
        .stdout("")
        .stderr_contains("no-such-server-here: command not found");
    Test::new(&["mcp"]).run().code(2).stderr_contains("SERVER");
}

#[test]
fn server_death_at_any_byte_leaves_no_request_unanswered() {
    let frame = "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[]}}\n";
    for cut in (0..frame.len()).step_by(7) {
        let mut client = Client::new();
        client.ask(1, "hang", json!({}));
        client.ask(2, "die", json!({"code": 1, "frame": &frame[..cut]}));
        let mut answered = Vec::new();
        while let Some(line) = client.next() {
            if let Ok(answer) = serde_json::from_slice::<serde_json::Value>(&line) {
                answered.extend(answer["id"].as_u64());
            }
        }
        answered.sort_unstable();
        assert_eq!(answered, [1, 2], "cut at {cut}");
    }
}

#[test]
fn proxy_ends_during_an_endless_line_of_a_cancelled_call() {
    let mut client = Client::new();
    client.ask(1, "endless", json!({}));
    // Meanwhile the retrieval tools still answer.
    for id in 2..5 {
        client.ask(id, "overspill_read", json!({"id": "01NOTHERE"}));
        assert_eq!(client.json()["id"], id);
    }
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    let since = Instant::now();
    drop(client.stdin.take());
    assert!(client.child.wait().unwrap().code().is_some());
    assert!(since.elapsed() < Duration::from_secs(8), "{:?}", since.elapsed());
}

#[test]
fn server_ends_when_its_client_no_longer_reads() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = crate::program::program(dir.path());
    let script = "echo $$ > pid; exec \"$0\"";
    command.args(["mcp", "--", "sh", "-c", script]).arg(chaos()).env("CHAOS_STAYS", "60");
    command.current_dir(dir.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut proxy = command.spawn().unwrap();
    let mut stdin = proxy.stdin.take().unwrap();
    let mut stdout = BufReader::new(proxy.stdout.take().unwrap());
    writeln!(stdin, r#"{{"id":1,"method":"ping"}}"#).unwrap();
    stdout.read_line(&mut String::new()).unwrap();
    drop(stdout);
    writeln!(stdin, r#"{{"id":2,"method":"ping"}}"#).unwrap();
    assert_eq!(proxy.wait().unwrap().code(), Some(0));
    let pid = std::fs::read_to_string(dir.path().join("pid")).unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{}", pid.trim())).exists());
}

#[test]
fn server_that_restarts_itself_keeps_answering() {
    let chaos = chaos();
    let script = "for n in 1 2 3 4; do echo >> starts; \"$0\"; done";
    let mut client = Client::with(&[], &["sh", "-c", script, chaos.to_str().unwrap()], |_| {});
    client.is_well();
    let starts = client.dir.path().join("starts");
    for (n, half) in ["", "{\"id\":9,\"resu", "{\"id\":9,\"result\":{}}\n"].iter().enumerate() {
        client.ask(9, "die", json!({"code": 1, "frame": half}));
        while std::fs::read(&starts).unwrap().len() < n + 2 {
            std::thread::sleep(Duration::from_millis(10));
        }
        // The partial frame of the dead server ends with the next line.
        client.ask(10, "text", json!({"text": "first words"}));
        let mut lines = vec![client.line()];
        if half.ends_with('\n') {
            lines.push(client.line());
        }
        assert!(lines.concat().contains("first words"), "{lines:?}");
        client.is_well();
    }
}
