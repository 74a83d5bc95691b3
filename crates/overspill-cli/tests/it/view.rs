//! Tests of the page of `overspill view` over a raw socket: access to the page, and its answers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::program::program;

/// A running `overspill view`, its address, and the cookie of its browser.
struct Viewing {
    child: Child,
    address: String,
    token: String,
    path: String,
    cookie: String,
}

/// The status, the head in lower case, and the body of an answer.
type Answer = (u16, String, String);

impl Viewing {
    fn start(dir: &Path, more: &[&str]) -> Viewing {
        let mut command = program(dir);
        command.arg("view").args(more).current_dir(dir).env("BROWSER", "true");
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let rest = line.strip_prefix("http://").unwrap_or_else(|| panic!("{line}"));
        let (address, query) = rest.trim().split_once("/?token=").unwrap();
        let token = query.split('&').next().unwrap();
        let (address, token) = (address.to_owned(), token.to_owned());
        Viewing { child, address, token, path: String::new(), cookie: String::new() }
    }

    /// Starts `view` and exchanges the token for a cookie, as a browser does.
    fn opened(dir: &Path, more: &[&str]) -> Viewing {
        let mut view = Viewing::start(dir, more);
        let (status, head, body) = view.send("GET", &format!("/?token={}", view.token), "");
        assert_eq!(status, 200, "{head}");
        for attribute in ["; httponly", "; samesite=strict"] {
            assert!(head.contains(attribute), "{head}");
        }
        let cookie = head.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap();
        view.cookie = cookie.to_owned();
        view.path = body.split("url=").nth(1).unwrap().split(['#', '"']).next().unwrap().to_owned();
        assert!(head.contains(&format!("; path={};", view.path)), "{head}");
        view
    }

    fn send(&self, method: &str, target: &str, headers: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let host = match headers.contains("Host:") {
            true => String::new(),
            false => format!("Host: {}\r\n", self.address),
        };
        write!(stream, "{method} {target} HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: 0\r\n{headers}\r\n")
            .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_ascii_lowercase(), body.to_owned())
    }

    fn with_cookie(&self, method: &str, question: &str, headers: &str) -> Answer {
        let target = format!("{}{question}", self.path);
        self.send(method, &target, &format!("Cookie: {}\r\n{headers}", self.cookie))
    }

    fn get(&self, question: &str) -> Answer {
        self.with_cookie("GET", question, "")
    }

    /// Returns the objects of an answer.
    fn objects(&self, question: &str) -> Vec<Value> {
        let (status, _, body) = self.get(question);
        assert_eq!(status, 200, "{question}: {body}");
        body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn post(&self, question: &str) -> Answer {
        self.with_cookie("POST", question, &format!("Origin: http://{}\r\n", self.address))
    }
}

