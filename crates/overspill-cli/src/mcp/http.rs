//! Relays to a server over HTTP: streamable HTTP, or the event streams of protocol revision
//! 2024-11-05.

mod agent;
mod redirect;
mod session;

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use ureq::http::{Method, Response, Uri};
use ureq::{Agent, Body, ResponseExt};

use super::answers::{SERVER_GONE, error};
use super::frames::{Frames, Read1};
use super::pending::Ticket;
use super::probe::{Id, Message, peek};
use super::proxy::Proxy;
use super::sse::{Events, OneLine};
use super::stdio::{ClientLine, Out, from_server};

use agent::agent;
use redirect::{Call, Failed};
use session::Now;

pub(super) use super::listen::listen;

/// The time that an old server may take to name its endpoint for messages.
const ENDPOINT: Duration = Duration::from_secs(10);
/// The time that answers may take after the last message of the client.
const LEAVE: Duration = Duration::from_secs(10);

/// A server behind HTTP.
struct Remote {
    agent: Agent,
    url: String,
    headers: Vec<(String, String)>,
    proxy: Arc<Proxy>,
    out: Out,
    now: RwLock<Now>,
    /// The number of requests that wait for an answer.
    busy: AtomicUsize,
    /// The `initialize` message of the client, to begin a new session if the server forgets the old
    /// one.
    hello: Mutex<Option<Vec<u8>>>,
}

/// Relays between a client and the server at `url`; returns the exit code.
pub(super) fn relay(
    proxy: Arc<Proxy>,
    url: &str,
    headers: Vec<(String, String)>,
    line: ClientLine,
) -> u8 {
    let ClientLine { input, out, is_ours, .. } = line;
    let remote = Arc::new(Remote {
        agent: agent(url.starts_with("https:")),
        url: url.to_owned(),
        headers,
        proxy,
        out,
        now: RwLock::default(),
        busy: AtomicUsize::new(0),
        hello: Mutex::default(),
    });
    if is_ours {
        let leaving = remote.clone();
        super::server::take_signals(move |signal| {
            leaving.leave();
            std::process::exit(128 + signal);
        });
    }
    let ended = remote.from_client(input);
    let since = Instant::now();
    while remote.busy.load(Ordering::SeqCst) > 0 && since.elapsed() < LEAVE {
        std::thread::sleep(Duration::from_millis(5));
    }
    remote.leave();
    u8::from(ended.is_err())
}

impl Remote {
    fn from_client(self: &Arc<Remote>, input: Box<dyn Read + Send>) -> io::Result<()> {
        let mut frames = Frames::new(input);
        while let Some(read) = frames.next()? {
            let mut frame = match read {
                Read1::Whole(frame) | Read1::Long(frame) => frame.to_vec(),
            };
            while let Some(more) = frames.more()? {
                frame.extend_from_slice(more);
            }
            if frame.trim_ascii().is_empty() {
                continue;
            }
            let found = self.proxy.client_says(&frame);
            for question in found.questions {
                let remote = self.clone();
                self.begin(move || remote.write(&remote.proxy.answer(&question)));
            }
            let forward = found.forward.into_owned();
            if forward.is_empty() {
                continue;
            }
            let messages = peek(&forward).map(|found| found.messages).unwrap_or_default();
            let tickets = self.tickets(&messages);
            let is_hello = messages.iter().any(|m| m.method.as_deref() == Some("initialize"));
            let is_request = messages.iter().any(|m| m.method.is_some() && m.id.is_some());
            if is_hello {
                *self.hello.lock().unwrap_or_else(PoisonError::into_inner) = Some(forward.clone());
                self.send(&forward, &messages, &tickets);
                self.listen();
            } else if is_request {
                let remote = self.clone();
                self.begin(move || remote.send(&forward, &messages, &tickets));
            } else {
                // A message without an answer must arrive before the messages after it.
                self.send(&forward, &messages, &tickets);
            }
        }
        Ok(())
    }

    /// Returns the tickets of the requests among these messages.
    fn tickets(&self, messages: &[Message]) -> Vec<(Id, Ticket)> {
        let pending = self.proxy.pending();
        let requests = messages.iter().filter(|message| message.method.is_some());
        let ids = requests.filter_map(|message| message.id.as_ref());
        ids.filter_map(|id| Some((id.clone(), pending.ticket(id)?))).collect()
    }

    fn begin(self: &Arc<Remote>, work: impl FnOnce() + Send + 'static) {
        let remote = self.clone();
        self.busy.fetch_add(1, Ordering::SeqCst);
        std::thread::spawn(move || {
            work();
            remote.busy.fetch_sub(1, Ordering::SeqCst);
        });
    }

