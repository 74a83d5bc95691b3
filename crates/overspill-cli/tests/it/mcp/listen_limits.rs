//! The access to `mcp --listen`, and its limits for clients.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::client::chaos;
use super::listening::{HELLO, Listening, answer_of, session_in, token_file};
use crate::program::program;

/// Returns a head that announces a body of this length.
fn head(host: &Listening, more: &str, len: u64) -> String {
    let address = &host.address;
    format!("POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Length: {len}\r\n{more}\r\n")
}

fn authorized(host: &Listening) -> String {
    format!("Authorization: {}\r\n", host.bearer())
}

#[test]
fn loopback_request_without_a_token_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let host = Listening::chaos(dir.path());
    let (status, head, _) = host.ask_without_token("POST", "", HELLO);
    assert_eq!(status, 401);
    assert!(head.contains("www-authenticate: bearer"), "{head}");
    for wrong in ["Bearer", "Bearer ", "Bearer x", "Basic eDp5"] {
        let header = format!("Authorization: {wrong}\r\n");
        assert_eq!(host.ask_without_token("POST", &header, HELLO).0, 401, "{wrong}");
    }
    let twice = format!("{0}{0}", authorized(&host));
    assert_eq!(host.ask_without_token("POST", &twice, HELLO).0, 401);
    assert_eq!(host.ask("POST", "", HELLO).0, 200);
}

#[test]
fn generated_token_is_kept_in_a_private_file() {
    let dir = tempfile::tempdir().unwrap();
    let first = Listening::chaos(dir.path());
    let file = token_file(dir.path());
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    // 256 bits in hexadecimal digits.
    assert_eq!(first.token.len(), 64, "{}", first.token);
    assert!(first.said.contains(file.to_str().unwrap()), "{}", first.said);
    assert!(!first.said.contains(&first.token), "{}", first.said);
    let second = Listening::chaos(dir.path());
    assert_eq!(first.token, second.token);
    let elsewhere = tempfile::tempdir().unwrap();
    assert_ne!(first.token, Listening::chaos(elsewhere.path()).token);
}

#[test]
fn token_file_of_doubtful_origin_is_refused() {
    let refused = |dir: &Path| {
        let mut command = program(dir);
        command.args(["mcp", "--listen", "127.0.0.1:0", "--", "true"]);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("mcp-token") && said.contains("hint: "), "{said}");
        said
    };
    let dir = tempfile::tempdir().unwrap();
    let file = token_file(dir.path());
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = "0123456789abcdef".repeat(4);
    std::fs::write(&file, &text).unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    let said = refused(dir.path());
    assert!(said.contains("other users") && !said.contains(&text), "{said}");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    // The token is too short for a generated one.
    std::fs::write(&file, "\n").unwrap();
    refused(dir.path());
    let other = dir.path().join("other");
    std::fs::rename(&file, &other).unwrap();
    std::os::unix::fs::symlink(&other, &file).unwrap();
    refused(dir.path());
}

#[test]
fn server_behind_the_proxy_does_not_get_the_token() {
    let dir = tempfile::tempdir().unwrap();
    let script = "env > seen; exec \"$0\"";
    let host = Listening::start(
        dir.path(),
        &["--", "sh", "-c", script, chaos().to_str().unwrap()],
        |command| {
            command.env("OVERSPILL_MCP_TOKEN", "very-secret");
        },
    );
    assert_eq!(host.ask("POST", "", HELLO).0, 200);
    let seen = std::fs::read_to_string(dir.path().join("seen")).unwrap();
    assert!(seen.contains("HOME=") && !seen.contains("very-secret"), "{seen}");
}

/// Sends no body, so only a server that checks the head first answers.
#[test]
fn refused_request_is_answered_before_its_body() {
    let dir = tempfile::tempdir().unwrap();
    let host = Listening::chaos(dir.path());
    let own = authorized(&host);
    for (more, status) in [
        (String::new(), 401),
        ("Authorization: Bearer wrong\r\n".into(), 401),
        (format!("{own}Origin: http://evil.example\r\n"), 403),
        (format!("{own}Origin: null\r\n"), 403),
        (format!("{own}Host: evil.example\r\n"), 403),
        (format!("{own}Expect: 100-continue\r\n"), 413),
        (own.clone(), 413),
    ] {
        let (found, head, _) = host.send(&head(&host, &more, 200 << 20));
        assert_eq!(found, status, "{more}");
        assert!(head.contains("connection: close"), "{head}");
    }
    assert_eq!(host.send(&head(&host, &own, 1 << 20).replace("/mcp", "/else")).0, 404);
}

