//! Facts in the record of an output: host, baseline, parts that were read later, failures that were cut.

use serde_json::{Value, json};

use crate::program::{Done, Test, numbered};

/// Runs a command as if Codex ran it.
fn in_codex(args: &[&str], stdin: String) -> Done {
    Test::new(args).stdin(stdin).run_with(&[("CODEX_THREAD_ID", "1")])
}

fn record(done: &Done) -> Value {
    let (code, json, error) = done.then(&["info", "--json", &done.id()]);
    assert_eq!(code, 0, "{error}");
    serde_json::from_str::<Value>(&json).unwrap()["record"].take()
}

#[test]
fn record_names_the_host_and_what_it_would_have_shown() {
    let known = record(&in_codex(&["cut"], numbered(20_000)));
    assert_eq!((&known["host"], &known["baseline"]), (&json!("codex"), &json!(10_000)));
    let unknown = record(&Test::new(&["cut"]).stdin(numbered(20_000)).run());
    assert_eq!((&unknown["host"], &unknown["baseline"]), (&Value::Null, &Value::Null));
}

#[test]
fn record_names_the_session_of_the_host() {
    let session = |variables: &[(&str, &str)]| {
        record(&Test::new(&["cut"]).stdin(numbered(20_000)).run_with(variables))["call"]["session"]
            .take()
    };
    assert_eq!(session(&[]), Value::Null);
    assert_eq!(session(&[("CODEX_THREAD_ID", "thread-1")]), "thread-1");
    let claude = [("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "ade54fc9")];
    assert_eq!(session(&claude), "ade54fc9");
    let own = [claude[0], claude[1], ("OVERSPILL_SESSION", "own")];
    assert_eq!(session(&own), "own");
}

#[test]
fn record_names_the_session_of_a_hook() {
    let result = json!({ "stdout": numbered(20_000), "stderr": "", "interrupted": false });
    let claude = json!({
        "session_id": "ade54fc9", "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": { "command": "make" }, "tool_response": result,
    });
    let text = json!({ "resultType": "success", "textResultForLlm": numbered(20_000) });
    let copilot =
        json!({ "sessionId": "5f5b2fa2", "toolName": "bash", "toolArgs": {}, "toolResult": text });
    for (host, payload) in [("claude-code", claude), ("copilot", copilot)] {
        let id = payload["session_id"].as_str().or(payload["sessionId"].as_str()).unwrap();
        for (variables, session) in [(&[][..], id), (&[("OVERSPILL_SESSION", "own")], "own")] {
            let done =
                Test::new(&["hook", host]).stdin(payload.to_string()).run_with(variables).code(0);
            let (_, json, _) = done.then(&["list", "--json"]);
            let json: Value = serde_json::from_str(&json).unwrap();
            assert_eq!(json["record"]["call"]["session"], session, "{host}");
        }
    }
}

#[test]
fn record_has_the_parts_that_were_read_later() {
    let done = Test::new(&["cut", "--max-lines", "9"]).stdin(numbered(5_000)).run();
    assert_eq!(record(&done)["read_later"], Value::Null);
    let id = done.id();
    done.then(&["read", &id, "--lines", "1000:1000"]);
    done.then(&["read", &id, "--bytes", "0:10"]);
    done.then(&["grep", "^999$", &id]);
    // Line 999 begins after 9 lines of 2 bytes, 90 of 3 and 899 of 4.
    assert_eq!(record(&done)["read_later"], json!([[0, 10], [3_884, 3_893]]));
    done.then(&["read", &id, "--raw"]);
    assert_eq!(record(&done)["read_later"], json!([[0, 10], [3_884, 3_893]]), "no model reads it");
}

#[test]
fn record_has_the_new_lines_that_a_comparison_showed() {
    let done = Test::new(&["run", "--max-lines", "9", "--", "seq", "1", "5000"]).run();
    let old = done.id();
    let (_, _, error) = done.then(&["run", "--max-lines", "9", "--", "seq", "2", "5001"]);
    let new = done.files().iter().map(|file| crate::program::id_of(file)).find(|id| *id != old);
    let new = new.unwrap_or_else(|| panic!("{error}"));
    done.then(&["diff", "--lines", &old, &new]);
    let (_, json, _) = done.then(&["info", "--json", &new]);
    let json: Value = serde_json::from_str(&json).unwrap();
    // The lines 2, 3 and 4 stand after line 1, which is gone; the lines 4998 to 5001 are the last ones.
    assert_eq!(json["record"]["read_later"], json!([[0, 6], [23_876, 23_896]]));
}

#[test]
fn record_counts_failures_that_the_preview_does_not_show() {
    let log = |failures: u32| {
        let lines = (0..4_000_u32).map(|at| match at {
            500..4_000 if at % 7 == 0 && at < 500 + 7 * failures => {
                format!("error: module_{at}.c:{at}: cannot find symbol name_{at}\n")
            }
            _ => format!("building part {at} of the tree\n"),
        });
        lines.collect::<String>()
    };
    let text = log(300);
    let record = record(&Test::new(&["cut", "--max-bytes", "4000"]).stdin(text.clone()).run());
    let cut = &record["cut_failures"];
    let total = text.lines().filter(|line| line.starts_with("error")).count() as u64;
    let (lines, first) = (cut["lines"].as_u64().unwrap(), cut["first"].as_array().unwrap());
    assert!(0 < lines && lines < total, "{lines} of {total}");
    assert_eq!(first.len(), 64);
    let pieces: Vec<(u64, u64)> = record["pieces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|piece| (piece["bytes"][0].as_u64().unwrap(), piece["bytes"][1].as_u64().unwrap()))
        .collect();
    let shown =
        |place: usize| pieces.iter().any(|(from, to)| (*from..*to).contains(&(place as u64)));
    let (mut place, mut missing) = (0, Vec::new());
    for line in text.split_inclusive('\n') {
        if line.starts_with("error") && !shown(place) {
            missing.push(place as u64);
        }
        place += line.len();
    }
    assert_eq!(lines, missing.len() as u64);
    let first: Vec<u64> = first.iter().map(|place| place.as_u64().unwrap()).collect();
    assert_eq!(first, missing[..64]);
}

#[test]
fn sent_bytes_of_a_slow_command_are_those_on_the_pipe() {
    // The start is shown while the command runs. The preview at the end does not repeat it.
    let slow = "seq 1 30000; sleep 1; echo error: end";
    let piped = "seq 1 30000; sleep 1; false | cat";
    for words in [&["sh", "-c", slow][..], &["--all", "sh", "-c", slow], &["--shell", piped]] {
        let done = Test::new(&[&["run"], words].concat()).run();
        let record = record(&done);
        assert_eq!(record["sent"], done.output.stdout.len(), "{words:?}: {}", done.text());
    }
}
