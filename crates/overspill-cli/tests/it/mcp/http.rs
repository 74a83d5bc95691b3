//! HTTP on the client side and on the server side of the proxy.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::client::{Client, chaos, lines, text_of};
use super::listening::{HELLO, Listening, session_in};
use crate::program::program;

#[test]
fn http_session_begins_answers_and_ends() {
    let dir = tempfile::tempdir().unwrap();
    let host = Listening::chaos(dir.path());
    let (status, head, body) = host.ask("POST", "", HELLO);
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("\"serverInfo\""), "{body}");
    let session = session_in(&head);
    let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(host.ask("POST", &session, note).0, 202);
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "text", "arguments": {"text": lines(5_000)}}});
    let (_, _, body) = host.ask("POST", &session, &call.to_string());
    let data = body.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
    let answer: Value = serde_json::from_str(data).unwrap();
    assert!(
        text_of(&answer).starts_with("[overspill ") && text_of(&answer).chars().count() <= 9_500
    );
    assert_eq!(host.ask("POST", "Mcp-Session-Id: nobody\r\n", note).0, 404);
    assert_eq!(host.ask("DELETE", &session, "").0, 200);
    assert_eq!(host.ask("POST", &session, note).0, 404);
    // Without a handshake there is no session, but there is an answer.
    assert!(
        host.ask("POST", "", r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#)
            .2
            .contains("overspill_read")
    );
}

#[test]
fn browser_pages_and_strangers_get_no_answer() {
    let dir = tempfile::tempdir().unwrap();
    let host = Listening::chaos(dir.path());
    assert_eq!(host.ask("POST", "Origin: http://evil.example\r\n", HELLO).0, 403);
    assert_eq!(host.ask("POST", "Host: evil.example\r\n", HELLO).0, 403);
    assert_eq!(host.ask("POST", "Origin: http://localhost:3000\r\n", HELLO).0, 200);
    assert_eq!(host.ask("POST", "", "{").0, 400);
    assert_eq!(host.ask("PUT", "", "").0, 405);
    assert_eq!(host.ask("GET", "", "").0, 405);
    let with_token = Listening::start(dir.path(), &["--", chaos().to_str().unwrap()], |command| {
        command.env("OVERSPILL_MCP_TOKEN", "secret");
    });
    assert_eq!(with_token.ask_without_token("POST", "", HELLO).0, 401);
    let wrong = "Authorization: Bearer wrong!\r\n";
    assert_eq!(with_token.ask_without_token("POST", wrong, HELLO).0, 401);
    assert_eq!(with_token.ask("POST", "", HELLO).0, 200);
    let open =
        program(dir.path()).args(["mcp", "--listen", "0.0.0.0:0", "--", "true"]).output().unwrap();
    assert!(String::from_utf8_lossy(&open.stderr).contains("no token is set"));
}

/// Connects a client over stdio with a server over HTTP, which is also a proxy.
#[test]
fn http_server_works_like_a_stdio_server() {
    let dir = tempfile::tempdir().unwrap();
    let host = Listening::chaos(dir.path());
    let mut client = host.client();
    client.send(HELLO);
    assert_eq!(client.json()["result"]["serverInfo"]["name"], "chaos");
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    client.is_well();
    client.ask(5, "hang", json!({}));
    client.is_well();
    let answer = client.call("big", json!({"bytes": 5_000_000}));
    assert!(text_of(&answer).chars().count() <= 9_500);
    drop(host);
    // The hanging call, and any other, gets an error after the end of the server.
    let lost = client.json();
    assert_eq!((&lost["id"], &lost["error"]["code"]), (&json!(5), &json!(-32000)), "{lost}");
    client.ask(6, "text", json!({"text": "x"}));
    assert_eq!(client.json()["error"]["code"], -32000);
    assert_eq!(client.end(), 0);
}

#[test]
fn header_secret_comes_from_a_variable_and_not_from_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let host = Listening::start(dir.path(), &["--", chaos().to_str().unwrap()], |command| {
        command.env("OVERSPILL_MCP_TOKEN", "secret");
    });
    let url = host.url();
    let options = ["--http", &url, "--header-env", "Authorization: AUTH"];
    let mut client = Client::with(&options, &[], |command| {
        command.env("AUTH", "Bearer secret");
    });
    let answer = client.call("text", json!({"text": lines(5_000)}));
    assert!(text_of(&answer).starts_with("[overspill "), "{answer}");
    let words = std::fs::read_to_string(format!("/proc/{}/cmdline", client.child.id())).unwrap();
    assert!(words.contains("AUTH") && !words.contains("secret"), "{words:?}");
    let output = program(dir.path()).arg("mcp").args(options).env_remove("AUTH").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("the variable AUTH is not set"), "{said}");
}