impl Drop for Viewing {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn run(dir: &Path, words: &[&str]) -> String {
    let output = program(dir).args(words).current_dir(dir).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Saves the output of a command. Returns its id and its preview.
fn saved(dir: &Path, script: &str) -> (String, String) {
    let shown = run(dir, &["run", "--", "sh", "-c", script]);
    let list: Value =
        serde_json::from_str(run(dir, &["list", "--json", "--limit", "1"]).trim()).unwrap();
    (list["id"].as_str().unwrap().to_owned(), shown)
}

const LONG: &str = "seq 1 50000";

#[test]
fn page_is_refused_without_the_cookie() {
    let dir = tempfile::tempdir().unwrap();
    let view = Viewing::opened(dir.path(), &[]);
    assert_eq!(view.get("").0, 200);
    let page = view.path.clone();
    for target in ["/", "/?token=x", "/api/list", &page, &format!("{page}api/list")] {
        assert_eq!(view.send("GET", target, "").0, 401, "{target}");
    }
    let bearer = format!("Authorization: Bearer {}\r\n", view.token);
    assert_eq!(view.send("GET", &page, &bearer).0, 401);
    assert_eq!(view.send("GET", &page, "Cookie: overspill-view=x\r\n").0, 401);
    let cookie = format!("Cookie: {}\r\n", view.cookie);
    assert_eq!(view.send("GET", "/api/list", &cookie).0, 401);
}

#[test]
fn token_in_the_address_works_once() {
    let dir = tempfile::tempdir().unwrap();
    let view = Viewing::opened(dir.path(), &[]);
    let (status, _, body) = view.send("GET", &format!("/?token={}", view.token), "");
    assert!(status == 401 && body.contains("works once"), "{body}");
}

#[test]
fn other_host_or_origin_is_refused_with_the_cookie() {
    let dir = tempfile::tempdir().unwrap();
    let view = Viewing::opened(dir.path(), &[]);
    for headers in [
        "Host: evil.example\r\n",
        "Host: evil.example:80\r\n",
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Origin: http://127.0.0.1:1\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
    ] {
        assert_eq!(view.with_cookie("GET", "api/list", headers).0, 403, "{headers}");
    }
}

#[test]
fn page_has_a_strict_policy_and_only_its_own_files() {
    let dir = tempfile::tempdir().unwrap();
    let view = Viewing::opened(dir.path(), &[]);
    for file in ["", "style.css", "page.js", "api/list"] {
        let (status, head, _) = view.get(file);
        assert_eq!(status, 200, "{file}");
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "cache-control: no-store",
            "referrer-policy: no-referrer",
        ] {
            assert!(head.contains(header), "{file}: {head}");
        }
    }
    for file in ["nosuch", "../etc/passwd", "..%2f..%2fetc/passwd", "page/app.js"] {
        assert_ne!(view.get(file).0, 200, "{file}");
    }
}

/// Other users of this machine reach the port, but neither token nor cookie.
#[test]
fn other_user_sees_nothing() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can become another user");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let mut view = Viewing::start(dir.path(), &["--open"]);
    let file = dir.path().join(".local/state/overspill/view.html");
    let text = (0..200).find_map(|_| {
        std::thread::sleep(Duration::from_millis(20));
        std::fs::read_to_string(&file).ok().filter(|text| text.contains(&view.token))
    });
    assert!(text.is_some(), "the file redirects to the page");
    let other = |script: &str| {
        Command::new("sh").args(["-c", script]).uid(65_534).gid(65_534).output().unwrap()
    };
    let read = other(&format!("cat '{}'", file.display()));
    assert!(!read.status.success() && read.stdout.is_empty());
    // All users see the arguments of processes.
    let commands = other("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '");
    assert!(!String::from_utf8_lossy(&commands.stdout).contains(&view.token));
    let (status, _, body) = view.send("GET", &format!("/?token={}", view.token), "");
    assert_eq!(status, 200, "{body}");
    assert!(!file.exists(), "the exchange of the token removes the file");
    view.child.kill().unwrap();
}

/// Anybody on this machine can open connections and send nothing.
#[test]
fn silent_connections_of_others_do_not_keep_the_browser_out() {
    let dir = tempfile::tempdir().unwrap();
    let view = Viewing::opened(dir.path(), &[]);
    let silent: Vec<TcpStream> = (0..400)
        .map(|n| {
            let mut stream = TcpStream::connect(&view.address).unwrap();
            if n % 2 == 0 {
                stream.write_all(b"GET / HTTP/1.1\r\nHost: 127").unwrap();
            }
            stream
        })
        .collect();
    for _ in 0..3 {
        assert_eq!(view.get("").0, 200);
    }
    drop(silent);
}

/// `$BROWSER` may have arguments and several commands.
#[test]
fn browser_variable_is_a_command() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("browser");
    std::fs::write(&script, "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$0.arguments\"\n").unwrap();
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
    let typed = format!("no-such-browser --x:{} --new-window", script.display());
    let mut command = program(dir.path());
    command.args(["view", "--open", "--idle", "1s"]).env("BROWSER", typed);
    // Some programs that open pages read this variable, too.
    command.env("PATH", dir.path());
    let done = command.stdin(Stdio::null()).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let arguments = std::fs::read_to_string(script.with_extension("arguments")).unwrap();
    let page = dir.path().join(".local/state/overspill/view.html");
    assert_eq!(arguments, format!("--new-window\n{}\n", page.display()));
}

/// Without a home directory, `view.html` in the working directory is a file of the user.
#[test]
fn file_of_the_user_stays_without_a_home() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("view.html");
    std::fs::write(&file, "mine").unwrap();
    for more in [&[][..], &["--open"]] {
        let mut command = program(dir.path());
        command.args(["view", "--idle", "1s"]).args(more).current_dir(dir.path());
        command.env_remove("HOME").env("BROWSER", "true").stdin(Stdio::null());
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine", "{more:?}");
    }
}

