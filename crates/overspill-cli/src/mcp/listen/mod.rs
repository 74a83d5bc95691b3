//! Serves MCP over streamable HTTP. Each session has its own server process.

mod line;
mod routes;
mod session;

use std::collections::HashMap;
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use hyper::body::Incoming;
use hyper::header::{ALLOW, HeaderName, HeaderValue};
use hyper::{Method, Request, StatusCode};

use super::RelaySpec;
use super::probe::{Frame, Id, peek};
use super::settings::IDLE;
use super::stdio::ClientLine;
use crate::env::Env;
use crate::serve::{
    BearerToken, Guard, REQUESTS, Refusal, Reply, SERVERS, SESSION_REST, SESSIONS, ServerLimits,
    Site, events, plain, random, read_body, reply, serve,
};
use crate::settings::SettingSources;
use crate::settings::keys::Key;
use crate::settings::variables;
use crate::ui;
use line::Post;
use session::{Session, TooManyRequests, Unheard, Waiter, locked};

/// The sessions of all clients, and the server that each of them gets.
struct Host {
    asked: RelaySpec,
    /// The time after which an unused session ends.
    idle: Option<Duration>,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    /// The number of running servers, including those of sessions that have ended.
    running: AtomicUsize,
}

/// The time that all servers together may take to end after a signal.
const LEAVE: Duration = Duration::from_secs(4);
/// The name of the file with the token, if no variable contains a token.
const TOKEN_FILE: &str = "mcp-token";
const FULL: Refusal = Refusal(StatusCode::SERVICE_UNAVAILABLE, "too many sessions are open");
const BUSY: Refusal = Refusal(
    StatusCode::SERVICE_UNAVAILABLE,
    "too many requests of this session wait for an answer",
);
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// Listens at `address` until the process ends.
pub(super) fn listen(address: &str, asked: RelaySpec) -> anyhow::Result<()> {
    let listener =
        TcpListener::bind(address).map_err(|error| anyhow!("{address}: {}", ui::reason(&error)))?;
    let local = listener.local_addr().context("cannot get the address of the listener")?;
    let env = &asked.env;
    let is_loopback = local.ip().is_loopback();
    let (token, file) = match BearerToken::from_variable(variables::MCP_TOKEN, env) {
        Some(token) => (token, None),
        None if is_loopback => {
            let (token, file) = BearerToken::from_file(TOKEN_FILE, variables::MCP_TOKEN, env)?;
            (token, Some(file))
        }
        None => bail!(
            "{local}: other machines can reach this address, but no token is set\n\n\
             hint: set OVERSPILL_MCP_TOKEN, or listen at 127.0.0.1"
        ),
    };
    ui::say(&format!("listening at http://{local}/mcp"));
    if let Some(file) = file {
        // The token itself stays out of terminals and logs.
        let file = ui::path(&file);
        ui::say(&format!("clients send the token in {file} as `Authorization: Bearer TOKEN`"));
    }
    let host = Arc::new(Host {
        idle: idle(env),
        asked,
        sessions: Mutex::default(),
        running: AtomicUsize::new(0),
    });
    let leaving = host.clone();
    super::server::take_signals(move |signal| leaving.leave(signal));
    let watching = host.clone();
    std::thread::spawn(move || watching.end_idle());
    Ok(serve(listener, Guard::Bearer { token, is_loopback }, ServerLimits::MCP, host)?)
}

impl Site for Host {
    async fn answer(self: Arc<Host>, request: Request<Incoming>, limits: ServerLimits) -> Reply {
        if !matches!(request.uri().path(), "/" | "/mcp") {
            return plain(StatusCode::NOT_FOUND, "the address is /mcp");
        }
        let id = request.headers().get(SESSION_ID).and_then(|id| id.to_str().ok());
        let id = id.unwrap_or_default().to_owned();
        match *request.method() {
            Method::POST => {
                let body = match read_body(request.into_body(), &limits).await {
                    Ok(body) => body,
                    Err(refused) => return refused.into(),
                };
                // Other clients must not wait while a long message is parsed.
                let answer = move || self.post(&id, body).unwrap_or_else(Reply::from);
                let answer = tokio::task::spawn_blocking(answer).await;
                answer.unwrap_or_else(|_| plain(StatusCode::INTERNAL_SERVER_ERROR, ""))
            }
            Method::GET => match self.session(&id) {
                Some(session) => session.wait_for(&[]).map_or_else(|_| BUSY.into(), events),
                None => not_allowed("POST, DELETE"),
            },
            Method::DELETE => match locked(&self.sessions).remove(&id) {
                Some(session) => {
                    session.end();
                    plain(StatusCode::OK, "")
                }
                None => plain(StatusCode::NOT_FOUND, ""),
            },
            _ => not_allowed("GET, POST, DELETE"),
        }
    }
}

impl Host {
    fn session(&self, id: &str) -> Option<Arc<Session>> {
        locked(&self.sessions).get(id).cloned()
    }

