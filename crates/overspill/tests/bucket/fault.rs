//! A proxy before the test server that causes the faults of networks and servers.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The fault that happens to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The request is passed on.
    Pass,
    /// The proxy answers with this status and this error code.
    Answer(u16, &'static str),
    /// The proxy answers this number of times with this status and this error code.
    AnswerTimes(u32, u16, &'static str),
    /// The request is never answered.
    Hang,
    /// The connection is reset when half of the request has arrived.
    Reset,
    /// The request is passed on, and its answer is lost.
    LoseAnswer,
    /// The proxy reads the body of the request at a kilobyte a second.
    Slow,
    /// A byte of the request is changed on the way.
    Damage,
    /// The completion of an upload is answered with status 200 and an error.
    FailCompletion,
    /// Neither the parts of an upload nor its abort are answered.
    HangParts,
    /// After the first three requests, the objects do not exist any more.
    Vanish,
    /// A folder has a hundred thousand foreign objects, and then one output.
    Crowd,
    /// A day has a hundred thousand outputs.
    Busy,
    /// No fault: the server's clock is two days ahead.
    Later,
    /// No fault: the requests of Google's clients are translated for an S3 server.
    Google,
}

/// The proxy. It ends with the process.
pub struct FaultServer {
    pub endpoint: String,
    fault: Arc<Mutex<Fault>>,
}

impl FaultServer {
    /// Starts a proxy before `server`, which is `http://host:port`.
    pub fn before(server: &str, fault: Fault) -> FaultServer {
        let server = server.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let (fault, counted) = (Arc::new(Mutex::new(fault)), AtomicU32::new(0));
        let shared = fault.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (server, fault) = (server.clone(), *shared.lock().unwrap());
                let number = counted.fetch_add(1, Ordering::Relaxed);
                thread::spawn(move || drop(serve(client, &server, fault, number)));
            }
        });
        FaultServer { endpoint, fault }
    }

    /// Changes the fault from now on.
    pub fn now(&self, fault: Fault) {
        *self.fault.lock().unwrap() = fault;
    }
}

struct Request {
    head: String,
    body: Vec<u8>,
}

impl Request {
    fn first_line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }
}

fn serve(mut client: TcpStream, server: &str, fault: Fault, number: u32) -> io::Result<()> {
    let mut head = head_of(&mut client)?;
    if head.starts_with("CONNECT ") {
        // Clients ask a proxy for a tunnel so. It leads to the test server, not to the named one.
        client.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
        head = head_of(&mut client)?;
    }
    let length =
        header(&head, "content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    if fault == Fault::Reset && length > 0 {
        let mut half = vec![0; length / 2];
        client.read_exact(&mut half)?;
        // The connection is closed with unread bytes, so the client gets a reset.
        return Ok(());
    }
    let mut body = vec![0; length];
    if fault == Fault::Slow {
        for some in body.chunks_mut(1 << 10) {
            client.read_exact(some)?;
            thread::sleep(Duration::from_secs(1));
        }
    } else {
        client.read_exact(&mut body)?;
    }
    let mut request = Request { head, body };
    let line = request.first_line().to_owned();
    let is_put = line.starts_with("PUT ");
    match fault {
        Fault::Hang => hang(),
        Fault::HangParts if !line.starts_with("POST ") && line.contains("uploadId=") => hang(),
        Fault::Answer(status, code) => return answer(&mut client, status, &error(code)),
        Fault::AnswerTimes(times, status, code) if number < times => {
            return answer(&mut client, status, &error(code));
        }
        Fault::FailCompletion if line.starts_with("POST ") && line.contains("uploadId=") => {
            return answer(&mut client, 200, &error("InternalError"));
        }
        Fault::Vanish if line.starts_with("GET ") && line.contains(".txt") && number >= 3 => {
            return answer(&mut client, 404, &error("NoSuchKey"));
        }
        Fault::Crowd if line.contains("list-type=2") && line.contains("outputs") => {
            let ours = "2016-07-30/s/bash/01ARZ3NDEKTSV4RRFFQ69G5FAV.txt";
            let foreign = |number| format!("foreign/{number}.txt");
            return answer(&mut client, 200, &listed(&line, foreign, Some(ours)));
        }
        Fault::Busy if line.contains("list-type=2") && line.contains("delimiter=") => {
            return answer(&mut client, 200, &folder(&line, BUSY_DAY));
        }
        Fault::Busy if line.contains("list-type=2") && line.contains("outputs") => {
            let day = if line.contains(BUSY_DAY) { "" } else { "2026-11-10/" };
            let ours = |number| format!("{day}s{}/bash/{}.txt", number % 100, busy_name(number));
            return answer(&mut client, 200, &listed(&line, ours, None));
        }
        Fault::Google => {
            let lines = request.head.split_inclusive("\r\n");
            let head: String = lines.filter(|line| !line.starts_with("authorization:")).collect();
            let head = head.replace("x-goog-if-generation-match: 0", "if-none-match: *");
            request.head = head.replace("x-goog-meta-", "x-amz-meta-");
        }
        Fault::Damage if is_put && !request.body.is_empty() => request.body[0] ^= 1,
        _ => {}
    }
    pass_on(client, server, &request, fault)
}

