//! A session of one client, and the input and output of its server.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Cursor, Read};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::super::probe::Id;
use super::routes::{Heard, Route, Routes};
use crate::serve::{EventSource, REQUESTS, STREAMS, ServerEvent, UNREAD};

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A session of one client with its own server.
pub(super) struct Session {
    input: Mutex<Option<ServerInput>>,
    /// The number of bytes that the server has not read yet.
    unread: Arc<AtomicUsize>,
    pub(super) routes: Mutex<Routes>,
}

/// The sender of messages to the server.
struct ServerInput {
    lines: Sender<Vec<u8>>,
    /// A channel that closes with the session, even while the server does not read.
    _hang_up: Sender<()>,
}

impl Session {
    /// Creates a session, the input of its server, and a channel that closes with the session.
    pub(super) fn new() -> (Arc<Session>, Input, Receiver<()>) {
        let routes = Routes {
            requests: HashMap::new(),
            awaited: 0,
            is_reported: false,
            listeners: Vec::new(),
            waiters: Vec::new(),
            last: 0,
            unheard: VecDeque::new(),
            last_use: Instant::now(),
            is_over: false,
        };
        let (send, lines) = channel();
        let (hang_up, hung_up) = channel();
        let unread = Arc::new(AtomicUsize::new(0));
        let input = Input { lines, line: Cursor::default(), unread: unread.clone() };
        let server = Mutex::new(Some(ServerInput { lines: send, _hang_up: hang_up }));
        (Arc::new(Session { input: server, unread, routes: routes.into() }), input, hung_up)
    }

    /// Returns for how long no client has used the session, or `None` while a client uses it.
    pub(super) fn unused_for(&self) -> Option<Duration> {
        let routes = locked(&self.routes);
        let is_used = !routes.listeners.is_empty() || !routes.waiters.is_empty();
        (!is_used).then(|| routes.last_use.elapsed())
    }

    /// Opens a stream for the answers to these requests or, without requests, for all other
    /// messages.
    pub(super) fn wait_for(self: &Arc<Session>, ids: &[Id]) -> Result<Waiter, TooManyRequests> {
        self.open(&mut locked(&self.routes), ids)
    }

    /// Like [`wait_for`](Session::wait_for), but returns `None` if a request with one of these ids,
    /// or too many requests, already wait.
    pub(super) fn wait_alone_for(self: &Arc<Session>, ids: &[Id]) -> Option<Waiter> {
        // One lock for both steps: if two clients use the same id, only one may find it free.
        let mut routes = locked(&self.routes);
        if ids.iter().any(|id| routes.requests.contains_key(id)) {
            return None;
        }
        self.open(&mut routes, ids).ok()
    }

    fn open(
        self: &Arc<Session>,
        routes: &mut Routes,
        ids: &[Id],
    ) -> Result<Waiter, TooManyRequests> {
        if routes.awaited + ids.len() > REQUESTS
            || routes.listeners.len() + routes.waiters.len() >= STREAMS
        {
            return Err(TooManyRequests);
        }
        let (send, heard) = unbounded_channel();
        routes.last += 1;
        let queued = Arc::new(AtomicUsize::new(0));
        let route = Route { stream: routes.last, send, queued: queued.clone() };
        if !routes.is_over {
            for id in ids {
                routes.requests.entry(id.clone()).or_default().push_back(route.clone());
            }
            routes.awaited += ids.len();
            let all = if ids.is_empty() { &mut routes.listeners } else { &mut routes.waiters };
            all.push(route);
            routes.send_unheard();
        }
        let left = (!ids.is_empty()).then_some(ids.len());
        Ok(Waiter { session: self.clone(), number: routes.last, heard, queued, left })
    }

    /// Hands a message to the server, without waiting until the server reads it.
    pub(super) fn say(&self, mut message: Vec<u8>) -> Result<(), Unheard> {
        locked(&self.routes).last_use = Instant::now();
        // A line break within a message would end the message.
        let mut at = 0;
        while let Some(found) = memchr::memchr2(b'\n', b'\r', &message[at..]) {
            message[at + found] = b' ';
            at += found + 1;
        }
        message.push(b'\n');
        let len = message.len();
        if self.unread.fetch_add(len, Ordering::SeqCst) + len > UNREAD {
            self.unread.fetch_sub(len, Ordering::SeqCst);
            return Err(Unheard::ServerBusy);
        }
        let input = locked(&self.input);
        let sent = input.as_ref().and_then(|input| input.lines.send(message).ok());
        if sent.is_none() {
            self.unread.fetch_sub(len, Ordering::SeqCst);
        }
        sent.ok_or(Unheard::ServerEnded)
    }

    /// Closes the input of the server, so that the server ends.
    pub(super) fn end(&self) {
        drop(locked(&self.input).take());
    }

