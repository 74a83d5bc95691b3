//! Being reached by streamable HTTP: each session has a server of its own.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, ErrorKind, PipeWriter, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, bail};

use super::Asked;
use super::peek::{Frame, Id, peek};
use super::stdio::Line;
use crate::{home, ui};

/// What may be in the head of a request, and in its body.
const HEAD: usize = 64 << 10;
const BODY: u64 = 256 << 20;
/// Nothing is heard for so long: a sign of life keeps whoever stands between from hanging up.
const SILENCE: Duration = Duration::from_secs(15);

/// Who may speak to us, and whom we speak for.
struct Host {
    asked: Asked,
    token: Option<String>,
    is_loopback: bool,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
}

/// One client, and the server that it has.
struct Session {
    input: Mutex<Option<PipeWriter>>,
    waiting: Arc<Mutex<Waiting>>,
}

/// Where messages of the server go.
#[derive(Default)]
struct Waiting {
    /// Requests, and who waits for their answers.
    requests: HashMap<Id, Sender<Vec<u8>>>,
    /// Whoever hears what is no answer.
    listener: Option<Sender<Vec<u8>>>,
    /// What nobody has heard yet.
    unheard: Vec<Vec<u8>>,
}

/// Messages that nobody hears are kept up to this number.
const UNHEARD: usize = 1_000;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Listens at `address` until somebody ends us.
pub(super) fn listen(address: &str, asked: Asked) -> anyhow::Result<()> {
    let listener = TcpListener::bind(address)
        .map_err(|error| anyhow::anyhow!("{address}: {}", ui::reason(&error)))?;
    let local = listener.local_addr().context("the address that we listen at")?;
    let token =
        home::variable("OVERSPILL_MCP_TOKEN").map(|token| token.to_string_lossy().into_owned());
    let is_loopback = local.ip().is_loopback();
    if !is_loopback && token.is_none() {
        bail!(
            "{local}: others can reach this address, and there is no token\n\n\
             hint: set OVERSPILL_MCP_TOKEN, or listen at 127.0.0.1"
        );
    }
    super::server::ignore_gone_readers();
    ui::say(&format!("listening at http://{local}/mcp"));
    let host = Arc::new(Host { asked, token, is_loopback, sessions: Mutex::default() });
    for stream in listener.incoming() {
        let host = host.clone();
        match stream {
            Ok(stream) => drop(std::thread::spawn(move || host.serve(&stream))),
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
    Ok(())
}

/// A request, as far as we look at it.
#[derive(Debug, Default)]
struct Request {
    method: String,
    path: String,
    headers: HashMap<String, String>,
    body: Vec<u8>,
}

impl Request {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// Reads the next request; nothing at the end of the connection.
    fn read(from: &mut BufReader<&TcpStream>, to: &TcpStream) -> io::Result<Option<Request>> {
        let bad = |what: &str| io::Error::new(ErrorKind::InvalidData, what.to_owned());
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") && !head.ends_with(b"\n\n") {
            let before = head.len();
            from.by_ref().take((HEAD - before) as u64).read_until(b'\n', &mut head)?;
            match head.len() {
                0 => return Ok(None),
                len if len == before || len >= HEAD => return Err(bad("the head is too long")),
                _ => {}
            }
        }
        let mut headers = [httparse::EMPTY_HEADER; 100];
        let mut parsed = httparse::Request::new(&mut headers);
        parsed.parse(&head).map_err(|error| bad(&error.to_string()))?;
        let mut request = Request {
            method: parsed.method.unwrap_or_default().to_owned(),
            path: parsed.path.unwrap_or_default().to_owned(),
            ..Request::default()
        };
        for header in parsed.headers.iter() {
            let value = String::from_utf8_lossy(header.value).into_owned();
            request.headers.insert(header.name.to_ascii_lowercase(), value);
        }
        if request.header("expect").eq_ignore_ascii_case("100-continue") {
            let mut to = to;
            to.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        if request.header("transfer-encoding").eq_ignore_ascii_case("chunked") {
            request.body = chunked(from)?;
        } else if let Ok(len) = request.header("content-length").parse::<u64>() {
            if len > BODY {
                return Err(bad("the body is too long"));
            }
            from.by_ref().take(len).read_to_end(&mut request.body)?;
        }
        Ok(Some(request))
    }
}

fn chunked(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let bad = || io::Error::from(ErrorKind::InvalidData);
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        from.by_ref().take(100).read_line(&mut line)?;
        let size = line.trim().split(';').next().unwrap_or_default();
        let size = u64::from_str_radix(size, 16).map_err(|_| bad())?;
        if body.len() as u64 + size > BODY {
            return Err(bad());
        }
        from.by_ref().take(size).read_to_end(&mut body)?;
        line.clear();
        from.by_ref().take(100).read_line(&mut line)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

impl Host {
    /// Answers what comes by one connection, one request after the other.
    fn serve(&self, stream: &TcpStream) {
        let _ = stream.set_nodelay(true);
        let mut from = BufReader::new(stream);
        loop {
            let request = match Request::read(&mut from, stream) {
                Ok(Some(request)) => request,
                Ok(None) => return,
                Err(_) => {
                    return drop(answer(stream, 400, &[], b"this is not a request of HTTP/1.1"));
                }
            };
            let goes_on = self.respond(&request, stream);
            if !matches!(goes_on, Ok(true))
                || request.header("connection").eq_ignore_ascii_case("close")
            {
                return;
            }
        }
    }

    /// Answers a request; tells whether another can follow it.
    fn respond(&self, request: &Request, stream: &TcpStream) -> io::Result<bool> {
        if !self.is_welcome(request) {
            return answer(stream, 403, &[], b"requests from this origin are not answered");
        }
        if let Some(token) = &self.token
            && !is_same(request.header("authorization"), &format!("Bearer {token}"))
        {
            return answer(
                stream,
                401,
                &[("WWW-Authenticate", "Bearer")],
                b"a bearer token is needed",
            );
        }
        if !matches!(request.path.split('?').next(), Some("/" | "/mcp")) {
            return answer(stream, 404, &[], b"the address is /mcp");
        }
        let id = request.header("mcp-session-id");
        match request.method.as_str() {
            "POST" => self.post(request, stream),
            "GET" => match self.session(id) {
                Some(session) => session.events(stream),
                None => answer(stream, 405, &[("Allow", "POST, DELETE")], b""),
            },
            "DELETE" => {
                let session = locked(&self.sessions).remove(id);
                let status = if session.is_some() { 200 } else { 404 };
                session.inspect(|session| session.end());
                answer(stream, status, &[], b"")
            }
            _ => answer(stream, 405, &[("Allow", "GET, POST, DELETE")], b""),
        }
    }

    /// Tells whether a request does not come from some page in a browser.
    fn is_welcome(&self, request: &Request) -> bool {
        let host = |name: &str| {
            let host = name.split("://").last().unwrap_or(name);
            let host = host.split('/').next().unwrap_or(host);
            let end = host.rfind(':').filter(|at| !host[*at..].contains(']')).unwrap_or(host.len());
            ["localhost", "127.0.0.1", "[::1]"].contains(&&host[..end])
        };
        let origin = request.header("origin");
        // A name that leads here may be anybody's; only our own names are ours.
        (origin.is_empty() || host(origin)) && (!self.is_loopback || host(request.header("host")))
    }

    fn session(&self, id: &str) -> Option<Arc<Session>> {
        locked(&self.sessions).get(id).cloned()
    }

    fn post(&self, request: &Request, stream: &TcpStream) -> io::Result<bool> {
        let Ok(Frame { messages, .. }) = peek(&request.body) else {
            let error = super::proxy::error(None, -32_700, "this is not JSON");
            return answer(stream, 400, &[JSON], &error);
        };
        let id = request.header("mcp-session-id");
        let is_hello = messages.iter().any(|m| m.method.as_deref() == Some("initialize"));
        // A client that has no handshake has no session either; all of them share one server.
        let (id, session) = match (self.session(id), is_hello, id) {
            (Some(session), false, _) => (id.to_owned(), session),
            (_, true, _) => self.begin(fresh())?,
            (None, false, "") => match self.session("") {
                Some(session) => (String::new(), session),
                None => self.begin(String::new())?,
            },
            (None, false, _) => return answer(stream, 404, &[], b"there is no such session"),
        };
        let asked: Vec<Id> = messages
            .iter()
            .filter(|message| message.method.is_some())
            .filter_map(|message| message.id.clone())
            .collect();
        let (send, heard) = channel();
        let mut waiting = locked(&session.waiting);
        for id in &asked {
            waiting.requests.insert(id.clone(), send.clone());
        }
        if !asked.is_empty() && waiting.listener.is_none() {
            waiting.listener = Some(send.clone());
            let unheard = std::mem::take(&mut waiting.unheard);
            unheard.into_iter().for_each(|message| drop(send.send(message)));
        }
        drop((waiting, send));
        if !session.say(&request.body) {
            locked(&self.sessions).remove(&id);
            return answer(stream, 502, &[], b"the server has ended");
        }
        if asked.is_empty() {
            return answer(stream, 202, &[], b"");
        }
        let session_header = Some(("Mcp-Session-Id", id.as_str())).filter(|(_, id)| !id.is_empty());
        session.answers(stream, &heard, asked.len(), session_header)
    }

    /// Starts a server for a new session.
    fn begin(&self, id: String) -> io::Result<(String, Arc<Session>)> {
        let (input, say) = io::pipe()?;
        let waiting = Arc::new(Mutex::new(Waiting::default()));
        let session = Arc::new(Session { input: Mutex::new(Some(say)), waiting: waiting.clone() });
        locked(&self.sessions).insert(id.clone(), session.clone());
        let asked = self.asked.clone();
        std::thread::spawn(move || {
            let post = Post { waiting: waiting.clone(), line: Vec::new() };
            let out: super::stdio::Out = Arc::new(Mutex::new(Box::new(post)));
            asked.relay(Line { input: Box::new(input), out, is_ours: false });
            // Whoever still waits learns that nobody answers.
            *locked(&waiting) = Waiting::default();
        });
        Ok((id, session))
    }
}

impl Session {
    fn say(&self, body: &[u8]) -> bool {
        let mut line: Vec<u8> = body
            .iter()
            .map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte })
            .collect();
        line.push(b'\n');
        locked(&self.input).as_mut().is_some_and(|input| input.write_all(&line).is_ok())
    }

    fn end(&self) {
        drop(locked(&self.input).take());
    }

    /// Writes messages as events until so many requests are answered.
    fn answers(
        &self,
        mut stream: &TcpStream,
        heard: &Receiver<Vec<u8>>,
        mut left: usize,
        session: Option<(&str, &str)>,
    ) -> io::Result<bool> {
        let mut head = String::from(EVENTS);
        if let Some((name, value)) = session {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{head}\r\n").as_bytes())?;
        while left > 0 {
            let Some(message) = next(heard, stream)? else { break };
            left -= usize::from(
                peek(&message).is_ok_and(|found| found.messages.iter().any(|m| m.is_answer())),
            );
            event(stream, &message)?;
        }
        locked(&self.waiting).listener = None;
        stream.write_all(b"0\r\n\r\n")?;
        Ok(left == 0)
    }

    /// Writes what the server says by itself, as long as there is somebody to hear it.
    fn events(&self, mut stream: &TcpStream) -> io::Result<bool> {
        let (send, heard) = channel();
        let mut waiting = locked(&self.waiting);
        let unheard = std::mem::take(&mut waiting.unheard);
        unheard.into_iter().for_each(|message| drop(send.send(message)));
        waiting.listener = Some(send);
        drop(waiting);
        stream.write_all(format!("{EVENTS}\r\n").as_bytes())?;
        while let Some(message) = next(&heard, stream)? {
            event(stream, &message)?;
        }
        stream.write_all(b"0\r\n\r\n")?;
        Ok(false)
    }
}

/// Returns the next message, with signs of life while there is none.
fn next(heard: &Receiver<Vec<u8>>, mut stream: &TcpStream) -> io::Result<Option<Vec<u8>>> {
    loop {
        match heard.recv_timeout(SILENCE) {
            Ok(message) => return Ok(Some(message)),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return Ok(None),
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                stream.write_all(b"3\r\n:\n\n\r\n")?
            }
        }
    }
}

/// Takes what the client gets, and hands each message to whoever waits for it.
struct Post {
    waiting: Arc<Mutex<Waiting>>,
    line: Vec<u8>,
}

impl Write for Post {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.deliver();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Post {
    fn deliver(&mut self) {
        let message = std::mem::take(&mut self.line).trim_ascii_end().to_vec();
        // What is not JSON would be none of a stream of events either.
        let Ok(Frame { messages, .. }) = peek(&message) else { return };
        let mut waiting = locked(&self.waiting);
        let answered = messages.iter().filter(|message| message.is_answer());
        let ids: Vec<Id> = answered.filter_map(|message| message.id.clone()).collect();
        let mut to = None;
        for id in &ids {
            to = waiting.requests.remove(id).or(to);
        }
        let to = if ids.is_empty() { waiting.listener.clone() } else { to };
        let unheard = match to {
            Some(to) => to.send(message).err().map(|error| error.0),
            None => Some(message),
        };
        if ids.is_empty()
            && let Some(message) = unheard
            && waiting.unheard.len() < UNHEARD
        {
            waiting.listener = None;
            waiting.unheard.push(message);
        }
    }
}

const JSON: (&str, &str) = ("Content-Type", "application/json");
const EVENTS: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n\
                      Transfer-Encoding: chunked\r\n";

fn event(mut stream: &TcpStream, message: &[u8]) -> io::Result<()> {
    const AROUND: usize = "event: message\ndata: \n\n".len();
    let head = format!("{:x}\r\nevent: message\ndata: ", message.len() + AROUND);
    stream.write_all(&[head.as_bytes(), message, b"\n\n\r\n"].concat())
}

/// Answers with a status and a body; another request can follow.
fn answer(
    mut stream: &TcpStream,
    status: u16,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<bool> {
    let word = match status {
        200 => "OK",
        202 => "Accepted",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        _ => "Bad Gateway",
    };
    let mut head = format!("HTTP/1.1 {status} {word}\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(&[format!("{head}\r\n").as_bytes(), body].concat())?;
    Ok(true)
}

/// Compares without telling by the time it takes how much was right.
fn is_same(one: &str, other: &str) -> bool {
    let differ = one.bytes().zip(other.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differ == 0
}

/// Returns the name of a session that nobody can guess.
fn fresh() -> String {
    use std::hash::{BuildHasher, Hasher, RandomState};
    let word = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", word(), word())
}
