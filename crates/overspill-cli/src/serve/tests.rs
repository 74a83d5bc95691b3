//! Tests of the limits of the server over a raw socket.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::task::{Context, Poll};

use hyper::StatusCode;

use super::*;

/// A site that answers with the length of a body, or with three events at `/events`.
struct Lengths;

impl Site for Lengths {
    async fn answer(self: Arc<Self>, request: Request<Incoming>, limits: ServerLimits) -> Reply {
        if request.uri().path() == "/events" {
            return events(Three(0));
        }
        match read_body(request.into_body(), &limits).await {
            Ok(body) => reply(StatusCode::OK, "text/plain", format!("{} bytes", body.len())),
            Err(refused) => refused.into(),
        }
    }
}

/// A source of three events.
struct Three(u8);

impl EventSource for Three {
    fn poll_next(&mut self, _: &mut Context<'_>) -> Poll<Option<ServerEvent>> {
        self.0 += 1;
        let start = vec![b'0' + self.0];
        Poll::Ready((self.0 <= 3).then_some(ServerEvent { start, rest: None }))
    }
}

const SHORT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_secs(20);
const LIMITS: ServerLimits = ServerLimits {
    head: 8 << 10,
    headers: 10,
    head_time: LONG,
    idle: LONG,
    body: 1_000,
    body_time: LONG,
    connections: 100,
    strangers: 100,
};

/// Starts a server with these limits and returns its address.
fn start(limits: ServerLimits) -> std::net::SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let guard = Guard::Bearer { token: BearerToken::from("secret"), is_loopback: true };
    std::thread::spawn(move || serve(listener, guard, limits, Arc::new(Lengths)));
    address
}

fn connect(address: std::net::SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream
}

fn request(more: &str, body: &str) -> String {
    let len = body.len();
    format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\nContent-Length: {len}\r\n{more}\r\n{body}"
    )
}

/// Returns all bytes that come until the server closes the connection.
fn rest(mut stream: TcpStream) -> String {
    let mut all = String::new();
    stream.read_to_string(&mut all).unwrap();
    all
}

#[track_caller]
fn is_served(address: std::net::SocketAddr) {
    let mut stream = connect(address);
    stream.write_all(request("Connection: close\r\n", "abc").as_bytes()).unwrap();
    let answer = rest(stream);
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("3 bytes"), "{answer}");
}

#[test]
fn slow_head_gets_408_while_others_are_served() {
    let address = start(ServerLimits { head_time: SHORT, ..LIMITS });
    let mut slow = connect(address);
    slow.write_all(b"POST / HTTP/1.1\r\nHost: loc").unwrap();
    let silent = connect(address);
    is_served(address);
    let answer = rest(slow);
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert_eq!(rest(silent), "");
}

/// Sends a request, and reads the answer. The connection stays open.
fn ask(stream: &mut TcpStream) {
    stream.write_all(request("", "abc").as_bytes()).unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"3 bytes") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        answer.push(byte[0]);
    }
}

#[test]
fn client_with_the_token_may_be_silent_for_the_idle_time() {
    let address = start(ServerLimits { head_time: SHORT, idle: SHORT * 6, ..LIMITS });
    let mut stream = connect(address);
    for _ in 0..2 {
        ask(&mut stream);
        std::thread::sleep(SHORT * 2);
    }
    assert_eq!(rest(stream), "");
}

#[test]
fn slow_body_gets_408_while_others_are_served() {
    let address = start(ServerLimits { body_time: SHORT, ..LIMITS });
    let mut slow = connect(address);
    slow.write_all(request("", "abc").replace(": 3", ": 4").as_bytes()).unwrap();
    is_served(address);
    let answer = rest(slow);
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

#[test]
fn head_and_body_over_their_limits_get_431_and_413() {
    let address = start(LIMITS);
    let many: String = (0..10).map(|n| format!("X-{n}: y\r\n")).collect();
    let chunks = "Transfer-Encoding: chunked\r\n";
    let chunked = request("", "").replace("Content-Length: 0\r\n", chunks);
    for (sent, status) in [
        (request(&format!("X-Long: {}\r\n", "x".repeat(9_000)), ""), 431),
        (request(&many, ""), 431),
        (request("", &"x".repeat(1_001)), 413),
        (format!("{chunked}3e9\r\n{}\r\n0\r\n\r\n", "x".repeat(1_001)), 413),
        (request("Transfer-Encoding: nonsense\r\n", ""), 400),
        ("nonsense\r\n\r\n".into(), 400),
    ] {
        let mut stream = connect(address);
        stream.write_all(sent.as_bytes()).unwrap();
        let answer = rest(stream);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    }
    is_served(address);
}

#[test]
fn connection_over_the_limit_gets_503_until_another_ends() {
    let address = start(ServerLimits { connections: 2, ..LIMITS });
    let held = || {
        let mut stream = connect(address);
        ask(&mut stream);
        stream
    };
    let [first, mut second] = [held(), held()];
    let mut third = connect(address);
    third.write_all(request("", "abc").as_bytes()).unwrap();
    let answer = rest(third);
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    second.write_all(request("Connection: close\r\n", "abc").as_bytes()).unwrap();
    assert!(rest(second).ends_with("3 bytes"));
    drop(first);
    std::thread::sleep(SHORT);
    is_served(address);
}

#[test]
fn silent_connections_keep_no_client_out() {
    let address = start(ServerLimits { strangers: 4, ..LIMITS });
    let mut known = connect(address);
    known.write_all(request("", "abc").as_bytes()).unwrap();
    let silent: Vec<TcpStream> = (0..20).map(|_| connect(address)).collect();
    is_served(address);
    // The connection with the token is the oldest and stays.
    known.write_all(request("Connection: close\r\n", "abc").as_bytes()).unwrap();
    assert_eq!(rest(known).matches("3 bytes").count(), 2);
    for closed in silent.into_iter().take(15) {
        assert_eq!(rest(closed), "");
    }
}

#[test]
fn events_are_sent_as_chunks_until_the_source_ends() {
    let address = start(LIMITS);
    let mut stream = connect(address);
    let sent = request("Connection: close\r\n", "").replace("POST / ", "GET /events ");
    stream.write_all(sent.as_bytes()).unwrap();
    let answer = rest(stream);
    assert!(answer.contains("content-type: text/event-stream\r\n"), "{answer}");
    assert_eq!(answer.matches("event: message\ndata: ").count(), 3, "{answer}");
    assert!(answer.ends_with("\r\n0\r\n\r\n"), "{answer}");
}

proptest::proptest! {
    #[test]
    fn bytes_of_any_kind_leave_the_server_running(
        start_line in "[A-Z]{0,5} [/a-z:?#]{0,9} HTTP/[0-9.]{0,4}\r?\n|[ -~]{0,20}",
        bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200),
    ) {
        static ADDRESS: std::sync::LazyLock<std::net::SocketAddr> =
            std::sync::LazyLock::new(|| start(ServerLimits { head_time: SHORT, ..LIMITS }));
        let mut stream = connect(*ADDRESS);
        let _ = stream.write_all(start_line.as_bytes()).and_then(|()| stream.write_all(&bytes));
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        proptest::prop_assert!(!answer.starts_with(b"HTTP/1.1 2"));
        is_served(*ADDRESS);
    }
}