fn hang() -> ! {
    loop {
        thread::sleep(Duration::from_secs(3600));
    }
}

fn pass_on(mut client: TcpStream, server: &str, request: &Request, fault: Fault) -> io::Result<()> {
    let mut upstream = TcpStream::connect(server)?;
    let (line, rest) = request.head.split_once("\r\n").unwrap_or((&request.head, ""));
    upstream.write_all(format!("{line}\r\nConnection: close\r\n{rest}").as_bytes())?;
    upstream.write_all(&request.body)?;
    let mut answer = Vec::new();
    upstream.read_to_end(&mut answer)?;
    if fault == Fault::LoseAnswer && line.starts_with("PUT ") {
        return client.shutdown(Shutdown::Both);
    }
    match fault {
        Fault::Later => answer = with_head(&answer, later),
        Fault::Google => {
            answer = with_head(&answer, |head| head.replace("X-Amz-Meta-", "x-goog-meta-"));
        }
        _ => {}
    }
    client.write_all(&answer)
}

/// Returns an answer with a changed head.
fn with_head(answer: &[u8], change: impl Fn(&str) -> String) -> Vec<u8> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(0);
    let head = String::from_utf8_lossy(&answer[..end]);
    [change(&head).as_bytes(), &answer[end..]].concat()
}

/// Returns the head of an answer with a date that is two days later.
fn later(head: &str) -> String {
    let date = header(head, "date").unwrap_or_default();
    let time = jiff::fmt::rfc2822::parse(date).unwrap().timestamp();
    let time = time + jiff::SignedDuration::from_hours(48);
    head.replace(date, &time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string())
}

fn head_of(client: &mut TcpStream) -> io::Result<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        client.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    // One request for each connection keeps this simple.
    Ok(head.replace("connection: keep-alive\r\n", "").replace("Connection: keep-alive\r\n", ""))
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut headers = head.lines().filter_map(|line| line.split_once(':'));
    headers.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

fn error(code: &str) -> String {
    format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>no</Message></Error>")
}

fn answer(client: &mut TcpStream, status: u16, body: &str) -> io::Result<()> {
    let date = "Fri, 13 Nov 2026 12:00:00 GMT";
    let length = body.len();
    client.write_all(
        format!(
            "HTTP/1.1 {status} Answer\r\nDate: {date}\r\nContent-Type: application/xml\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .as_bytes(),
    )
}

/// The day that has a hundred thousand outputs.
pub const BUSY_DAY: &str = "2026-11-10";

/// Returns the id of the output of that day with this number. A later output has a larger number.
pub fn busy_name(number: u64) -> String {
    // Noon of that day, in milliseconds.
    let time = 1_794_312_000_000 + number;
    let digits = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let digit = |at: u32| char::from(digits[(time >> (5 * at) & 31) as usize]);
    (0..10).rev().map(digit).chain(std::iter::repeat_n('0', 16)).collect()
}

fn query(line: &str, name: &str) -> Option<String> {
    let from = line.find(&format!("{name}="))? + name.len() + 1;
    line[from..].split(['&', ' ']).next().map(|value| value.replace("%2F", "/"))
}

/// Returns a page of a list of a hundred thousand objects, with the object `last` at the end.
fn listed(line: &str, key: impl Fn(u64) -> String, last: Option<&str>) -> String {
    const PAGES: u64 = 100;
    let page = query(line, "continuation-token").and_then(|page| page.parse().ok()).unwrap_or(0);
    let prefix = query(line, "prefix").unwrap_or_default();
    let object = |key: String| {
        format!(
            "<Contents><Key>{prefix}{key}</Key><LastModified>2026-11-13T12:00:00.000Z</LastModified>\
             <ETag>\"0\"</ETag><Size>7</Size><StorageClass>STANDARD</StorageClass></Contents>"
        )
    };
    let mut objects: String = (page * 1000..(page + 1) * 1000).map(|n| object(key(n))).collect();
    let is_last = page + 1 == PAGES;
    if let Some(last) = last.filter(|_| is_last) {
        objects.push_str(&object(last.into()));
    }
    let next = if is_last {
        String::new()
    } else {
        format!("<NextContinuationToken>{}</NextContinuationToken>", page + 1)
    };
    format!(
        "<?xml version=\"1.0\"?><ListBucketResult><Name>fleet</Name><IsTruncated>{}</IsTruncated>\
         {objects}{next}</ListBucketResult>",
        !is_last
    )
}

/// Returns a list with one folder in a folder.
fn folder(line: &str, name: &str) -> String {
    let prefix = query(line, "prefix").unwrap_or_default();
    format!(
        "<?xml version=\"1.0\"?><ListBucketResult><Name>fleet</Name><IsTruncated>false</IsTruncated>\
         <CommonPrefixes><Prefix>{prefix}{name}/</Prefix></CommonPrefixes></ListBucketResult>"
    )
}