    /// Hands messages to the server of a session, and returns the stream of its answers.
    fn post(self: &Arc<Host>, id: &str, body: Vec<u8>) -> Result<Reply, Refusal> {
        let Ok(Frame { messages, .. }) = peek(&body) else {
            let error = super::answers::error(None, -32_700, "the message is not valid JSON");
            return Ok(reply(StatusCode::BAD_REQUEST, "application/json", error));
        };
        let is_hello = messages.iter().any(|m| m.method.as_deref() == Some("initialize"));
        let requests = messages.iter().filter(|message| message.method.is_some());
        let asked: Vec<Id> = requests.filter_map(|message| message.id.clone()).collect();
        if asked.len() > REQUESTS {
            let reason = "a list has at most 10,000 requests";
            return Err(Refusal(StatusCode::PAYLOAD_TOO_LARGE, reason));
        }
        let (id, session, waiter) = match (self.session(id), is_hello, id) {
            (Some(session), false, _) => {
                let waiter = waiter_for(&session, &asked)?;
                (id.to_owned(), session, waiter)
            }
            (_, true, _) => {
                let id = random().map_err(|_| FULL)?;
                let session = self.begin(&mut locked(&self.sessions), id.clone())?;
                let waiter = waiter_for(&session, &asked)?;
                (id, session, waiter)
            }
            (None, false, "") => {
                let (session, waiter) = self.without_session(&asked)?;
                (String::new(), session, waiter)
            }
            (None, false, _) => {
                return Err(Refusal(StatusCode::NOT_FOUND, "unknown session"));
            }
        };
        session.say(body).map_err(|unheard| match unheard {
            Unheard::ServerEnded => Refusal(StatusCode::BAD_GATEWAY, "the server has ended"),
            Unheard::ServerBusy => {
                Refusal(StatusCode::SERVICE_UNAVAILABLE, "the server does not read its messages")
            }
        })?;
        let Some(waiter) = waiter else { return Ok(plain(StatusCode::ACCEPTED, "")) };
        let mut answer = events(waiter);
        if let Ok(id) = HeaderValue::from_str(&id)
            && !id.is_empty()
        {
            answer.headers_mut().insert(SESSION_ID, id);
        }
        Ok(answer)
    }

    /// Returns a server for clients on protocol versions without sessions, and the stream for the
    /// answers. Such clients share one server, except while two of them use the same request id.
    fn without_session(
        self: &Arc<Host>,
        asked: &[Id],
    ) -> Result<(Arc<Session>, Option<Waiter>), Refusal> {
        // The lock is kept until the server is known: two first requests must not start two
        // servers.
        let mut sessions = locked(&self.sessions);
        let mut number = 0;
        loop {
            // No HTTP header can contain such a name.
            let name = format!("\0{number}");
            let Some(session) = sessions.get(&name).cloned() else {
                let session = self.begin(&mut sessions, name)?;
                let waiter = waiter_for(&session, asked)?;
                return Ok((session, waiter));
            };
            if asked.is_empty() {
                return Ok((session, None));
            }
            if let Some(waiter) = session.wait_alone_for(asked) {
                return Ok((session, Some(waiter)));
            }
            number += 1;
        }
    }

    /// Starts a server for a new session.
    fn begin(
        self: &Arc<Host>,
        sessions: &mut HashMap<String, Arc<Session>>,
        id: String,
    ) -> Result<Arc<Session>, Refusal> {
        if sessions.len() >= SESSIONS {
            end_longest_unused(sessions, SESSION_REST);
        }
        let running = self.running.load(Ordering::SeqCst);
        if sessions.len() >= SESSIONS || running >= SERVERS {
            return Err(FULL);
        }
        let (session, input, hung_up) = Session::new();
        self.running.fetch_add(1, Ordering::SeqCst);
        let (host, own, name) = (self.clone(), session.clone(), id.clone());
        let relay = move || {
            let out: super::stdio::Out =
                Arc::new(Mutex::new(Box::new(Post::new(own.clone(), host.asked.env.clone()))));
            let (input, hung_up) = (Box::new(input), Some(hung_up));
            host.asked.relay(ClientLine { input, out, hung_up, is_ours: false });
            host.ended(&name, &own);
        };
        // The thread waits for the lock before it forgets the session.
        if std::thread::Builder::new().spawn(relay).is_err() {
            self.running.fetch_sub(1, Ordering::SeqCst);
            return Err(FULL);
        }
        sessions.insert(id, session.clone());
        Ok(session)
    }

    /// Forgets a session whose server has ended. Another session may have its name by now.
    fn ended(&self, id: &str, session: &Arc<Session>) {
        let mut sessions = locked(&self.sessions);
        if sessions.get(id).is_some_and(|found| Arc::ptr_eq(found, session)) {
            sessions.remove(id);
        }
        session.ended();
        self.running.fetch_sub(1, Ordering::SeqCst);
    }