    fn write(&self, bytes: &[u8]) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = out.write_all(bytes).and_then(|()| out.flush());
    }

    /// Sends a frame and passes on its answer. A request that fails gets an error.
    fn send(self: &Arc<Remote>, frame: &[u8], messages: &[Message], tickets: &[(Id, Ticket)]) {
        let session = self.now().session;
        let attempt = || self.post(frame).and_then(|response| self.take(response, messages));
        let mut answer = attempt();
        let is_to_be_repeated = match answer {
            Ok(Taken::AnotherWay) => true,
            Ok(Taken::Forgotten) => self.renew(session.as_deref()),
            _ => false,
        };
        if is_to_be_repeated {
            answer = attempt();
        }
        let reason = match answer {
            // The answer of an old server comes later, as an event.
            Ok(_) if self.now().endpoint.is_some() => return,
            Ok(_) => "the server sent no answer to the request".to_owned(),
            Err(reason) => reason,
        };
        for (id, ticket) in tickets {
            if self.proxy.pending().lost(id, *ticket) {
                let reason = format!("{}: {reason}", self.url);
                self.write(&error(Some(id), SERVER_GONE, &reason));
            }
        }
    }

    fn post(&self, frame: &[u8]) -> Result<Response<Body>, String> {
        let now = self.now();
        let mut headers = self.all_headers(&now);
        headers.push(("Content-Type".into(), "application/json".into()));
        headers.push(("Accept".into(), "application/json, text/event-stream".into()));
        let call = Call {
            method: Method::POST,
            url: now.endpoint.as_deref().unwrap_or(&self.url),
            headers: &headers,
            body: Some(frame.trim_ascii_end()),
            timeout: None,
        };
        call.send(&self.agent).map_err(|error| error.to_string())
    }

    fn get(&self) -> Result<Response<Body>, Failed> {
        let mut headers = self.all_headers(&self.now());
        headers.push(("Accept".into(), "text/event-stream".into()));
        let (method, url) = (Method::GET, &*self.url);
        Call { method, url, headers: &headers, body: None, timeout: None }.send(&self.agent)
    }

    /// Passes on the answer in an HTTP response.
    fn take(
        self: &Arc<Remote>,
        response: Response<Body>,
        messages: &[Message],
    ) -> Result<Taken, String> {
        let is_hello = messages.iter().any(|m| m.method.as_deref() == Some("initialize"));
        let status = response.status().as_u16();
        if is_hello && matches!(status, 400 | 404 | 405) && self.now().endpoint.is_none() {
            return self.as_before();
        }
        if !is_hello && status == 404 && self.now().session.is_some() {
            return Ok(Taken::Forgotten);
        }
        let header = |name: &str| response.headers().get(name)?.to_str().ok().map(str::to_owned);
        if is_hello && let Some(session) = header("mcp-session-id") {
            self.now.write().unwrap_or_else(PoisonError::into_inner).session = Some(session);
        }
        let kind = header("content-type").unwrap_or_default().to_ascii_lowercase();
        let is_json = kind.starts_with("application/json");
        if status >= 300 && !is_json {
            return Err(format!("the server answered with HTTP status {status}"));
        }
        let body = response.into_body().into_reader();
        let out = match is_hello {
            true => self.heard(),
            false => self.out.clone(),
        };
        let passed = if kind.starts_with("text/event-stream") {
            from_server(&self.proxy, Events::new(body, None), &out, || {})
        } else if is_json {
            from_server(&self.proxy, OneLine::new(body), &out, || {})
        } else {
            return Ok(Taken::PassedOn);
        };
        passed.map(|()| Taken::PassedOn).map_err(|error| error.to_string())
    }

    /// Opens a stream for messages that the server sends without a request, if the server supports
    /// it.
    fn listen(self: &Arc<Remote>) {
        if self.now().endpoint.is_some() {
            return;
        }
        let remote = self.clone();
        std::thread::spawn(move || {
            // A server that closes the stream is asked again, up to 1,000 times.
            for _ in 0..1_000 {
                let response = match remote.get() {
                    Ok(response) => response,
                    Err(Failed::Request(_)) => return,
                    Err(Failed::Redirect(why)) => {
                        let url = &remote.url;
                        return crate::ui::warn_line(&format!("{url}: no event stream: {why}"));
                    }
                };
                let kind =
                    response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
                let is_stream = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
                if response.status().as_u16() != 200 || !is_stream {
                    return;
                }
                let body = response.into_body().into_reader();
                let _ = from_server(&remote.proxy, Events::new(body, None), &remote.out, || {});
                std::thread::sleep(Duration::from_secs(1));
            }
        });
    }

    /// Switches to revision 2024-11-05: all answers come as events of one stream.
    fn as_before(self: &Arc<Remote>) -> Result<Taken, String> {
        let response = self.get().map_err(|error| error.to_string())?;
        let status = response.status().as_u16();
        if status != 200 {
            return Err(format!("the server answered with HTTP status {status}"));
        }
        let base = response.get_uri().clone();
        let (send, endpoint) = channel();
        let body = response.into_body().into_reader();
        let remote = self.clone();
        std::thread::spawn(move || {
            let _ = from_server(&remote.proxy, Events::new(body, Some(send)), &remote.out, || {});
            let left = remote.proxy.pending().give_up();
            for id in left {
                remote.write(&error(
                    Some(&id),
                    SERVER_GONE,
                    "the server closed its stream of events",
                ));
            }
        });
        let address = endpoint
            .recv_timeout(ENDPOINT)
            .map_err(|_| "the server did not name its endpoint for messages")?;
        let address = endpoint_at(&base, &address)?.to_string();
        self.now.write().unwrap_or_else(PoisonError::into_inner).endpoint = Some(address);
        Ok(Taken::AnotherWay)
    }
}

/// The outcome of an HTTP response.
#[derive(Debug, PartialEq, Eq)]
enum Taken {
    /// The answer was passed on.
    PassedOn,
    /// The answers of this server come as events, and the request must be sent again.
    AnotherWay,
    /// The server does not know the session any more.
    Forgotten,
}

/// Resolves the endpoint that an old server names at `base`. It must have the same origin.
fn endpoint_at(base: &Uri, address: &str) -> Result<Uri, String> {
    let uri = redirect::resolve(base, address).ok_or("the server names an invalid endpoint")?;
    redirect::check_origin(base, &uri).map(|()| uri)
}
