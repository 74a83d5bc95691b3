//! `overspill hook`: payloads of every host, and the answers to them.

use std::io::{Read, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::program::{Done, Test, numbered, program};

const PAYLOADS: &str = include_str!("../../hosts/payloads.json");

fn hook(host: &str, payload: &str) -> Done {
    Test::new(&["hook", host]).stdin(payload).run().code(0)
}

#[test]
fn hook_answers_every_host_in_its_own_form() {
    let rows: Vec<Value> = serde_json::from_str(PAYLOADS).unwrap();
    assert!(rows.len() > 20);
    rows.iter().for_each(check);
}

/// With any profile, the result keeps the form of the host and its limit.
#[test]
fn profile_that_is_set_applies_in_hooks() {
    let parts = json!([{"type": "text", "text": numbered(9_000)}, {"type": "image", "data": "x"}]);
    let payload = json!({"tool": "bash", "content": parts}).to_string();
    for (profile, words) in [
        ("klaude", "[Output truncated: "),
        ("unified", "Use Read with pagination or Grep"),
        ("takumi", "\nUse Grep to search the full content"),
        ("agent-v2", "The tool call succeeded but"),
        ("opencode", "The tool call succeeded but"),
        ("overspill", "[overspill "),
    ] {
        let test = Test::new(&["hook", "cline"]);
        let mut command = test.command();
        command.env("OVERSPILL_PROFILE", profile).current_dir(test.dir.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = answer["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{profile}"));
        assert!(text.contains(words), "{profile}: {text}");
        assert!(text.chars().count() <= 7_600, "{profile}: {}", text.chars().count());
        assert_eq!(answer["content"][1], parts[1], "{profile}");
    }
}

fn check(row: &Value) {
    let (lines, many) = (numbered(3_000), numbered(40_000));
    let test = Test::new(&["hook", row["host"].as_str().unwrap()]);
    let results = test.dir.path().join(".claude/projects/-h-work/ade54fc9/tool-results");
    std::fs::create_dir_all(&results).unwrap();
    let file = results.join("1-copilot-tool-output-2.txt");
    std::fs::write(&file, &many).unwrap();
    let word = |name: &str| row[name].as_str();
    let what = format!("{}, {}", row["host"], row["what"]);
    let payload = row["payload"].to_string();
    let in_file = payload.contains("@FILE@");
    let payload = payload.replace("@LINES@", &lines.replace('\n', "\\n"));
    let payload = payload.replace("@FILE@", file.to_str().unwrap());
    let done = test.stdin(payload.clone()).run().code(0);
    assert_eq!(done.output.stderr, b"", "{what}");
    let Some(at) = word("text").or(word("rewritten")) else {
        done.stdout("").nothing_saved();
        return;
    };
    let payload: Value = serde_json::from_str(&payload).unwrap();
    let answer = serde_json::from_str(&done.text());
    let answer: Value = answer.unwrap_or_else(|_| panic!("{what}: no answer"));
    let text = answer.pointer(at).and_then(Value::as_str);
    let text = text.unwrap_or_else(|| panic!("{what}: {answer}"));
    if let Some(missing) = word("missing") {
        assert_eq!(answer.pointer(missing), None, "{what}");
    }
    if let Some(same) = word("same") {
        let own = same.replace("/modifiedResult", "/toolResult");
        let own = own.replace("/hookSpecificOutput/updatedToolOutput", "/tool_response");
        let given = payload.pointer(&own);
        assert!(given.is_some() && answer.pointer(same) == given, "{what}");
    }
    if word("rewritten").is_some() {
        let line = payload["tool_input"]["command"].as_str().unwrap().replace('\'', r"'\''");
        assert!(text.contains(" run --max-lines 1900 --max-chars 9500 --shell "), "{text}");
        assert!(text.ends_with(&format!("'{line}'")), "{text}");
        return;
    }
    assert!(text.contains("[overspill "), "{what}: {text}");
    let most = match row["host"].as_str() {
        Some("claude-code") => 29_500,
        Some("copilot") => 19_600,
        _ => 9_600,
    };
    assert!(text.chars().count() <= most, "{what}: {}", text.chars().count());
    let whole = if in_file { many } else { lines };
    assert!(text.contains(&format!("\n{}", whole.lines().last().unwrap())), "{what}");
    if let Some(end) = word("ends") {
        assert!(text.ends_with(end), "{what}: {text}");
    }
    let saved = std::fs::read_to_string(&done.files()[0]).unwrap();
    assert_eq!(saved.trim_end(), whole.trim_end(), "{what}");
}

#[test]
fn unknown_hook_payload_passes_through() {
    for (payload, why) in [
        ("", "there is no input"),
        ("   ", "ends before it is complete"),
        ("{\"toolName\":", "ends before it is complete"),
        ("}{", "is not JSON"),
    ] {
        let done = hook("copilot", payload).stdout("").stderr_contains(why);
        assert_eq!(String::from_utf8_lossy(&done.output.stderr).lines().count(), 1);
        done.nothing_saved();
    }
    for payload in ["null", "[]", "7 ", "{}", "{\"toolResult\":7,\"toolName\":[]}"] {
        hook("copilot", payload).stdout("").nothing_saved();
    }
    hook("nobody", "{}").stdout("").stderr_contains("there is no hook for a host \"nobody\"");
    // A rewritten command would evade the user's rules there.
    hook("codex", "{}").stdout("").stderr_contains("there is no hook for a host \"codex\"");
    Test::new(&["hook"]).run().code(0).stdout("");
    Test::new(&["hook", "copilot", "--new-flag"]).stdin("{}").run().code(0).stdout("");
}

#[test]
fn huge_hook_input_is_read_and_unchanged() {
    let text = "0123456789".repeat(10 << 20);
    let payload = json!({"toolName": "bash", "toolResult": {"textResultForLlm": text}}).to_string();
    let done = hook("copilot", &payload).stdout("").stderr_contains("larger than 32 MiB");
    assert_eq!(String::from_utf8_lossy(&done.output.stderr).lines().count(), 1);
}

#[test]
fn hook_answers_while_its_input_is_open() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = program(dir.path());
    command.args(["hook", "opencode"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let payload = json!({"tool": "x", "text": numbered(5_000)}).to_string();
    stdin.write_all(payload.as_bytes()).unwrap();
    let mut answer = String::new();
    // The hook must end although its input is still open.
    child.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("{\"text\":\"[overspill "), "{answer}");
    assert!(child.wait().unwrap().success());
    drop(stdin);
}

#[test]
fn structured_content_that_is_kept_stays_in_the_answer() {
    let payload = json!({
        "hook_event_name": "PostToolUse", "tool_name": "mcp__server__tool", "tool_input": {},
        "tool_response": {
            "content": [{"type": "text", "text": numbered(5_000)}], "structuredContent": {"lines": 5000},
        },
    });
    for (structured, is_kept) in [("keep", true), ("drop", false)] {
        let dir = tempfile::tempdir().unwrap();
        let mut command = program(dir.path());
        command.args(["hook", "claude-code"]).env("OVERSPILL_STRUCTURED", structured);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap().stdout;
        let answer: Value = serde_json::from_slice(&output).unwrap();
        let output = &answer["hookSpecificOutput"]["updatedToolOutput"];
        assert_eq!(output.get("structuredContent").is_some(), is_kept, "{structured}");
        let parts = if is_kept { &output["content"] } else { output };
        let text = parts[0]["text"].as_str().unwrap();
        assert!(text.starts_with("[overspill ") && text.chars().count() <= 9_500, "{text:.200}");
    }
}

/// Sends a result of this tool, whose text is in this file, to the hook of Claude Code.
fn claude_with_file(test: Test, tool: &str, file: &std::path::Path) -> Done {
    let payload = json!({
        "hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": {"command": "seq 1 40000"},
        "tool_response": {"stdout": "1", "stderr": "", "persistedOutputPath": file},
    });
    test.stdin(payload.to_string()).run().code(0)
}

#[test]
fn claude_output_file_is_opened_only_where_the_host_writes_it() {
    const RESULTS: &str = ".claude/projects/-h-work/ade54fc9/tool-results";
    let prepared = || {
        let test = Test::new(&["hook", "claude-code"]);
        let results = test.dir.path().join(RESULTS);
        std::fs::create_dir_all(&results).unwrap();
        std::fs::write(test.dir.path().join("secret.txt"), numbered(40_000)).unwrap();
        std::fs::write(results.join("good.txt"), numbered(40_000)).unwrap();
        (test, results)
    };
    let (test, results) = prepared();
    let good = results.join("good.txt");
    assert!(claude_with_file(test, "Bash", &good).text().contains("[overspill "));
    // Another tool.
    let (test, results) = prepared();
    claude_with_file(test, "mcp__evil__x", &results.join("good.txt")).stdout("").nothing_saved();
    // A file in another directory, also with a path through the right directory.
    for name in ["secret.txt", &format!("{RESULTS}/../../../../../secret.txt")] {
        let (test, _) = prepared();
        let file = test.dir.path().join(name);
        claude_with_file(test, "Bash", &file).stdout("").nothing_saved();
    }
    // A link to a file, and a link to a directory.
    let (test, results) = prepared();
    let link = results.join("link.txt");
    std::os::unix::fs::symlink(test.dir.path().join("secret.txt"), &link).unwrap();
    claude_with_file(test, "Bash", &link).stdout("").nothing_saved();
    let (test, results) = prepared();
    let other = test.dir.path().join("other/tool-results");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("x.txt"), numbered(40_000)).unwrap();
    let link = results.parent().unwrap().parent().unwrap().join("linked");
    std::os::unix::fs::symlink(other.parent().unwrap(), &link).unwrap();
    claude_with_file(test, "Bash", &link.join("tool-results/x.txt")).stdout("").nothing_saved();
}

