//! Redirects of a server over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

use super::client::Client;

/// A request that a server got. The head is in lower case.
#[derive(Debug, Clone)]
struct Request {
    method: String,
    path: String,
    head: String,
    body: String,
}

/// A server that answers with a function, and remembers its requests.
struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    fn start(answer: impl Fn(&Request) -> String + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer) = (requests.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (seen, answer) = (seen.clone(), answer.clone());
                std::thread::spawn(move || {
                    let mut stream = stream.unwrap();
                    let Some(request) = Request::read(&stream) else { return };
                    seen.lock().unwrap().push(request.clone());
                    let answer = answer(&request);
                    let _ = stream.write_all(answer.as_bytes());
                    // A stream without a length stays open.
                    if !answer.contains("Content-Length") {
                        std::thread::sleep(Duration::from_secs(30));
                    }
                });
            }
        });
        Server { port, requests }
    }

    /// Returns the address. The same server under another name is another origin.
    fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port)
    }

    fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// Waits for a request with this method to this path.
    #[track_caller]
    fn wait_for(&self, method: &str, path: &str) -> Request {
        for _ in 0..200 {
            let found = self.requests();
            let found = found.into_iter().find(|one| one.method == method && one.path == path);
            if let Some(found) = found {
                return found;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("no {method} {path}: {:?}", self.requests());
    }
}

impl Request {
    fn read(stream: &TcpStream) -> Option<Request> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let mut words = line.split(' ');
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let (mut head, mut len) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                len = value.parse().ok()?;
            }
            head.push_str(&line);
            head.push('\n');
        }
        let mut body = vec![0; len];
        reader.read_exact(&mut body).ok()?;
        Some(Request { method, path, head, body: String::from_utf8(body).ok()? })
    }
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
const WELCOME: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"real","version":"1"}}}"#;

