//! With `redact = all`, no command, hook or proxy shows a secret.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::mcp::client::{Client, chaos, lines, text_of};
use crate::program::program;

/// A text that all secrets of these tests contain.
const SECRET: &str = "a1B2c3D4e5F6g7H8i9J0";

fn token() -> String {
    format!("{}_{}", "ghp", SECRET.repeat(2))
}

fn stars() -> String {
    format!("ghp_{}", "*".repeat(40))
}

fn key() -> String {
    let kind = "PRIVATE";
    format!("-----BEGIN {kind} KEY-----\n{SECRET}\n{SECRET}\n-----END {kind} KEY-----")
}

/// A home in which overspill masks everything.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, redact: &str, args: &[&str]) -> Command {
        let mut command = program(self.path());
        command.env("OVERSPILL_REDACT", redact).args(args).current_dir(self.path());
        command
    }

    /// Runs overspill with this standard input. Returns stdout and stderr.
    fn run(&self, redact: &str, args: &[&str], input: &str) -> (String, String) {
        let mut command = self.command(redact, args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.as_bytes().to_vec();
        let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    }

    /// Runs overspill, checks that neither its output nor a saved file has a secret, and returns
    /// the output.
    #[track_caller]
    fn all(&self, args: &[&str], input: &str) -> String {
        let (stdout, stderr) = self.run("all", args, input);
        assert!(!stdout.contains(SECRET) && !stderr.contains(SECRET), "{stdout}{stderr}");
        stdout
    }

    fn file(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    #[track_caller]
    fn nothing_saved_has_it(&self) {
        for file in crate::program::outputs(&self.path().join("store")) {
            let saved = std::fs::read(file).unwrap();
            assert!(!String::from_utf8_lossy(&saved).contains(SECRET));
        }
    }
}

fn long(text: &str) -> String {
    format!("{}{text}\n{}", lines(2_500), lines(1_000))
}

#[test]
fn output_of_a_command_is_masked_in_every_form() {
    let home = Home::new();
    let (token, key) = (token(), key());
    home.file("fits", &format!("a {token}\n{key}\nno end {token}"));
    home.file("long", &format!("{token}\n{}", long(&token)));
    for options in
        [&[][..], &["--stream"], &["--stderr", "separate"], &["--keep", "head", "--stream"]]
    {
        let args = |file: &str| -> Vec<String> {
            let line = format!(
                "cat {file}; printf '%s' 'bad {}' >&2; printf '%s' '{}' >&2",
                &token[..20],
                &token[20..]
            );
            let words = ["run"].into_iter().chain(options.iter().copied());
            words.chain(["--", "sh", "-c"]).map(str::to_owned).chain([line]).collect()
        };
        for file in ["fits", "long"] {
            let args = args(file);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let (stdout, stderr) = home.run("all", &args, "");
            let shown = format!("{stdout}{stderr}");
            assert!(!shown.contains(SECRET) && shown.contains(&stars()), "{options:?} {shown}");
        }
    }
    home.nothing_saved_has_it();
}

#[test]
fn output_of_a_slow_command_is_masked_across_reads() {
    let home = Home::new();
    let token = token();
    let (first, second) = token.split_at(20);
    // The signal comes in the middle of a secret, and the rest of the secret comes later.
    let line = format!(
        "trap 'printf \"%s\\n\" {second}; exit 0' TERM; printf 'token %s' {first}; echo > ready; while :; do sleep 0.05; done"
    );
    let mut command = home.command("all", &["run", "--", "bash", "-c", &line]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    for _ in 0..1000 {
        if home.path().join("ready").exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::thread::sleep(std::time::Duration::from_millis(100));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(shown, format!("token {}\n", stars()));
}

#[test]
fn shell_slot_masks_both_streams() {
    let home = Home::new();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_overspill"), home.path().join("bash")).unwrap();
    let mut command = Command::new(home.path().join("bash"));
    command.env("HOME", home.path()).env("OVERSPILL_DIR", home.path().join("store"));
    command.env("XDG_CONFIG_HOME", home.path()).env("QWEN_CODE", "1");
    command.env("PATH", "/usr/bin:/bin").env("OVERSPILL_REDACT", "all").stdin(Stdio::null());
    let token = token();
    let output = command.args(["-c", &format!("echo out {token}; echo err {token} >&2")]).output();
    let output = output.unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("out {}\n", stars()));
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("err {}\n", stars()));
}

#[test]
fn cut_masks_plain_and_in_envelopes_and_counts() {
    let home = Home::new();
    let token = token();
    assert_eq!(home.all(&["cut"], &token), stars());
    let report: Value = serde_json::from_str(&home.all(&["cut", "--json"], &token)).unwrap();
    assert_eq!((&report["masked"], &report["text"]), (&json!(1), &json!(stars())));
    let report: Value = serde_json::from_str(&home.all(&["cut", "--json"], &long(&token))).unwrap();
    assert_eq!((&report["masked"], &report["spilled"]), (&json!(1), &json!(true)));
    assert!(report["text"].as_str().unwrap().contains("1 secret masked"));
    let escaped = token.replace('a', "\\u0061");
    let fits = format!(r#"{{ "status":"success","text":"\u00e9 {escaped}" }}"#);
    let expected = format!(r#"{{ "status":"success","text":"\u00e9 {}" }}"#, stars());
    for args in [&["cut", "--envelope"][..], &["cut", "--envelope", "--profile", "unified"]] {
        assert_eq!(home.all(args, &fits), expected);
        let large = json!({"status": "error", "text": long(&key()), "error": token});
        let answer = home.all(args, &large.to_string());
        assert_eq!(serde_json::from_str::<Value>(&answer).unwrap()["status"], "error");
    }
    for profile in ["klaude", "unified", "takumi", "agent-v2", "opencode"] {
        home.all(&["cut", "--profile", profile], &token);
        home.all(&["cut", "--profile", profile], &long(&token));
    }
    home.nothing_saved_has_it();
}

#[test]
fn escapes_hide_no_secret() {
    let home = Home::new();
    let token = token();
    for before in ["{\"msg\":\"out:\\n", "\\u00e9", "?page%3D", "\x1b[32m", "\\u001b[1;32m"] {
        let text = format!("{before}{token}\x1b[0m\n");
        assert_eq!(home.all(&["cut"], &text), text.replace(&token, &stars()));
        let shown = home.all(&["cut"], &long(&text));
        assert!(shown.contains("1 secret masked"), "{shown}");
    }
    // The preview has no escapes, which split the secret in the output.
    let parted = token.replace("c3", "\x1b[31mc3\x1b[0m");
    let text = format!("{parted}\n{}", lines(5000));
    let shown = home.all(&["cut"], &text);
    assert!(
        shown.contains(&format!("\n{}\n", stars())) && shown.contains("1 secret masked"),
        "{shown}"
    );
    home.nothing_saved_has_it();
}

#[test]
fn output_that_was_saved_unmasked_is_shown_masked() {
    let home = Home::new();
    let json = json!({"key": key(), "list": [token()]}).to_string();
    let saved = |text: &str| {
        let (shown, _) = home.run("off", &["cut", "--json"], text);
        serde_json::from_str::<Value>(&shown).unwrap()["id"].as_str().unwrap().to_owned()
    };
    let secret = long(&format!("{}\n{}", token(), key()));
    let (old, other) = (saved(&secret), saved(&long("plain")));
    let values = saved(&format!("{{\"a\":{json},\"b\":\"{}\"}}", "x".repeat(99_000)));
    let line = format!("echo {}; seq 1 5000", token());
    home.run("off", &["run", "--shell", &line], "");
    for args in [
        &["read", &old, "--lines", "2490:2510"][..],
        &["read", &old, "--tail", "1010"],
        &["read", &values, "--json", "$.a.list"],
        &["read", &values, "--json", "/a/key"],
        &["grep", "ghp_", &old],
        &["grep", "-C", "3", "BEGIN", &old],
        &["diff", &other, &old],
    ] {
        let (plain, _) = home.run("off", args, "");
        assert!(plain.contains("a1B2c3"), "{args:?}: {plain}");
        let shown = home.all(args, "");
        assert!(shown.contains("****") && !shown.contains("a1B2c3"), "{args:?}: {shown}");
    }
    for args in [&["list"][..], &["list", "--json"], &["info", &old], &["grep", SECRET], &["stats"]]
    {
        home.all(args, "");
    }
    let (raw, _) = home.run("all", &["read", &old, "--raw"], "");
    assert_eq!(raw, secret);
}

fn client(options: &[&str], server: &[&str]) -> Client {
    Client::with(options, server, |command| {
        command.env("OVERSPILL_REDACT", "all");
    })
}

#[test]
fn results_of_a_server_are_masked_as_json() {
    let mut client = client(&[], &[chaos().to_str().unwrap()]);
    let (token, stars) = (token(), stars());
    let escaped = token.replace('a', "\\u0061");
    let send = |shown: &str| {
        format!(
            r#"{{ "id":77 , "result":{{"content":[{{"type":"text","text":"\u00e9 \/ {0}"}},{{"type":"image","data":"{0}","mimeType":"image/png"}}],"structuredContent":{{"deep":[{{"{0}":"{0}"}}]}},"_meta":{{"n":1.50}}}}}}"#,
            shown
        )
    };
    assert_eq!(client.raw(&send(&token)), send(&stars));
    assert_eq!(client.raw(&send(&escaped)), send(&stars));
    let error =
        format!(r#"{{"id":77,"error":{{"code":-1,"message":"no {token}","data":["{token}"]}}}}"#);
    assert_eq!(client.raw(&error), error.replace(&token, &stars));
    for frame in [
        r#"{"id":77,"result":{"content":[{"type":"text","text":"\u00e9 \/"}],"x":1.0e5}}"#,
        r#"{ "result" : { "content":[ ] , "structuredContent":{"b":12345678901234567890123} }, "id":77}"#,
    ] {
        assert_eq!(client.raw(frame), frame);
    }
    // A shortened result, a long result, and a line that stops being JSON.
    for count in [300, 1_000, 40_000] {
        let text = format!("{}{token}\n{}\n{}{token}", lines(count), key(), lines(count));
        let answer = client.call("text", json!({"text": text}));
        let shown = answer.to_string();
        assert!(shown.contains("3 secrets masked") && !shown.contains(SECRET), "{shown}");
        let broken =
            json!({"id": 77, "result": {"content": [{"type": "text", "text": text}]}}).to_string();
        let broken = format!("{} oops {token}", broken.trim_end_matches('}'));
        let shown = client.raw(&broken);
        assert!(!shown.contains(SECRET), "{shown}");
        client.is_well();
    }
    for saved in client.saved() {
        assert!(!String::from_utf8_lossy(&saved).contains(SECRET));
    }
}

#[test]
fn mcp_tools_mask_an_output_that_was_saved_unmasked() {
    let home = Home::new();
    home.run("off", &["cut"], &long(&format!("{}\n{}", token(), key())));
    let serve = home.command("all", &["mcp", "--serve", "--all-outputs"]);
    let proxy = home.command("all", &["mcp", "--all-outputs", "--", chaos().to_str().unwrap()]);
    for mut command in [serve, proxy] {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut client = Client::of(tempfile::tempdir().unwrap(), command);
        let id = home.run("all", &["list", "--json"], "").0;
        let id: Value = serde_json::from_str(id.lines().next().unwrap()).unwrap();
        let id = id["id"].as_str().unwrap();
        let page = client.call("overspill_read", json!({"id": id, "lines": "2490:2510"}));
        let found =
            client.call("overspill_grep", json!({"id": id, "pattern": "ghp_", "context": 4}));
        for shown in [text_of(&page), text_of(&found)] {
            assert!(shown.contains(&stars()) && !shown.contains("a1B2c3"), "{shown}");
        }
        let uri = format!("overspill://{id}?lines=2490:2510");
        client.send(
            json!({"jsonrpc": "2.0", "id": 5, "method": "resources/read", "params": {"uri": uri}})
                .to_string(),
        );
        let shown = client.line();
        assert!(shown.contains(&stars()) && !shown.contains("a1B2c3"), "{shown}");
    }
}

#[test]
fn hooks_mask_short_and_long_results() {
    let home = Home::new();
    let token = token();
    let claude = |response: Value| json!({"hook_event_name": "PostToolUse", "tool_name": "X", "tool_input": {}, "tool_response": response});
    let output = |answer: &Value| answer["hookSpecificOutput"]["updatedToolOutput"].clone();
    let hook = |host: &str, payload: &Value| -> Value {
        let answer = home.all(&["hook", host], &payload.to_string());
        serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{host} {payload}: {answer}"))
    };
    let bash = json!({"stdout": format!("a {token}"), "stderr": format!("b {token}"), "interrupted": false});
    let shown = output(&hook("claude-code", &claude(bash)));
    assert_eq!(
        shown,
        json!({"stdout": format!("a {}", stars()), "stderr": format!("b {}", stars()), "interrupted": false})
    );
    let file = json!({"type": "text", "file": {"filePath": "/a", "content": token}});
    let shown = output(&hook("claude-code", &claude(file)));
    assert_eq!(shown["file"], json!({"filePath": "/a", "content": stars()}));
    let parts =
        json!([{"type": "text", "text": token}, {"type": "image", "data": "x", "mimeType": "y"}]);
    let shown = output(&hook("claude-code", &claude(parts.clone())));
    assert_eq!((&shown[0]["text"], &shown[1]), (&json!(stars()), &parts[1]));
    let shown = output(&hook("claude-code", &claude(json!(long(&token)))));
    assert!(shown.as_str().unwrap().contains("1 secret masked"), "{shown}");
    let copilot = json!({"toolName": "x", "toolResult": {"resultType": "success", "textResultForLlm": token}});
    assert_eq!(hook("copilot", &copilot)["modifiedResult"]["textResultForLlm"], stars());
    let cursor = json!({"tool_name": "x", "tool_output": {"content": [{"type": "text", "text": token}], "structuredContent": {"a": token}}});
    let shown = hook("cursor", &cursor)["updated_mcp_tool_output"].take();
    assert_eq!(
        shown,
        json!({"content": [{"type": "text", "text": stars()}], "structuredContent": {"a": stars()}})
    );
    assert_eq!(hook("opencode", &json!({"tool": "x", "text": token})), json!({"text": stars()}));
    let parts = json!({"tool": "x", "text": null, "content": [{"type": "text", "text": token}]});
    assert!(hook("opencode", &parts).to_string().contains(&stars()));
    // The hook prints nothing if a result has no secret, or if masking is off.
    assert_eq!(home.all(&["hook", "claude-code"], &claude(json!("plain")).to_string()), "");
    for redact in ["off", "store"] {
        assert_eq!(
            home.run(redact, &["hook", "claude-code"], &claude(json!(token)).to_string()).0,
            ""
        );
    }
    // The whole text is in a file of the host.
    home.file("1-copilot-tool-output-x.txt", &format!("{token}\n{}", lines(100)));
    let file = home.path().join("1-copilot-tool-output-x.txt");
    let text = format!(
        "Output too large to read at once (9 KB). Saved to: {}\n\nPreview (first 500 chars):\n{token}\nline 1",
        file.display()
    );
    let copilot =
        json!({"toolName": "x", "toolResult": {"resultType": "success", "textResultForLlm": text}});
    let shown = hook("copilot", &copilot)["modifiedResult"]["textResultForLlm"].clone();
    assert!(shown.as_str().unwrap().contains(&stars()), "{shown}");
    home.nothing_saved_has_it();
}

#[test]
fn prompt_appears_at_once_and_secrets_are_masked_on_a_terminal() {
    let Some(script) =
        ["/usr/bin/script", "/bin/script"].iter().find(|path| Path::new(path).exists())
    else {
        return crate::program::skip("there is no `script` to make a terminal with");
    };
    let home = Home::new();
    let token = token();
    home.file(
        "talk.sh",
        &format!(
            "printf 'token? '; sleep 0.2; printf '%s' {}; sleep 0.1; echo {}; printf end",
            &token[..20],
            &token[20..]
        ),
    );
    let run = format!("{} run -- sh talk.sh", env!("CARGO_BIN_EXE_overspill"));
    let mut command = Command::new(script);
    for (name, value) in home.command("all", &[]).get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.args(["-qec", &run, "/dev/null"]).current_dir(home.path()).stdin(Stdio::null());
    let shown = String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned();
    assert_eq!(shown.replace('\r', ""), format!("token? {}\nend", stars()));
}