#[test]
fn claude_output_file_that_is_a_pipe_does_not_hang() {
    let test = Test::new(&["hook", "claude-code"]);
    let results = test.dir.path().join(".claude/projects/-h-work/ade54fc9/tool-results");
    std::fs::create_dir_all(&results).unwrap();
    let pipe = results.join("pipe.txt");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // A thread opens the other end after a while, so that a failing test ends.
    let other = pipe.clone();
    let begun = std::time::Instant::now();
    let writer = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_secs(5));
        let _ = rustix::fs::open(
            &other,
            rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NONBLOCK,
            rustix::fs::Mode::empty(),
        );
    });
    claude_with_file(test, "Bash", &pipe).stdout("").nothing_saved();
    assert!(begun.elapsed() < std::time::Duration::from_secs(4));
    writer.join().unwrap();
}

fn shell_or_mcp(tool: &str, response: &Value) -> String {
    json!({"hook_event_name": "PostToolUse", "tool_name": tool, "tool_response": response})
        .to_string()
}

#[test]
fn long_result_in_any_form_is_shortened() {
    let long = numbered(40_000);
    let numbers: Vec<u32> = (0..100_000).collect();
    let words = vec!["a short string"; 20_000];
    for response in [
        json!({"stdout": "", "content": [{"type": "text", "text": long}]}),
        json!({"stdout": [long]}),
        json!({"stdout": 1, "other": long}),
        json!({"stdout": long, "persistedOutputPath": ""}),
        json!({"stdout": long, "persistedOutputPath": "/nonexistent"}),
        json!({"stdout": long, "isImage": true}),
        json!({"stdout": "", "stderr": [long]}),
        json!({"stdout": "", "words": words}),
        json!({"error": long}),
        json!({"streams": {"all": [long]}}),
        json!({"content": "short", "more": long}),
        json!({"content": [], "more": long}),
        json!({ "content": numbers }),
    ] {
        for tool in ["Bash", "mcp__test__x"] {
            let done = hook("claude-code", &shell_or_mcp(tool, &response));
            let answer: Value = serde_json::from_str(&done.text())
                .unwrap_or_else(|_| panic!("{tool}: no answer to {:.60}", response.to_string()));
            let result = answer["hookSpecificOutput"]["updatedToolOutput"].to_string();
            assert!(result.contains("[overspill "), "{tool}: {result:.300}");
            // Parts that are not text may take as much room as the text.
            assert!(result.len() < 60_000, "{tool}: {} bytes: {result:.300}", result.len());
            assert!(!done.files().is_empty(), "{tool}: {result:.300}");
        }
    }
}

