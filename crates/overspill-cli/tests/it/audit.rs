//! Tests of `overspill audit` on transcripts that the real hosts wrote.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::program::{program, skip};

/// The hosts, the files of their sessions, and the bytes of the first output. The command prints
/// 4,560 bytes. Some hosts drop the last line feed or add lines about the process.
///
/// Each session has the same five commands. The first lists 120 files, the second names one of them
/// and fails, the third hides a failure behind `tail`, the fifth is the first again.
const SESSIONS: [(&str, &str, u64); 7] = [
    ("claude-code", "claude-code.jsonl", 4_559),
    ("codex", "codex.jsonl", 4_560),
    ("copilot", "copilot.jsonl", 4_599),
    ("gemini", "gemini.jsonl", 4_605),
    ("opencode", "opencode.json", 4_560),
    ("pi", "pi.jsonl", 4_560),
    ("qwen", "qwen.jsonl", 4_628),
];
const LIST: &str = "seq -f 'src/module_%04g.rs: fn handle_request' 1 120";

fn transcript(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts").join(name)
}

fn audit(home: &Path, args: &[&str]) -> (i32, String, String) {
    let output = program(home).arg("audit").args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn audit_json(home: &Path, paths: &[&Path]) -> Value {
    let mut args = vec!["--json"];
    args.extend(paths.iter().map(|path| path.to_str().unwrap()));
    let (code, json, error) = audit(home, &args);
    assert_eq!(code, 0, "{error}{json}");
    serde_json::from_str(&json).unwrap()
}

#[test]
fn session_of_every_host_is_replayed() {
    let home = tempfile::tempdir().unwrap();
    for (host, file, bytes) in SESSIONS {
        let json = audit_json(home.path(), &[&transcript(file)]);
        assert_eq!((&json["sessions"], &json["outputs"]), (&json!(1), &json!(5)), "{host}");
        assert_eq!(json["by_host"][0]["host"], host);
        assert_eq!((&json["bad_lines"], &json["cut_by_host"]), (&json!(0), &json!(0)), "{host}");
        // No output is longer than the limit of overspill or of the host.
        assert_eq!(json["shown_bytes"], json["with_overspill_bytes"], "{host}");
        // The second command names the file `src/module_0077.rs` of the first output. No earlier
        // line of the transcript names this file.
        assert_eq!(json["used"], json!({ "outputs": 1, "words": 1 }), "{host}");
        let loss = &json["losses"][0];
        assert_eq!(loss["lost"], json!(["src/module_0077.rs"]), "{host}");
        assert_eq!((&loss["command"], &loss["bytes"]), (&json!(LIST), &json!(bytes)), "{host}");
        let hidden = &json["hidden_failures"];
        assert_eq!(hidden["commands"], 1, "{host}: {hidden}");
        let command = hidden["examples"][0]["command"].as_str().unwrap();
        assert!(command.ends_with("2>&1 | tail -3"), "{host}: {command}");
        let ways = json["kept"][2]["ways"].as_array().unwrap();
        let kept: Vec<&Value> = ways.iter().map(|way| &way["kept"]).collect();
        assert_eq!(kept[1..4], [&json!(0.0), &json!(1.0), &json!(0.0)], "{host}: head, tail, ends");
    }
    assert!(!home.path().join("store").exists(), "nothing is written into the store");
}

#[test]
fn secrets_in_examples_are_masked() {
    let home = tempfile::tempdir().unwrap();
    let token = "ghp_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6";
    let (file, page) = (home.path().join("pi.jsonl"), home.path().join("page.html"));
    let session = fs::read_to_string(transcript("pi.jsonl")).unwrap();
    fs::write(&file, session.replace("src/module_0077.rs", token)).unwrap();
    let report = |redact: &str, args: &[&str]| {
        let mut command = program(home.path());
        command.env("OVERSPILL_REDACT", redact).arg("audit").args(args).arg(&file);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(report("off", &["--json"]).contains(token));
    let masked = report("all", &["--json"]);
    assert!(!masked.contains(token) && masked.contains("\"lost\":[\"****"), "{masked}");
    assert!(!report("all", &[]).contains(token));
    report("off", &["--html", page.to_str().unwrap()]);
    let html = fs::read_to_string(page).unwrap();
    assert!(!html.contains(token) && html.contains("****"), "{html}");
}

/// Each output with lost words has a command that shows the output and these words.
#[test]
fn lost_output_of_every_host_can_be_viewed() {
    let home = tempfile::tempdir().unwrap();
    for (host, file, _) in SESSIONS {
        let json = audit_json(home.path(), &[&transcript(file)]);
        let (loss, page) = (&json["losses"][0], home.path().join("page.html"));
        let place = format!("{}:{}", transcript(file).display(), loss["line"]);
        assert_eq!(loss["view"], format!("overspill view {place} --max-chars 2000"), "{host}");
        let args = ["view", &place, "--max-chars", "2000", "--html", page.to_str().unwrap()];
        let done = program(home.path()).args(args).output().unwrap();
        assert!(done.status.success(), "{host}: {}", String::from_utf8_lossy(&done.stderr));
        let page = fs::read_to_string(page).unwrap();
        let data = page.split("id=\"filed\"").nth(1).unwrap();
        let data = &data[data.find('{').unwrap()..data.find("</script>").unwrap()];
        let data: Value = serde_json::from_str(data).unwrap();
        let output = &data["output"][0];
        assert_eq!(
            (&output["command"], &output["used_words"]),
            (&json!(LIST), &json!(1)),
            "{host}"
        );
        assert_eq!(output["lost_words"][0]["word"], "src/module_0077.rs", "{host}");
        assert_eq!(output["record"]["host"], host);
        // The page has every line of the output, and the preview lacks the lost word.
        let rows = data["pieces"][0]["rows"].as_array().unwrap();
        let texts: Vec<&str> = rows.iter().map(|row| row["text"].as_str().unwrap()).collect();
        for at in 1..=120 {
            let line = format!("src/module_{at:04}.rs: fn handle_request");
            assert!(texts.iter().any(|text| text.ends_with(&line)), "{host}: {line}");
        }
        assert_eq!(data["seen"][0]["exact"], true, "{host}");
        assert!(!data["seen"][0].to_string().contains("src/module_0077.rs"), "{host}");
    }
    assert!(!home.path().join("store").exists(), "nothing is written into the store");
}

#[test]
fn place_without_an_output_gets_a_clear_error() {
    let home = tempfile::tempdir().unwrap();
    let pi = transcript("pi.jsonl");
    let line = audit_json(home.path(), &[&pi])["losses"][0]["line"].clone();
    let pi = pi.display();
    for (args, error) in [
        (vec![format!("{pi}:1")], "there is no output of a tool at line 1"),
        (vec![format!("{pi}:{line}:2")], &format!("no output of a tool at line {line}:2")),
        (vec![format!("{pi}:{line}")], "the output is within the limit"),
        (vec![format!("{}:1", file!())], "is in no store"),
        (vec!["last".into(), "--max-chars".into(), "9".into()], "is for an output in a transcript"),
    ] {
        let done = program(home.path()).arg("view").args(&args).output().unwrap();
        let text = String::from_utf8_lossy(&done.stderr);
        assert!(!done.status.success() && text.contains(error), "{args:?}: {text}");
    }
}

#[test]
fn transcripts_are_found_where_hosts_keep_them() {
    let home = tempfile::tempdir().unwrap();
    let (code, _, error) = audit(home.path(), &[]);
    assert!(code == 1 && error.contains("no transcript of a session was found"), "{error}");
    for (file, place) in [
        ("claude-code.jsonl", ".claude/projects/-home-ada-work/session.jsonl"),
        ("codex.jsonl", ".codex/sessions/2026/11/18/rollout.jsonl"),
        ("gemini.jsonl", ".gemini/tmp/work/chats/session.jsonl"),
        ("qwen.jsonl", ".qwen/projects/-home-ada-work/chats/session.jsonl"),
        ("copilot.jsonl", ".copilot/session-state/8b42/events.jsonl"),
        ("pi.jsonl", ".pi/agent/sessions/--home-ada-work--/session.jsonl"),
    ] {
        let place = home.path().join(place);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::copy(transcript(file), place).unwrap();
    }
    let database = home.path().join(".local/share/opencode/opencode.db");
    fs::create_dir_all(database.parent().unwrap()).unwrap();
    fs::write(database, "").unwrap();
    let json = audit_json(home.path(), &[]);
    assert_eq!((&json["sessions"], &json["outputs"]), (&json!(6), &json!(30)));
    let (_, text, _) = audit(home.path(), &[]);
    assert!(text.starts_with("30 tool outputs in 6 sessions"), "{text}");
    assert!(text.contains("opencode export SESSION > FILE"), "{text}");
}

/// Codex writes the arguments of a call as JSON in a JSON string, and Gemini writes its thoughts as
/// JSON.
#[test]
fn word_at_the_start_of_a_line_counts_as_used() {
    let home = tempfile::tempdir().unwrap();
    let output: String = (0..900).map(|at| format!("line {at} of file_{at}.c\n")).collect();
    let item = |payload: Value| json!({ "type": "response_item", "payload": payload }).to_string();
    let call = |id: &str, command: &str| {
        let arguments = json!({ "cmd": command }).to_string();
        item(
            json!({ "type": "function_call", "name": "exec_command", "call_id": id, "arguments": arguments }),
        )
    };
    let answer = json!({ "type": "function_call_output", "call_id": "1", "output": output });
    let codex = [
        json!({ "type": "session_meta", "payload": { "id": "s" } }).to_string(),
        call("1", "make all"),
        item(answer),
        call("2", "cat <<END\nfile_450.c\n\tfile_451.c\nEND"),
    ];
    let response = json!([{ "functionResponse": { "id": "1", "response": { "output": output } } }]);
    let gemini = [
        json!({ "sessionId": "s", "projectHash": "h" }).to_string(),
        json!({ "type": "gemini", "id": "a", "toolCalls":
            [{ "id": "1", "name": "run_shell_command", "args": { "command": "make" }, "result": response }] })
        .to_string(),
        json!({ "type": "gemini", "id": "b", "thoughts": [{ "description": "see\nfile_450.c\n\tfile_451.c" }] })
            .to_string(),
    ];
    for (host, lines) in [("codex", codex.join("\n")), ("gemini", gemini.join("\n"))] {
        let file = home.path().join(format!("{host}.jsonl"));
        fs::write(&file, lines + "\n").unwrap();
        let json = audit_json(home.path(), &[&file]);
        assert_eq!(json["used"], json!({ "outputs": 1, "words": 2 }), "{host}: {json}");
    }
}

/// A resumed session repeats the history in another file.
#[test]
fn repeated_output_counts_each_time_and_is_named_once() {
    let home = tempfile::tempdir().unwrap();
    for name in ["a.jsonl", "b.jsonl", "c.jsonl"] {
        fs::copy(transcript("pi.jsonl"), home.path().join(name)).unwrap();
    }
    let json = audit_json(home.path(), &[home.path()]);
    assert_eq!((&json["sessions"], &json["outputs"]), (&json!(3), &json!(15)));
    assert_eq!(json["kept"][2]["lossy_outputs"], 3);
    let losses = json["losses"].as_array().unwrap();
    assert_eq!(losses.len(), 1, "{losses:?}");
    assert!(losses[0]["path"].as_str().unwrap().ends_with("a.jsonl"), "{losses:?}");
    let replayed = &json["replayed"];
    assert_eq!((&replayed["is_sample"], &replayed["used_outputs"]), (&json!(false), &json!(3)));
}

/// Of many transcripts, overspill replays a sample. The counts stay exact.
#[test]
fn many_transcripts_are_replayed_as_a_sample() {
    let home = tempfile::tempdir().unwrap();
    let session = fs::read_to_string(transcript("pi.jsonl")).unwrap();
    // Codex cuts at 10,000 characters. An output of 60,000 is longer than every limit.
    let long: String = (0..2_500).map(|at| format!("line {at} of file_{at}.c\n")).collect();
    let long = serde_json::to_string(&long).unwrap();
    let padding = format!("{{\"type\":\"model_change\",\"x\":\"{}\"}}\n", "x".repeat(2_000_000));
    for file in 0..60 {
        let mut text = String::new();
        for copy in 0..4 {
            let name = format!("module{file}x{copy}_");
            let mut session = session.replace("module_", &name);
            let short = format!("\"checking src/{name}0077.rs");
            if let Some(at) = session.find(&short) {
                let end = at + 1 + session[at + 1..].find('"').unwrap() + 1;
                session.replace_range(at..end, &long);
            }
            text.push_str(&session);
        }
        text.push_str(&padding);
        fs::write(home.path().join(format!("session-{file}.jsonl")), text).unwrap();
    }
    let whole = {
        let (code, json, error) =
            audit(home.path(), &["--json", "--all", home.path().to_str().unwrap()]);
        assert_eq!(code, 0, "{error}");
        serde_json::from_str::<Value>(&json).unwrap()
    };
    let sample = audit_json(home.path(), &[home.path()]);
    for key in ["sessions", "outputs", "output_bytes", "shown_bytes", "used", "hidden_failures"] {
        assert_eq!(sample[key], whole[key], "{key}");
    }
    let count = |json: &Value, key: &str| json["replayed"][key].as_u64().unwrap();
    assert_eq!(
        (count(&whole, "used_outputs"), &whole["replayed"]["is_sample"]),
        (240, &json!(false))
    );
    assert_eq!(count(&whole, "outputs_over_limit_not_replayed"), 0);
    let (used, over) = (count(&sample, "used_outputs"), count(&sample, "outputs_over_limit"));
    assert!((150..235).contains(&used), "{used}");
    assert_eq!(
        over + count(&sample, "outputs_over_limit_not_replayed"),
        count(&whole, "outputs_over_limit")
    );
    assert!(over > 100, "{}", sample["replayed"]);
    assert_eq!(sample, audit_json(home.path(), &[home.path()]), "every run has the same sample");
    // The estimate is within one in a hundred of the exact number.
    let tokens = |json: &Value| json["with_overspill_bytes"].as_f64().unwrap();
    assert!((tokens(&sample) / tokens(&whole) - 1.0).abs() < 0.01, "{sample} {whole}");
    let (_, text, _) = audit(home.path(), &[home.path().to_str().unwrap()]);
    assert!(
        text.contains("replayed a sample of") && text.contains("WITH OVERSPILL is estimated"),
        "{text}"
    );
}

#[test]
fn output_that_the_host_cut_is_replayed_from_the_transcript() {
    let home = tempfile::tempdir().unwrap();
    // Codex shows 10,000 characters, and the transcript has up to 64 KiB.
    let whole: String =
        (0..900).map(|at| format!("line {at} of the output file_{at}.c\n")).collect();
    let shown = format!(
        "Exit\nOutput:\nWarning: truncated output\n{}…20000 chars truncated…",
        &whole[..5_000]
    );
    let line = |payload: Value, kind: &str| json!({ "type": kind, "payload": payload }).to_string();
    let call = |id: &str, command: &str| {
        let arguments = json!({ "cmd": command }).to_string();
        line(
            json!({ "type": "function_call", "name": "exec_command", "call_id": id, "arguments": arguments }),
            "response_item",
        )
    };
    let item = json!({ "type": "CommandExecution", "id": "1", "aggregated_output": whole });
    let lines = [
        line(json!({ "id": "s" }), "session_meta"),
        call("1", "make all"),
        line(json!({ "type": "item_completed", "item": item }), "event_msg"),
        line(
            json!({ "type": "function_call_output", "call_id": "1", "output": shown }),
            "response_item",
        ),
        call("2", "make all | grep file_450.c"),
    ];
    let file = home.path().join("codex.jsonl");
    // The reader finds the type of a line near its start.
    fs::write(&file, lines.join("\n")).unwrap();
    let json = audit_json(home.path(), &[&file]);
    assert_eq!((&json["cut_by_host"], &json["not_recorded"]), (&json!(1), &json!(0)), "{json}");
    assert_eq!(json["output_bytes"], whole.len());
    assert_eq!(json["repeated"]["commands"], 1, "{json}");
    let host = &json["kept"][0]["ways"][0];
    assert_eq!(
        (&host["outputs"], &host["kept"]),
        (&json!(1), &json!(0.0)),
        "the host loses the middle"
    );
}

#[test]
fn bad_transcripts_are_named_with_a_reason() {
    let home = tempfile::tempdir().unwrap();
    let place = |name: &str| home.path().join(name);
    let good = fs::read_to_string(transcript("pi.jsonl")).unwrap();
    // A broken line, a line that is not UTF-8, and a line that the host is still writing.
    let mut broken = format!("{good}{{\"type\":\"message\",\n").into_bytes();
    broken.extend(b"\xff\xfe\n{\"type\":\"mess");
    fs::write(place("broken.jsonl"), broken).unwrap();
    fs::write(place("other.jsonl"), "{\"hello\":1}\n").unwrap();
    fs::write(place("empty.jsonl"), "").unwrap();
    let newer = "{\"type\":\"session\",\"version\":99}\n".to_owned() + &"{\"new\":1}\n".repeat(30);
    fs::write(place("newer.jsonl"), newer).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        place("pipe.jsonl"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    let json = audit_json(home.path(), &[home.path(), &place("pipe.jsonl"), &place("missing")]);
    assert_eq!(
        (&json["sessions"], &json["outputs"], &json["bad_lines"]),
        (&json!(1), &json!(5), &json!(2))
    );
    let not_read = json["not_read"]["examples"].as_array().unwrap();
    let reason = |name: &str| {
        let mut all = not_read.iter();
        let found = all.find(|it| it["path"].as_str().unwrap().ends_with(name));
        found.map(|it| it["reason"].as_str().unwrap()).unwrap_or_default().to_owned()
    };
    assert_eq!(reason("other.jsonl"), "overspill does not know this format");
    assert!(reason("newer.jsonl").contains("a newer version of pi"), "{not_read:?}");
    assert_eq!(reason("pipe.jsonl"), "it is not a regular file");
    assert!(reason("missing").to_lowercase().contains("no such file"), "{not_read:?}");
    assert_eq!(json["not_read"]["files"], 4);
    let (_, text, _) =
        audit(home.path(), &[home.path().to_str().unwrap(), place("missing").to_str().unwrap()]);
    assert!(text.contains("\nnot read: 3 paths\n"), "{text}");
}

/// The reason of a broken file must not quote the file, which may have secrets.
#[test]
fn reason_of_a_broken_file_does_not_quote_it() {
    let home = tempfile::tempdir().unwrap();
    let token = "ghp_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6";
    let (file, page) = (home.path().join("export.json"), home.path().join("page.html"));
    fs::write(&file, format!(r#"{{"info":{{"projectID":"p"}},"messages":"{token}"}}"#)).unwrap();
    let pi = transcript("pi.jsonl");
    let args = [file.to_str().unwrap(), pi.to_str().unwrap(), "--html", page.to_str().unwrap()];
    let (code, text, error) = audit(home.path(), &args);
    assert_eq!(code, 0, "{error}");
    let html = fs::read_to_string(page).unwrap();
    for report in [text, html] {
        assert!(report.contains("it has no list `messages` (line 1 column"), "{report}");
        assert!(!report.contains(token), "{report}");
    }
    fs::write(&file, r#"{"info":{"projectID":"p"},"messages":["#).unwrap();
    let json = audit_json(home.path(), &[&file, &pi]);
    assert_eq!(json["not_read"]["examples"][0]["reason"], "it is not JSON (line 1 column 38)");
}

#[test]
fn output_that_ends_in_half_of_a_character_counts() {
    let home = tempfile::tempdir().unwrap();
    for (host, file, bytes) in SESSIONS {
        let text = fs::read_to_string(transcript(file)).unwrap();
        // Each output has this line.
        let half = text.replace("src/module_0099.rs", r"src/module_0099.rs\ud83d");
        assert_ne!(text, half, "{host}");
        let copy = home.path().join(file);
        fs::write(&copy, half).unwrap();
        let json = audit_json(home.path(), &[&copy]);
        assert_eq!(json["used"], json!({ "outputs": 1, "words": 1 }), "{host}");
        assert_eq!(json["losses"][0]["bytes"], json!(bytes + 3), "{host}");
    }
}

/// A file can begin with the words that Claude Code puts before the output of a failed command.
#[test]
fn output_of_claude_code_has_a_header_only_if_the_command_failed() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("session.jsonl");
    let bytes = |is_error: bool| {
        let line = json!({
            "parentUuid": null, "sessionId": "s", "type": "user",
            "message": { "role": "user", "content": [{
                "type": "tool_result", "tool_use_id": "a", "is_error": is_error,
                "content": "Exit code list\n0 success\n",
            }]},
        });
        fs::write(&file, format!("{line}\n")).unwrap();
        audit_json(home.path(), &[&file])["output_bytes"].clone()
    };
    assert_eq!((bytes(false), bytes(true)), (json!(25), json!(10)));
}

#[test]
fn directory_that_is_too_deep_is_named() {
    let home = tempfile::tempdir().unwrap();
    fs::copy(transcript("pi.jsonl"), home.path().join("pi.jsonl")).unwrap();
    let (deepest, below) = ("d/".repeat(16), "d/".repeat(17));
    fs::create_dir_all(home.path().join(&below)).unwrap();
    for place in [&deepest, &below] {
        fs::copy(transcript("pi.jsonl"), home.path().join(place).join("pi.jsonl")).unwrap();
    }
    let json = audit_json(home.path(), &[home.path()]);
    assert_eq!(json["sessions"], 2);
    let named = &json["not_read"]["examples"][0];
    let below = home.path().join(below.trim_end_matches('/'));
    assert_eq!(named["path"], below.to_str().unwrap());
    assert_eq!(named["reason"], "it is more than 16 directories deep");
}

#[test]
fn directory_without_permission_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    fs::copy(transcript("pi.jsonl"), home.path().join("pi.jsonl")).unwrap();
    let closed = home.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read_dir(&closed).is_ok() {
        return skip("this user may read every directory");
    }
    let json = audit_json(home.path(), &[home.path()]);
    assert_eq!(json["not_read"]["examples"][0]["path"], closed.to_str().unwrap());
}

#[test]
fn report_shows_hostile_text_as_text() {
    let home = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(transcript("pi.jsonl")).unwrap();
    let hostile = text
        .replace("fn handle_request", "</pre><script>alert(1)</script>\\u001b[2J\\u200f\\u202e");
    let file = home.path().join("pi.jsonl");
    fs::write(&file, hostile).unwrap();
    let report = home.path().join("report.html");
    let (code, text, error) =
        audit(home.path(), &[file.to_str().unwrap(), "--html", report.to_str().unwrap()]);
    assert_eq!(code, 0, "{error}");
    assert!(text.contains("report.html") && !text.contains('\u{1b}'), "{text}");
    let page = fs::read_to_string(report).unwrap();
    assert!(page.contains("src/module_0077.rs") && page.contains("&lt;script&gt;"), "{page}");
    assert!(!page.contains("<script"), "{page}");
    assert!(!page.contains(['\u{1b}', '\u{200f}', '\u{202e}']), "{page}");
    assert!(page.contains("default-src 'none'"));
}