    /// Ends unused sessions, because clients may leave without a message.
    fn end_idle(&self) {
        let Some(limit) = self.idle else { return };
        let pause = (limit / 4).clamp(Duration::from_millis(50), Duration::from_secs(60));
        loop {
            std::thread::sleep(pause);
            locked(&self.sessions).retain(|_, session| {
                let is_idle = session.unused_for() >= Some(limit);
                if is_idle {
                    session.end();
                }
                !is_idle
            });
        }
    }

    /// Ends all servers, and then this process.
    fn leave(&self, signal: i32) {
        locked(&self.sessions).drain().for_each(|(_, session)| session.end());
        let since = Instant::now();
        while self.running.load(Ordering::SeqCst) > 0 && since.elapsed() < LEAVE {
            std::thread::sleep(Duration::from_millis(10));
        }
        std::process::exit(128 + signal);
    }
}

/// Ends the session that is unused for the longest time, if that time is at least `rest`.
fn end_longest_unused(sessions: &mut HashMap<String, Arc<Session>>, rest: Duration) {
    let unused = sessions.iter().filter_map(|(id, session)| Some((session.unused_for()?, id)));
    let Some((time, id)) = unused.max() else { return };
    let id = id.clone();
    if time >= rest
        && let Some(session) = sessions.remove(&id)
    {
        session.end();
    }
}

/// Opens a stream for the answers to these requests, if there are any.
fn waiter_for(session: &Arc<Session>, asked: &[Id]) -> Result<Option<Waiter>, TooManyRequests> {
    (!asked.is_empty()).then(|| session.wait_for(asked)).transpose()
}

impl From<TooManyRequests> for Refusal {
    fn from(_: TooManyRequests) -> Refusal {
        BUSY
    }
}

fn not_allowed(instead: &'static str) -> Reply {
    let mut answer = plain(StatusCode::METHOD_NOT_ALLOWED, "");
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(instead));
    answer
}

/// Returns the time after which an unused session ends.
fn idle(env: &Env) -> Option<Duration> {
    match SettingSources::read(env).duration(Key::McpIdle) {
        Some(limit) => limit.and_then(|limit| Duration::try_from(limit).ok()),
        _ => Duration::try_from(IDLE).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_unused_for_the_longest_time_makes_room() {
        let (used, ..) = Session::new();
        let stream = used.wait_for(&[]).unwrap();
        let others = ["first", "second"].map(|name| {
            std::thread::sleep(Duration::from_millis(5));
            (name.to_owned(), Session::new().0)
        });
        let mut sessions = HashMap::from(others);
        sessions.insert("used".into(), used);
        end_longest_unused(&mut sessions, Duration::from_secs(60));
        assert_eq!(sessions.len(), 3);
        end_longest_unused(&mut sessions, Duration::ZERO);
        assert!(sessions.len() == 2 && !sessions.contains_key("first"));
        end_longest_unused(&mut sessions, Duration::ZERO);
        end_longest_unused(&mut sessions, Duration::ZERO);
        assert!(sessions.len() == 1 && sessions.contains_key("used"));
        drop(stream);
        end_longest_unused(&mut sessions, Duration::ZERO);
        assert!(sessions.is_empty());
    }

    #[test]
    fn first_requests_without_a_session_share_one_server() {
        let server = super::super::ServerAddress::Command(vec!["cat".into()]);
        let asked =
            RelaySpec { server, name: String::new(), all_outputs: false, env: Env::of_process() };
        for _ in 0..100 {
            let host = Arc::new(Host {
                asked: asked.clone(),
                idle: None,
                sessions: Mutex::default(),
                running: AtomicUsize::new(0),
            });
            let start = std::sync::Barrier::new(8);
            std::thread::scope(|scope| {
                for id in 0..8 {
                    let (start, host) = (&start, &host);
                    scope.spawn(move || {
                        let ids = [Id(id.to_string())];
                        start.wait();
                        assert!(host.without_session(&ids).is_ok());
                    });
                }
            });
            assert_eq!(host.running.load(Ordering::SeqCst), 1, "one server for all");
            locked(&host.sessions).drain().for_each(|(_, session)| session.end());
        }
    }

    #[test]
    fn message_for_a_server_that_does_not_read_is_refused_at_the_limit() {
        let (session, mut input, _) = Session::new();
        let long = || [b"\r\n{", &vec![b' '; 50 << 20][..]].concat();
        assert!(session.say(long()).is_ok() && session.say(long()).is_ok());
        assert!(matches!(session.say(long()), Err(Unheard::ServerBusy)));
        let mut start = [1; 3];
        std::io::Read::read_exact(&mut input, &mut start).unwrap();
        assert_eq!(&start, b"  {");
        assert!(session.say(long()).is_ok());
        session.end();
        assert!(matches!(session.say(vec![]), Err(Unheard::ServerEnded)));
    }
}