#[test]
fn hook_leaves_the_result_of_a_line_with_the_escape_whole() {
    let payload = |command: &str, text: &str| {
        json!({
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": command},
            "tool_response": {"stdout": text, "stderr": "", "interrupted": false, "isImage": false},
        })
        .to_string()
    };
    let long = numbered(3_000);
    assert!(hook("claude-code", &payload("seq 1 3000", &long)).text().contains("[overspill "));
    hook("claude-code", &payload("OVERSPILL=off seq 1 3000", &long)).stdout("").nothing_saved();
}

#[test]
fn picture_of_the_shell_passes_and_keeps_no_text_back() {
    let picture = format!("data:image/png;base64,{}", "TUFQ".repeat(40_000));
    let response = json!({"stdout": picture, "stderr": "", "isImage": true});
    hook("claude-code", &shell_or_mcp("Bash", &response)).stdout("").nothing_saved();
    let response = json!({"stdout": picture, "stderr": numbered(40_000), "isImage": true});
    let answer = hook("claude-code", &shell_or_mcp("Bash", &response)).text();
    assert!(answer.contains("[overspill ") && answer.len() < 45_000, "{answer:.300}");
    // A preview must not be marked as a picture.
    let response = json!({"stdout": numbered(40_000), "isImage": true});
    let answer = hook("claude-code", &shell_or_mcp("Bash", &response)).text();
    assert!(answer.contains(r#""isImage":false"#), "{answer:.300}");
}

/// The payload of each host's hook with this result of an MCP tool.
fn payloads(result: &Value) -> Vec<(&'static str, Value, &'static str)> {
    vec![
        (
            "claude-code",
            json!({"hook_event_name": "PostToolUse", "tool_name": "mcp__s__t", "tool_response": result}),
            "/hookSpecificOutput/updatedToolOutput",
        ),
        (
            "cursor",
            json!({"tool_name": "MCP:t", "tool_output": result}),
            "/updated_mcp_tool_output",
        ),
        ("opencode", json!({"tool": "t", "content": result}), "/content"),
        ("pi", json!({"tool": "t", "content": result}), "/content"),
    ]
}

#[test]
fn hook_shortens_embedded_and_structured_results_in_every_form() {
    let long = numbered(40_000);
    let rows: Vec<Value> = (0..5_000)
        .map(|id| json!({"id": id, "name": format!("row {id}"), "v": "x".repeat(40)}))
        .collect();
    let resource = json!({"type": "resource", "resource": {"uri": "f:///a", "text": long}});
    let results = [
        json!([resource]),
        json!({ "content": [resource] }),
        json!({"content": [], "structuredContent": {"rows": rows}}),
        json!({"structuredContent": {"rows": rows}}),
        json!({"content": [{"type": "text", "text": "short"}], "structuredContent": {"rows": rows}}),
        json!([{"type": "resource_link", "uri": "f:///a", "name": "a", "description": long}]),
        json!({ "rows": rows }),
        json!(rows),
    ];
    for result in &results {
        for (host, payload, at) in payloads(result) {
            let done = hook(host, &payload.to_string());
            let what = format!("{host}, {:.80}", result.to_string());
            let answer: Value =
                serde_json::from_str(&done.text()).unwrap_or_else(|_| panic!("{what}: no answer"));
            let shown = answer.pointer(at).unwrap_or_else(|| panic!("{what}: {answer:.300}"));
            assert!(at != "/content" || shown.is_array(), "{what}: plugins take lists");
            let shown = shown.to_string();
            // JSON escapes some characters, and opencode and pi have room for 50,000 bytes.
            let most = if at == "/content" { 60_000 } else { 36_000 };
            assert!(
                shown.contains("[overspill ") && shown.len() < most,
                "{what}: {} bytes",
                shown.len()
            );
            assert!(!done.files().is_empty(), "{what}: nothing is saved");
        }
    }
}