/// The server begins the first list before the scripts ask for it.
#[test]
fn first_list_of_the_page_is_the_list() {
    let dir = tempfile::tempdir().unwrap();
    let view = Viewing::opened(dir.path(), &[]);
    let (_, _, page) = view.get("");
    let line = page.lines().find(|line| line.contains("id=\"first-list\"")).unwrap();
    let first = line.split("href=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(view.get(first).2, "");
    // The page asks for newer lists in the same way.
    saved(dir.path(), LONG);
    let list = run(dir.path(), &["list", "--json"]);
    assert_eq!(view.get(first).2, list);
    view.get("");
    assert_eq!(view.get(first).2, list);
    let (_, other) = saved(dir.path(), "seq 1 50001");
    assert!(!other.is_empty());
    view.get("");
    let words = ["list", "--json", "--failed", "--limit", "50"];
    assert_eq!(view.get("api/list?limit=50&failed").2, run(dir.path(), &words));
}

#[test]
fn answers_are_the_json_of_the_commands() {
    let dir = tempfile::tempdir().unwrap();
    let (id, _) = saved(dir.path(), LONG);
    let (other, _) = saved(dir.path(), "seq 1 50001; echo error: x; exit 3");
    let view = Viewing::opened(dir.path(), &[]);
    for (question, words) in [
        ("api/list", vec!["list", "--json"]),
        ("api/list?failed&limit=1", vec!["list", "--json", "--failed", "--limit", "1"]),
        ("api/list?command=50001", vec!["list", "--json", "--command", "50001"]),
        ("api/grep?regexp=%5E123%24", vec!["grep", "--json", "^123$"]),
        (&format!("api/grep?regexp=zzz&id={id}"), vec!["grep", "--json", "zzz", &id]),
        (&format!("api/explain?id={id}"), vec!["explain", "--json", &id]),
        (
            &format!("api/explain?id={id}&max-bytes=2KiB"),
            vec!["explain", "--json", "--max-bytes", "2KiB", &id],
        ),
        (
            &format!("api/explain?id={id}&max-bytes=9MiB&max-lines=none"),
            vec!["explain", "--json", "--max-bytes=9MiB", "--max-lines=none", &id],
        ),
        (&format!("api/diff?id={id}&id={other}"), vec!["diff", "--json", &id, &other]),
        (&format!("api/info?id={other}"), vec!["info", "--json", &other]),
        ("api/stats?days=2", vec!["stats", "--json", "--days", "2"]),
    ] {
        assert_eq!(view.get(question).2, run(dir.path(), &words), "{question}");
    }
}

/// A person looks at the page, so the page does not count as read by a model.
#[test]
fn page_does_not_count_as_read_later() {
    let dir = tempfile::tempdir().unwrap();
    let (old, _) = saved(dir.path(), LONG);
    let (id, _) = saved(dir.path(), LONG);
    let view = Viewing::opened(dir.path(), &[]);
    for question in [
        "grep?regexp=123",
        &format!("diff?id={old}&id={id}"),
        &format!("piece?id={id}&line=9"),
        &format!("seen?id={id}"),
    ] {
        assert_eq!(view.get(&format!("api/{question}")).0, 200, "{question}");
    }
    let output = &view.objects(&format!("api/output?id={id}"))[0];
    assert_eq!(output["record"]["retrieved"], 0);
    assert_eq!(view.objects(&format!("api/previous?id={id}"))[0]["previous"], old.as_str());
}

#[test]
fn seen_text_is_exactly_the_printed_text() {
    let dir = tempfile::tempdir().unwrap();
    let log = "for n in $(seq 1 4000); do echo \"step $n ok\"; done; printf 'error: \\033[31mbroken\\033[0m\\n'; seq 1 9000; exit 2";
    let json = "printf '['; for n in $(seq 1 9000); do printf '{\"id\":%s},' $n; done; printf '0]'";
    for script in [LONG, log, json] {
        let (id, shown) = saved(dir.path(), script);
        let view = Viewing::opened(dir.path(), &[]);
        let seen = &view.objects(&format!("api/seen?id={id}"))[0];
        let parts = seen["parts"].as_array().unwrap().iter();
        let text: String =
            parts.map(|part| part["words"].as_str().or(part["text"].as_str()).unwrap()).collect();
        assert_eq!(text, shown, "{script}");
        assert_eq!((&seen["exact"], &seen["bytes"]), (&true.into(), &shown.len().into()));
    }
}

#[test]
fn seen_text_is_not_exact_if_lines_were_shown_while_the_command_ran() {
    let dir = tempfile::tempdir().unwrap();
    let (id, _) = saved(dir.path(), "seq 1 30000; sleep 4; echo end");
    let view = Viewing::opened(dir.path(), &[]);
    let seen = &view.objects(&format!("api/seen?id={id}"))[0];
    assert_eq!(seen["exact"], false);
    assert!(seen["besides"].as_u64().unwrap() > 0, "{seen}");
}

#[test]
fn changes_need_a_post_from_the_page() {
    let dir = tempfile::tempdir().unwrap();
    let (id, _) = saved(dir.path(), LONG);
    let view = Viewing::opened(dir.path(), &[]);
    let is_pinned = || run(dir.path(), &["list", "--json"]).contains("\"pinned\":true");
    let pin = format!("api/pin?id={id}");
    assert_eq!(view.get(&pin).0, 405);
    assert_eq!(view.with_cookie("POST", &pin, "").0, 403);
    assert_eq!(view.with_cookie("POST", &pin, "Origin: http://evil.example\r\n").0, 403);
    assert_eq!(
        view.with_cookie("POST", "api/list", &format!("Origin: http://{}\r\n", view.address)).0,
        405
    );
    assert!(!is_pinned());
    assert_eq!(view.post(&pin).0, 200);
    assert!(is_pinned());
    let (status, _, body) = view.post(&format!("api/rm?id={id}"));
    assert!(status == 422 && body.contains("is pinned"), "{body}");
    assert_eq!(view.post(&format!("{pin}&off")).0, 200);
    assert!(!is_pinned());
    assert_eq!(view.post(&format!("api/rm?id={id}")).0, 200);
    for question in ["output", "seen", "piece", "failures", "explain"] {
        let (status, _, body) = view.get(&format!("api/{question}?id={id}"));
        assert!(status == 422 && body.contains("there is no output"), "{question}: {body}");
    }
}

#[test]
fn bad_questions_get_an_error_in_json() {
    let dir = tempfile::tempdir().unwrap();
    saved(dir.path(), LONG);
    let view = Viewing::opened(dir.path(), &[]);
    for question in [
        "api/run?id=true",
        "api/nosuch?id=last",
        "api/config",
        "api/list?limit=x",
        "api/list?html=x",
        "api/grep?regexp=(",
        "api/output?id=--help",
        "api/output?id=nosuch",
        "api/output",
        "api/piece?id=../../etc/passwd",
        "api/info?id=%00",
    ] {
        let (status, _, body) = view.get(question);
        assert!(
            status == 422 && body.contains(r#""error":{"message":"#),
            "{question}: {status} {body}"
        );
    }
    assert_eq!(view.get("api/piece?id=last&near=99999999999999&rows=0").0, 200);
    assert_eq!(view.get("api/piece?id=last&from=18446744073709551615").0, 200);
    assert_eq!(view.get("api/piece?id=last&line=18446744073709551615").0, 200);
}

#[test]
fn long_line_is_sent_in_small_pieces() {
    let dir = tempfile::tempdir().unwrap();
    let (id, _) = saved(dir.path(), "head -c 30000000 /dev/zero | tr '\\0' x");
    let view = Viewing::opened(dir.path(), &[]);
    for place in ["line=1", "near=15000000", "from=29999000", "to=30000000"] {
        let (status, _, body) = view.get(&format!("api/piece?id={id}&{place}"));
        assert!(status == 200 && body.len() < 200_000, "{place}: {}", body.len());
    }
}

#[test]
fn output_that_was_not_saved_whole_lists_its_saved_parts() {
    let dir = tempfile::tempdir().unwrap();
    let script = "seq 1 90000; exit 1";
    let mut command = program(dir.path());
    command.args(["run", "--", "sh", "-c", script]).current_dir(dir.path());
    command.env("OVERSPILL_STORE_MAX_OUTPUT", "100KiB").output().unwrap();
    let view = Viewing::opened(dir.path(), &[]);
    let output = &view.objects("api/output?id=last")[0];
    let kept = output["kept"].as_array().unwrap();
    let number = |range: &Value, at: usize| range[at].as_u64().unwrap();
    let last = kept.last().unwrap();
    assert_eq!(number(&last["bytes"], 1), output["record"]["bytes"].as_u64().unwrap());
    assert_eq!(number(&last["stored"], 1), output["bytes"].as_u64().unwrap());
    let near = number(&last["stored"], 1) - 3;
    let piece = &view.objects(&format!("api/piece?id=last&near={near}"))[0];
    assert_eq!(
        (&piece["rows"][0]["text"], &piece["rows"][0]["line"]),
        (&"90000".into(), &90_000.into())
    );
}

/// The page of an output in a transcript is one document. Only its own scripts run.
#[test]
fn output_of_a_transcript_is_served_as_one_document() {
    let dir = tempfile::tempdir().unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts/pi.jsonl");
    let text = std::fs::read_to_string(file).unwrap();
    let file = dir.path().join("pi.jsonl");
    std::fs::write(&file, text.replace("fn handle_request", "</script><script>alert(1)</script>"))
        .unwrap();
    let json: Value =
        serde_json::from_str(&run(dir.path(), &["audit", "--json", "pi.jsonl"])).unwrap();
    let place = format!("pi.jsonl:{}", json["losses"][0]["line"]);
    let view = Viewing::opened(dir.path(), &[&place, "--max-chars", "2000"]);
    let (status, head, body) = view.get("");
    assert_eq!(status, 200, "{head}");
    assert!(
        head.contains("default-src 'none'; script-src 'nonce-") && !head.contains("'self'"),
        "{head}"
    );
    assert!(head.contains("frame-ancestors 'none'"), "{head}");
    assert!(body.contains("src/module_0077.rs") && !body.contains("<script>alert(1)"));
    for question in ["api/list", "page.js", "api/output?id=last"] {
        assert_eq!(view.get(question).0, 404, "{question}");
    }
    assert!(!dir.path().join("store").exists(), "nothing is written into the store");
}

#[test]
fn page_ends_after_its_idle_time() {
    let dir = tempfile::tempdir().unwrap();
    let mut view = Viewing::start(dir.path(), &["--idle", "1s"]);
    assert!(view.child.wait().unwrap().success());
}

#[test]
fn page_ends_with_its_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let mut view = Viewing::opened(dir.path(), &[]);
    let pid = rustix::process::Pid::from_child(&view.child);
    rustix::process::kill_process(pid, rustix::process::Signal::HUP).unwrap();
    assert!(!view.child.wait().unwrap().success());
}

fn exported(dir: &Path, id: &str) -> (PathBuf, String) {
    let file = dir.join("report.html");
    let done =
        program(dir).args(["view", id, "--html"]).arg(&file).current_dir(dir).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = std::fs::read_to_string(&file).unwrap();
    (file, text)
}

#[test]
fn exported_file_is_alone_and_masked() {
    let dir = tempfile::tempdir().unwrap();
    let token = format!("{}_{}", "ghp", "a1B2c3D4e5F6g7H8i9J0".repeat(2));
    let script = format!(
        "echo 'error: token {token}'; echo '</script><script>alert(1)</script>'; seq 1 30000"
    );
    let (id, _) = saved(dir.path(), &script);
    let (_, text) = exported(dir.path(), &id);
    assert!(text.contains("ghp_****") && !text.contains(&token));
    assert!(!text.contains("<script>alert(1)"), "text of the output does not become an element");
    assert!(text.contains("\\u003c/script>\\u003cscript>alert(1)"));
    for outside in ["src=\"", "href=\"style", "http://", "https://"] {
        assert!(!text.contains(outside), "{outside}");
    }
    assert!(text.contains("Content-Security-Policy") && text.contains("default-src 'none'"));
}

#[test]
fn exported_file_of_a_large_output_has_both_ends() {
    let dir = tempfile::tempdir().unwrap();
    let (id, _) = saved(dir.path(), "seq 1 3000000");
    let (_, text) = exported(dir.path(), &id);
    assert!(text.len() < 40_000_000, "{}", text.len());
    assert!(text.contains(r#""text":"3000000""#) && text.contains(r#""text":"1""#));
    assert!(!text.contains(r#""text":"1500000""#));
}
