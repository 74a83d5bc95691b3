//! Being reached by streamable HTTP: each session has a server of its own.

mod http1;
mod session;

use std::collections::HashMap;
use std::io::{self, BufReader};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::RelaySpec;
use super::probe::{Frame, Id, peek};
use super::settings::IDLE;
use super::stdio::ClientLine;
use crate::settings::SettingSources;
use crate::settings::keys::Key;
use crate::settings::variables;
use crate::{home, ui};
use http1::{JSON, Request, answer};
use session::{Session, locked};

/// Who may speak to us, and whom we speak for.
struct Host {
    asked: RelaySpec,
    token: Option<String>,
    is_loopback: bool,
    /// A session that nobody uses for so long ends.
    idle: Option<Duration>,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    /// How many servers there are.
    running: AtomicUsize,
}

/// How long servers may take to end once we were asked to.
const LEAVE: Duration = Duration::from_secs(4);

/// Listens at `address` until somebody ends us.
pub(super) fn listen(address: &str, asked: RelaySpec) -> anyhow::Result<()> {
    let listener = TcpListener::bind(address)
        .map_err(|error| anyhow::anyhow!("{address}: {}", ui::reason(&error)))?;
    let local = listener.local_addr().context("the address that we listen at")?;
    let token =
        home::variable(variables::MCP_TOKEN).map(|token| token.to_string_lossy().into_owned());
    let is_loopback = local.ip().is_loopback();
    if !is_loopback && token.is_none() {
        bail!(
            "{local}: others can reach this address, and there is no token\n\n\
             hint: set OVERSPILL_MCP_TOKEN, or listen at 127.0.0.1"
        );
    }
    ui::say(&format!("listening at http://{local}/mcp"));
    let host = Arc::new(Host {
        asked,
        token,
        is_loopback,
        idle: idle(),
        sessions: Mutex::default(),
        running: AtomicUsize::new(0),
    });
    let leaving = host.clone();
    super::server::take_signals(move |signal| leaving.leave(signal));
    let watching = host.clone();
    std::thread::spawn(move || watching.end_idle());
    for stream in listener.incoming() {
        let host = host.clone();
        match stream {
            Ok(stream) => drop(std::thread::spawn(move || host.serve(&stream))),
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
    Ok(())
}

impl Host {
    /// Answers what comes by one connection, one request after the other.
    fn serve(self: &Arc<Host>, stream: &TcpStream) {
        let _ = stream.set_nodelay(true);
        let _ = stream.set_read_timeout(self.idle);
        let mut from = BufReader::new(stream);
        loop {
            let request = match Request::read(&mut from, stream) {
                Ok(Some(request)) => request,
                Ok(None) => return,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
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
    fn respond(self: &Arc<Host>, request: &Request, stream: &TcpStream) -> io::Result<bool> {
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
                Some(session) => {
                    let _in_use = session.use_now();
                    session.wait_for(&[]).events(stream)
                }
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

    fn post(self: &Arc<Host>, request: &Request, stream: &TcpStream) -> io::Result<bool> {
        let Ok(Frame { messages, .. }) = peek(&request.body) else {
            let error = super::proxy::error(None, -32_700, "this is not JSON");
            return answer(stream, 400, &[JSON], &error);
        };
        let id = request.header("mcp-session-id");
        let is_hello = messages.iter().any(|m| m.method.as_deref() == Some("initialize"));
        let requests = messages.iter().filter(|message| message.method.is_some());
        let asked: Vec<Id> = requests.filter_map(|message| message.id.clone()).collect();
        let (id, session) = match (self.session(id), is_hello, id) {
            (Some(session), false, _) => (id.to_owned(), session),
            (_, true, _) => {
                let id = fresh();
                let session = self.begin(id.clone())?;
                (id, session)
            }
            (None, false, "") => (String::new(), self.without_session(&asked)?),
            (None, false, _) => return answer(stream, 404, &[], b"there is no such session"),
        };
        let _in_use = session.use_now();
        let waiter = (!asked.is_empty()).then(|| session.wait_for(&asked));
        if !session.say(&request.body) {
            return answer(stream, 502, &[], b"the server has ended");
        }
        let Some(waiter) = waiter else { return answer(stream, 202, &[], b"") };
        let header = Some(("Mcp-Session-Id", id.as_str())).filter(|(_, id)| !id.is_empty());
        waiter.answers(stream, header.as_slice())
    }

    /// Returns a server for clients that have no handshake, and so no session. They share one, unless
    /// somebody waits for an answer to the same id.
    fn without_session(self: &Arc<Host>, asked: &[Id]) -> io::Result<Arc<Session>> {
        let mut number = 0;
        loop {
            // No client can send such a name.
            let name = format!("\0{number}");
            match self.session(&name) {
                Some(session) if session.awaits(asked) => number += 1,
                Some(session) => return Ok(session),
                None => return self.begin(name),
            }
        }
    }

    /// Starts a server for a new session.
    fn begin(self: &Arc<Host>, id: String) -> io::Result<Arc<Session>> {
        let (input, say) = io::pipe()?;
        let session = Arc::new(Session::new(say));
        locked(&self.sessions).insert(id.clone(), session.clone());
        self.running.fetch_add(1, Ordering::SeqCst);
        let (host, own) = (self.clone(), session.clone());
        std::thread::spawn(move || {
            let out: super::stdio::Out = Arc::new(Mutex::new(Box::new(own.post())));
            host.asked.relay(ClientLine { input: Box::new(input), out, is_ours: false });
            locked(&host.sessions).remove(&id);
            own.ended();
            host.running.fetch_sub(1, Ordering::SeqCst);
        });
        Ok(session)
    }

    /// Ends sessions that nobody uses any more: clients may go without a word.
    fn end_idle(&self) {
        let Some(limit) = self.idle else { return };
        loop {
            std::thread::sleep(
                (limit / 4).clamp(Duration::from_millis(50), Duration::from_secs(60)),
            );
            locked(&self.sessions).retain(|_, session| {
                let is_idle = session.is_idle(limit);
                if is_idle {
                    session.end();
                }
                !is_idle
            });
        }
    }

    /// Ends all servers, and then us.
    fn leave(&self, signal: i32) {
        locked(&self.sessions).drain().for_each(|(_, session)| session.end());
        let since = Instant::now();
        while self.running.load(Ordering::SeqCst) > 0 && since.elapsed() < LEAVE {
            std::thread::sleep(Duration::from_millis(10));
        }
        std::process::exit(128 + signal);
    }
}

/// Returns how long a session lasts that nobody uses.
fn idle() -> Option<Duration> {
    match SettingSources::read().duration(Key::McpIdle) {
        Some(limit) => limit.and_then(|limit| Duration::try_from(limit).ok()),
        _ => Duration::try_from(IDLE).ok(),
    }
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