fn redirect(status: u16, location: &str) -> String {
    format!(
        "HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    )
}

fn status(status: u16) -> String {
    format!("HTTP/1.1 {status} Said\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}

fn body(kind: &str, text: &str) -> String {
    let len = text.len();
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nMcp-Session-Id: s1\r\nContent-Length: {len}\r\nConnection: close\r\n\r\n{text}"
    )
}

/// Returns the answer of a server that answers only `initialize`.
fn welcome(request: &Request) -> String {
    if request.method == "POST" { body("application/json", WELCOME) } else { status(405) }
}

fn client(url: &str) -> Client {
    Client::with(&["--http", url, "--header", "X-Api-Key: SECRET"], &[], |_| {})
}

fn message(answer: &Value) -> String {
    answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn redirect_to_another_host_is_refused() {
    for code in [301, 302, 303, 307, 308] {
        let other = Server::start(welcome);
        let location = other.url("localhost", "/internal");
        let first = Server::start(move |_| redirect(code, &location));
        let mut client = client(&first.url("127.0.0.1", "/mcp"));
        client.send(HELLO);
        let said = message(&client.json());
        assert!(said.contains(&first.url("127.0.0.1", "")), "{said}");
        assert!(said.contains(&other.url("localhost", "/internal")), "{said}");
        assert!(said.contains("hint: ") && said.contains("--http"), "{said}");
        assert_eq!(client.end(), 0);
        assert!(other.requests().is_empty(), "{code}: {:?}", other.requests());
    }
}

#[test]
fn redirect_to_another_port_or_network_path_is_refused() {
    for host in ["http://127.0.0.1", "//127.0.0.1"] {
        let other = Server::start(welcome);
        let location = format!("{host}:{}/mcp", other.port);
        let first = Server::start(move |_| redirect(307, &location));
        let mut client = client(&first.url("127.0.0.1", "/mcp"));
        client.send(HELLO);
        let said = message(&client.json());
        assert!(said.contains("another origin"), "{said}");
        assert!(other.requests().is_empty());
    }
}

#[test]
fn redirect_within_the_origin_repeats_the_request() {
    for code in [307, 308] {
        let server = Server::start(move |request| match &*request.path {
            "/mcp" => redirect(code, "/v2/mcp/"),
            "/v2/mcp/" => redirect(code, "../mcp?a=b"),
            _ => welcome(request),
        });
        let mut client = client(&server.url("127.0.0.1", "/mcp"));
        client.send(HELLO);
        assert_eq!(client.json()["result"]["serverInfo"]["name"], "real");
        let request = server.wait_for("POST", "/v2/mcp?a=b");
        assert_eq!(request.body, HELLO);
        assert!(request.head.contains("x-api-key: secret"), "{}", request.head);
    }
}

#[test]
fn redirect_that_would_turn_a_post_into_a_get_is_refused() {
    for code in [301, 302, 303] {
        let server = Server::start(move |request| match &*request.path {
            "/mcp" if request.method == "POST" => redirect(code, "/other"),
            _ => body("application/json", WELCOME),
        });
        let mut client = client(&server.url("127.0.0.1", "/mcp"));
        client.send(HELLO);
        let said = message(&client.json());
        assert!(said.contains(&format!("HTTP status {code}")), "{said}");
        assert!(said.contains("hint: ") && said.contains("/other"), "{said}");
        drop(client);
        assert!(!server.requests().iter().any(|one| one.path == "/other"));
    }
}

#[test]
fn redirects_in_a_circle_end_after_a_few() {
    let server = Server::start(|_| redirect(307, "/mcp"));
    let mut client = client(&server.url("127.0.0.1", "/mcp"));
    client.send(HELLO);
    let said = message(&client.json());
    assert!(said.contains("more than 5 redirects"), "{said}");
    let posts = server.requests().into_iter().filter(|one| one.method == "POST").count();
    assert_eq!(posts, 6);
}

#[test]
fn redirect_without_a_location_is_refused() {
    for answer in
        ["HTTP/1.1 307 Moved\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", &status(304)]
    {
        let answer = answer.to_owned();
        let server = Server::start(move |_| answer.clone());
        let mut client = client(&server.url("127.0.0.1", "/mcp"));
        client.send(HELLO);
        let said = message(&client.json());
        assert!(said.contains("HTTP status 30"), "{said}");
    }
}

#[test]
fn redirect_of_the_event_stream_stays_within_the_origin() {
    const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
    let other = Server::start(|_| body("text/event-stream", "data: {\"from\":\"elsewhere\"}\n\n"));
    for code in [301, 302, 303, 307, 308] {
        let elsewhere = other.url("localhost", "/events");
        let first = Server::start(move |request| match &*request.method {
            "GET" => redirect(code, &elsewhere),
            _ => welcome(request),
        });
        let mut refused = client(&first.url("127.0.0.1", "/mcp"));
        refused.send(HELLO);
        refused.json();
        first.wait_for("GET", "/mcp");
        let server = Server::start(move |request| match (&*request.method, &*request.path) {
            ("GET", "/mcp") => redirect(code, "/events"),
            ("GET", _) => body("text/event-stream", &format!("data: {NOTE}\n\n")),
            _ => welcome(request),
        });
        let mut client = client(&server.url("127.0.0.1", "/mcp"));
        client.send(HELLO);
        let lines = [client.line(), client.line()];
        assert!(lines.iter().any(|line| line == NOTE), "{lines:?}");
        let request = server.wait_for("GET", "/events");
        assert!(request.head.contains("mcp-session-id: s1"), "{}", request.head);
        assert_eq!(refused.end(), 0);
    }
    assert!(other.requests().is_empty(), "{:?}", other.requests());
}

#[test]
fn redirect_of_the_end_of_a_session_stays_within_the_origin() {
    let other = Server::start(|_| status(200));
    for code in [301, 302, 303, 307, 308] {
        let elsewhere = other.url("localhost", "/mcp");
        let first = Server::start(move |request| match &*request.method {
            "DELETE" => redirect(code, &elsewhere),
            _ => welcome(request),
        });
        let mut client = client(&first.url("127.0.0.1", "/mcp"));
        client.send(HELLO);
        client.json();
        assert_eq!(client.end(), 0);
        first.wait_for("DELETE", "/mcp");
    }
    assert!(other.requests().is_empty(), "{:?}", other.requests());
    let server = Server::start(move |request| match (&*request.method, &*request.path) {
        ("DELETE", "/mcp") => redirect(308, "/mcp/"),
        ("DELETE", _) => status(200),
        _ => welcome(request),
    });
    let mut client = client(&server.url("127.0.0.1", "/mcp"));
    client.send(HELLO);
    client.json();
    assert_eq!(client.end(), 0);
    let request = server.wait_for("DELETE", "/mcp/");
    assert!(request.head.contains("mcp-session-id: s1"), "{}", request.head);
}

#[test]
fn endpoint_of_an_old_server_on_another_host_is_refused() {
    let other = Server::start(|_| status(202));
    let elsewhere = other.url("localhost", "/messages");
    let server = Server::start(move |request| match &*request.method {
        "GET" => format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: endpoint\ndata: {elsewhere}\n\n"
        ),
        _ => status(405),
    });
    let mut client = client(&server.url("127.0.0.1", "/sse"));
    client.send(HELLO);
    let said = message(&client.json());
    assert!(said.contains("another origin"), "{said}");
    assert!(said.contains(&other.url("localhost", "")), "{said}");
    assert!(other.requests().is_empty(), "{:?}", other.requests());
}