    /// Ends all streams after the server has ended.
    pub(super) fn ended(&self) {
        self.end();
        let mut routes = locked(&self.routes);
        routes.is_over = true;
        routes.requests.clear();
        routes.awaited = 0;
        routes.listeners.clear();
        routes.waiters.clear();
    }
}

/// The error for a session with too many waiting requests or too many open streams.
#[derive(Debug)]
pub(super) struct TooManyRequests;

/// The reason why a message does not reach the server.
pub(super) enum Unheard {
    ServerEnded,
    ServerBusy,
}

/// The messages of a client, as the input of its server.
pub(super) struct Input {
    lines: Receiver<Vec<u8>>,
    line: Cursor<Vec<u8>>,
    unread: Arc<AtomicUsize>,
}

impl Read for Input {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.line.position() == self.line.get_ref().len() as u64 {
            let Ok(line) = self.lines.recv() else { return Ok(0) };
            self.unread.fetch_sub(line.len(), Ordering::SeqCst);
            self.line = Cursor::new(line);
        }
        self.line.read(to)
    }
}

/// A stream of messages of the server.
pub(super) struct Waiter {
    session: Arc<Session>,
    number: u64,
    heard: UnboundedReceiver<Heard>,
    queued: Arc<AtomicUsize>,
    /// The number of answers that are still to come, if the stream ends with the last one.
    left: Option<usize>,
}

impl EventSource for Waiter {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<ServerEvent>> {
        if self.left == Some(0) {
            return Poll::Ready(None);
        }
        let Some(heard) = ready!(self.heard.poll_recv(context)) else { return Poll::Ready(None) };
        self.left = self.left.map(|left| left.saturating_sub(heard.answers));
        self.queued.fetch_sub(heard.bytes, Ordering::SeqCst);
        if heard.bytes > 0 {
            // Now the queue may have room for waiting messages.
            locked(&self.session.routes).send_unheard();
        }
        Poll::Ready(Some(heard.event))
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut routes = locked(&self.session.routes);
        routes.last_use = Instant::now();
        routes.listeners.retain(|route| route.stream != self.number);
        routes.waiters.retain(|route| route.stream != self.number);
        // Other streams get the messages that this stream did not take, except answers.
        while let Ok(heard) = self.heard.try_recv() {
            if heard.answers == 0 {
                routes.send_or_keep(heard);
            }
        }
    }
}

#[cfg(test)]
impl Waiter {
    /// Returns the number of bytes that the client has not read yet.
    pub(super) fn queued(&self) -> usize {
        self.queued.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
impl Session {
    /// Returns the number of bytes of messages that wait for a client.
    pub(super) fn held(&self) -> usize {
        let routes = locked(&self.routes);
        let streams = routes.listeners.iter().chain(&routes.waiters);
        let queued = streams.map(|route| route.queued.load(Ordering::SeqCst)).sum::<usize>();
        queued + routes.unheard.iter().map(|heard| heard.bytes).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(id: usize) -> Id {
        Id(id.to_string())
    }

    #[test]
    fn requests_over_the_limit_are_refused_until_answers_come() {
        let (session, ..) = Session::new();
        let ids: Vec<Id> = (0..REQUESTS).map(id).collect();
        // The client leaves without its answers.
        drop(session.wait_for(&ids).unwrap());
        assert!(session.wait_for(&[id(REQUESTS)]).is_err());
        assert!(session.wait_alone_for(&[id(REQUESTS)]).is_none());
        locked(&session.routes).fail(vec![id(5)], "");
        assert!(session.wait_for(&[id(REQUESTS)]).is_ok());
    }

    #[test]
    fn streams_over_the_limit_are_refused() {
        let (session, ..) = Session::new();
        let mut streams: Vec<Waiter> =
            (0..STREAMS).map(|_| session.wait_for(&[]).unwrap()).collect();
        assert!(session.wait_for(&[]).is_err());
        streams.pop();
        assert!(session.wait_for(&[]).is_ok());
    }

    #[test]
    fn answer_for_a_client_that_left_reaches_no_other() {
        let (session, ..) = Session::new();
        drop(session.wait_for(&[id(1)]).unwrap());
        assert!(session.wait_alone_for(&[id(1)]).is_none());
        let mut next = session.wait_for(&[id(1)]).unwrap();
        let heard = |text: &[u8]| Heard {
            event: ServerEvent { start: text.to_vec(), rest: None },
            bytes: text.len(),
            answers: 0,
        };
        let mut routes = locked(&session.routes);
        routes.deliver(heard(b"first"), vec![id(1)]);
        routes.deliver(heard(b"second"), vec![id(1)]);
        assert!(routes.requests.is_empty() && routes.awaited == 0);
        drop(routes);
        let Poll::Ready(Some(event)) =
            next.poll_next(&mut Context::from_waker(std::task::Waker::noop()))
        else {
            panic!("no answer")
        };
        assert_eq!(event.start, b"second");
    }
}