/// Starts a server that writes its process id to a file, and stays when its client is gone.
fn with_pid(dir: &Path, more: impl FnOnce(&mut Command)) -> Listening {
    let script = "echo $$ >> pids; exec \"$0\"";
    let words = ["--", "sh", "-c", script, chaos().to_str().unwrap()].map(str::to_owned);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Listening::start(dir, &words, |command| {
        command.env("CHAOS_STAYS", "60");
        more(command);
    })
}

/// Tells whether all started servers end soon.
pub(super) fn all_end(dir: &Path) -> bool {
    let pids = std::fs::read_to_string(dir.join("pids")).unwrap();
    let is_there = |pid: &str| Path::new(&format!("/proc/{pid}")).exists();
    (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        !pids.lines().any(is_there)
    })
}

#[test]
fn unused_session_ends_with_its_server() {
    let dir = tempfile::tempdir().unwrap();
    let host = with_pid(dir.path(), |command| {
        command.env("OVERSPILL_IDLE", "1s");
    });
    let (_, head, _) = host.ask("POST", "", HELLO);
    let session = session_in(&head);
    assert!(all_end(dir.path()));
    assert_eq!(host.ask("POST", &session, r#"{"method":"notifications/x"}"#).0, 404);
    // The next session gets another server.
    assert_eq!(host.ask("POST", "", HELLO).0, 200);
}

#[test]
fn servers_end_with_the_proxy() {
    let dir = tempfile::tempdir().unwrap();
    let mut host = with_pid(dir.path(), |_| {});
    host.ask("POST", "", HELLO);
    host.ask("POST", "", HELLO);
    let pid = rustix::process::Pid::from_raw(host.child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(host.child.wait().unwrap().code(), Some(128 + 15));
    assert!(all_end(dir.path()));
}

#[test]
fn clients_without_a_session_never_get_each_others_answers() {
    let dir = tempfile::tempdir().unwrap();
    let host = Listening::chaos(dir.path());
    let slow = |text: &str| {
        let frame = json!({"id": 1, "result": {"content": [{"type": "text", "text": text}]}});
        let arguments = json!({"frame": format!("{frame}\n"), "micros": 3_000});
        json!({"id": 1, "method": "tools/call", "params": {"name": "slow", "arguments": arguments}})
            .to_string()
    };
    std::thread::scope(|scope| {
        for n in 0..4 {
            let (host, slow) = (&host, &slow);
            scope.spawn(move || {
                let own = format!("for {n} alone");
                let (status, _, body) = host.ask("POST", "", &slow(&own));
                assert!(status == 200 && body.contains(&own), "{body}");
            });
        }
    });
}

#[test]
fn restarted_http_server_gets_a_new_session() {
    let dir = tempfile::tempdir().unwrap();
    let host = Listening::chaos(dir.path());
    let mut client = host.client();
    client.send(HELLO);
    client.json();
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    client.is_well();
    let address = host.address.clone();
    drop(host);
    client.ask(6, "text", json!({"text": "x"}));
    assert_eq!(client.json()["error"]["code"], -32000);
    let _host = Listening::at(&address, dir.path(), &["--", chaos().to_str().unwrap()], |_| {});
    for _ in 0..3 {
        client.is_well();
    }
}

#[test]
fn https_server_is_verified_by_its_certificate() {
    let Some(python) = super::peers::peer("python/bin/python") else { return };
    let dir = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/server.py");
    let authority = dir.path().join("authority.pem");
    let mut server = Command::new(python)
        .arg(script)
        .arg(&authority)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let ended = std::panic::catch_unwind(|| {
        let mut client = Client::with(&["--http", url.trim()], &[], |command| {
            command.env("SSL_CERT_FILE", &authority);
        });
        client.send(HELLO);
        assert_eq!(client.json()["result"]["serverInfo"]["name"], "by-https");
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        let answer = client.call("lines", json!({"count": 20_000}));
        let text = text_of(&answer);
        assert!(text.chars().count() <= 9_500 && text.contains("line 20000"), "{answer}");
        // A client that does not trust the authority does not talk to the server.
        let mut stranger = Client::with(&["--http", url.trim()], &[], |_| {});
        stranger.send(HELLO);
        let message = stranger.json()["error"]["message"].to_string();
        assert!(message.contains("certificate"), "{message}");
    });
    let _ = server.kill();
    let _ = server.wait();
    ended.unwrap();
}

#[test]
fn inspector_works_over_http() {
    let files = super::peers::peer("node_modules/.bin/mcp-server-filesystem");
    let inspector = super::peers::peer("node_modules/.bin/mcp-inspector");
    let (Some(inspector), Some(server)) = (inspector, files) else { return };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("numbers.txt");
    std::fs::write(&file, lines(5_000)).unwrap();
    let words = ["--", server.to_str().unwrap(), dir.path().to_str().unwrap()];
    let host = Listening::start(dir.path(), &words, |_| {});
    let url = host.url();
    let path = format!("path={}", file.display());
    let call = ["--method", "tools/call", "--tool-name", "read_text_file", "--tool-arg", &path];
    // The command line of the inspector has no option for headers.
    let script = dir.path().join("token.cjs");
    let text = "const before = fetch; globalThis.fetch = (url, options = {}) => { \
                const headers = new Headers(options.headers); \
                headers.set('Authorization', process.env.BEARER); \
                return before(url, { ...options, headers }); };";
    std::fs::write(&script, text).unwrap();
    let options = format!("NODE_OPTIONS=--require={}", script.display());
    let bearer = format!("BEARER={}", host.bearer());
    let words =
        [&options, &bearer, inspector.to_str().unwrap(), "--cli", &url, "--transport", "http"];
    let all = [&words, &call[..]].concat();
    let answer = super::peers::is_well(&super::peers::run(dir.path(), Path::new("env"), &all));
    assert!(answer.contains("overspill_read") && answer.len() < 40_000, "{answer:.300}");
    assert!(answer.contains("line 5000 "));
}

#[test]
fn rust_peers_work_over_http() {
    let Some(peer) = super::peers::peer("rmcp/debug/overspill-rmcp-peer") else { return };
    let dir = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let all = [&["client"], words].concat();
        super::peers::is_well(&super::peers::run(dir.path(), &peer, &all));
    };
    let host =
        Listening::start(dir.path(), &["--", peer.to_str().unwrap(), "serve", "stdio"], |_| {});
    run(&["http", &host.url(), &host.token]);
    let mut server = Command::new(&peer)
        .args(["serve", "http"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let url = url.trim();
    let ended = std::panic::catch_unwind(|| {
        run(&["stdio", env!("CARGO_BIN_EXE_overspill"), "mcp", "--http", url]);
        let host = Listening::start(dir.path(), &["--http", url], |_| {});
        run(&["http", &host.url(), &host.token]);
    });
    let _ = server.kill();
    let _ = server.wait();
    ended.unwrap();
}

#[test]
fn official_peers_work_over_http() {
    let Some(python) = super::peers::peer("python/bin/python") else { return };
    let Some(server) = super::peers::peer("node_modules/.bin/mcp-server-everything") else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/client.py");
    let run = |words: &[&str]| {
        let all = [&[script.to_str().unwrap()], words].concat();
        super::peers::is_well(&super::peers::run(dir.path(), &python, &all));
    };
    // The client uses HTTP, the server stdio.
    let host = Listening::start(dir.path(), &["--", server.to_str().unwrap()], |_| {});
    run(&["http", &host.url(), &host.token]);
    // The client uses stdio, the server HTTP: streamable HTTP, and the event streams of 2024-11-05.
    let overspill = env!("CARGO_BIN_EXE_overspill");
    for (kind, path) in [("streamableHttp", "mcp"), ("sse", "sse")] {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut everything = Command::new(&server)
            .arg(kind)
            .env("PORT", port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        for _ in 0..200 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let url = format!("http://127.0.0.1:{port}/{path}");
        let ended = std::panic::catch_unwind(|| run(&["stdio", overspill, "mcp", "--http", &url]));
        let _ = everything.kill();
        let _ = everything.wait();
        ended.unwrap();
    }
}