#[test]
fn chunked_body_over_the_limit_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let host = Listening::chaos(dir.path());
    let mut stream = host.connect();
    let head = head(&host, &authorized(&host), 0);
    let head = head.replace("Content-Length: 0", "Transfer-Encoding: chunked");
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = [b"100000\r\n".to_vec(), vec![b' '; 1 << 20], b"\r\n".to_vec()].concat();
    let sent = (0..100).take_while(|_| stream.write_all(&chunk).is_ok()).count();
    assert_eq!(answer_of(&mut stream).0, 413);
    assert!(sent >= 64, "{sent}");
    assert_eq!(host.ask("POST", "", HELLO).0, 200);
}

#[test]
fn head_over_its_limits_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let host = Listening::chaos(dir.path());
    let long = format!("X-Long: {}\r\n", "x".repeat(70_000));
    assert_eq!(host.send(&head(&host, &long, 0)).0, 431);
    let many: String = (0..101).map(|n| format!("X-{n}: y\r\n")).collect();
    assert_eq!(host.send(&head(&host, &many, 0)).0, 431);
    assert_eq!(host.send("this is not HTTP\r\n\r\n").0, 400);
    assert_eq!(host.ask("POST", "", HELLO).0, 200);
}

#[test]
fn connections_over_the_limit_are_refused_and_the_others_served() {
    let dir = tempfile::tempdir().unwrap();
    let host = Listening::chaos(dir.path());
    let (address, bearer, len) = (&host.address, host.bearer(), HELLO.len());
    // A connection counts when it has sent the token.
    let ask = |stream: &mut TcpStream| {
        let head = format!("Host: {address}\r\nAuthorization: {bearer}\r\n");
        write!(stream, "GET /mcp HTTP/1.1\r\n{head}\r\n").unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            answer.push(byte[0]);
        }
        String::from_utf8(answer).unwrap()
    };
    let mut idle = Vec::new();
    let refused = (0..140).find_map(|_| {
        let mut stream = host.connect();
        let answer = ask(&mut stream);
        idle.push(stream);
        (!answer.starts_with("HTTP/1.1 405 ")).then_some(answer)
    });
    let refused = refused.expect("a refusal");
    assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("retry-after: "), "{refused}");
    assert!(idle.len() > 100, "{}", idle.len());
    let mut first = idle.swap_remove(0);
    write!(
        first,
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: {bearer}\r\nConnection: close\r\nContent-Length: {len}\r\n\r\n{HELLO}"
    )
    .unwrap();
    let mut answer = String::new();
    first.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("HTTP/1.1 200 "), "{answer}");
    drop(idle);
    let again = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        host.ask("POST", "", HELLO).0 == 200
    });
    assert!(again);
}

#[test]
fn sessions_over_the_limit_are_refused_and_the_others_served() {
    let dir = tempfile::tempdir().unwrap();
    let host = Listening::chaos(dir.path());
    let (_, head, _) = host.ask("POST", "", HELLO);
    let first = session_in(&head);
    let refused = (0..80).map(|_| host.ask("POST", "", HELLO)).find(|(status, ..)| *status != 200);
    let (status, head, body) = refused.expect("a refusal");
    assert_eq!(status, 503, "{body}");
    assert!(head.contains("retry-after: "), "{head}");
    let list = r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#;
    assert!(host.ask("POST", &first, list).2.contains("overspill_read"));
    // The end of a session makes room for another one.
    assert_eq!(host.ask("DELETE", &first, "").0, 200);
    assert_eq!(host.ask("POST", "", HELLO).0, 200);
}

/// Uses a first server that never reads its input.
#[test]
fn server_that_does_not_read_delays_no_other_client() {
    let dir = tempfile::tempdir().unwrap();
    let script = "mkdir first 2>/dev/null && echo $$ > pids && exec sleep 60; exec \"$0\"";
    let host = Listening::start(
        dir.path(),
        &["--", "sh", "-c", script, chaos().to_str().unwrap()],
        |command| {
            command.env("OVERSPILL_IDLE", "1s");
        },
    );
    let long = format!(r#"{{"method":"notifications/{}"}}"#, "x".repeat(1 << 20));
    assert_eq!(host.ask("POST", "", &long).0, 202);
    // The session ends after a second, and no client waits for that.
    for _ in 0..10 {
        assert_eq!(host.ask("POST", "", HELLO).0, 200);
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    assert!(super::http::all_end(dir.path()));
}
