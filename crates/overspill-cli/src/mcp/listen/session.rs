//! One client, and the server that it has.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Cursor, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::super::probe::{Frame, Id, peek};
use crate::serve::{EventSource, UNREAD};

/// How many messages, of [`UNREAD`] bytes together, are kept while no stream of the client is open.
const UNHEARD: usize = 1_000;

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One client, and the server that it has.
pub(super) struct Session {
    input: Mutex<Option<ServerInput>>,
    /// How many bytes the server has not read yet.
    unread: Arc<AtomicUsize>,
    routes: Mutex<Routes>,
}

/// The way to the server.
struct ServerInput {
    lines: Sender<Vec<u8>>,
    /// Closes with the way, even while the server does not read.
    _hang_up: Sender<()>,
}

/// A message of the server, and how many answers are in it.
struct Heard {
    message: Vec<u8>,
    answers: usize,
}

/// Where messages of the server go.
struct Routes {
    /// Requests, and the streams that wait for their answers: the first that asked gets the first answer.
    requests: HashMap<Id, VecDeque<UnboundedSender<Heard>>>,
    /// Streams for messages that are no answer.
    listeners: Vec<(u64, UnboundedSender<Heard>)>,
    /// Streams for answers, which get other messages if there is no listener.
    waiters: Vec<(u64, UnboundedSender<Heard>)>,
    /// The number of the last stream.
    last: u64,
    /// Messages that no stream has taken yet.
    unheard: VecDeque<Heard>,
    last_use: Instant,
    /// The server has ended.
    is_over: bool,
}

impl Session {
    /// Makes a session, the input of its server, and a channel that closes with the session.
    pub(super) fn new() -> (Arc<Session>, Input, Receiver<()>) {
        let routes = Routes {
            requests: HashMap::new(),
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

    /// Returns how long no client has used it, or nothing while one does.
    pub(super) fn unused_for(&self) -> Option<Duration> {
        let routes = locked(&self.routes);
        let is_used = !routes.listeners.is_empty() || !routes.waiters.is_empty();
        (!is_used).then(|| routes.last_use.elapsed())
    }

    /// Tells whether a client waits for an answer to a request with one of these ids.
    pub(super) fn awaits(&self, ids: &[Id]) -> bool {
        let routes = locked(&self.routes);
        ids.iter().any(|id| routes.requests.contains_key(id))
    }

    /// Opens a stream for the answers to these requests or, without requests, for all other messages.
    pub(super) fn wait_for(self: &Arc<Session>, ids: &[Id]) -> Waiter {
        let (send, heard) = unbounded_channel();
        let mut routes = locked(&self.routes);
        routes.last += 1;
        let number = routes.last;
        if !routes.is_over {
            for id in ids {
                routes.requests.entry(id.clone()).or_default().push_back(send.clone());
            }
            let all = if ids.is_empty() { &mut routes.listeners } else { &mut routes.waiters };
            all.push((number, send));
            routes.send_unheard();
        }
        drop(routes);
        let left = (!ids.is_empty()).then_some(ids.len());
        Waiter { session: self.clone(), number, heard, left }
    }

    /// Hands a message to the server, without waiting until it reads the message.
    pub(super) fn say(&self, mut message: Vec<u8>) -> Result<(), Unheard> {
        locked(&self.routes).last_use = Instant::now();
        // A line break within a message would end it.
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
        sent.ok_or(Unheard::ServerEnded)
    }

    /// Closes the input of the server, which then ends.
    pub(super) fn end(&self) {
        drop(locked(&self.input).take());
    }

    /// Ends all streams, since the server has ended.
    pub(super) fn ended(&self) {
        self.end();
        let mut routes = locked(&self.routes);
        routes.is_over = true;
        routes.requests.clear();
        routes.listeners.clear();
        routes.waiters.clear();
    }
}

/// Why a message does not reach the server.
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
    /// How many answers are still to come, if the stream ends with the last one.
    left: Option<usize>,
}

impl EventSource for Waiter {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        if self.left == Some(0) {
            return Poll::Ready(None);
        }
        let Some(heard) = ready!(self.heard.poll_recv(context)) else { return Poll::Ready(None) };
        self.left = self.left.map(|left| left.saturating_sub(heard.answers));
        Poll::Ready(Some(heard.message))
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut routes = locked(&self.session.routes);
        routes.last_use = Instant::now();
        routes.listeners.retain(|(number, _)| *number != self.number);
        routes.waiters.retain(|(number, _)| *number != self.number);
        // Messages that it did not take are for other streams, unless they are answers.
        while let Ok(heard) = self.heard.try_recv() {
            if heard.answers == 0 {
                routes.send_or_keep(heard);
            }
        }
    }
}

impl Routes {
    /// Sends the messages that wait for a stream.
    fn send_unheard(&mut self) {
        for heard in std::mem::take(&mut self.unheard) {
            self.send_or_keep(heard);
        }
    }

    /// Sends a message that is no answer to one stream, or keeps it for the next one.
    fn send_or_keep(&mut self, mut heard: Heard) {
        for (_, to) in self.listeners.iter().chain(&self.waiters) {
            match to.send(heard) {
                Ok(()) => return,
                Err(error) => heard = error.0,
            }
        }
        let bytes: usize = self.unheard.iter().map(|heard| heard.message.len()).sum();
        if self.unheard.len() < UNHEARD && bytes < UNREAD {
            self.unheard.push_back(heard);
        }
    }

    /// Sends a message to the stream that waits for it.
    fn deliver(&mut self, message: Vec<u8>) {
        // Text that is not JSON is no message for a stream of events either.
        let Ok(Frame { messages, .. }) = peek(&message) else { return };
        let answers = messages.iter().filter(|message| message.is_answer());
        let ids: Vec<&Id> = answers.filter_map(|message| message.id.as_ref()).collect();
        let heard = Heard { message, answers: ids.len() };
        if ids.is_empty() {
            return self.send_or_keep(heard);
        }
        let mut to = None;
        for id in ids {
            let Some(waiting) = self.requests.get_mut(id) else { continue };
            to = waiting.pop_front().or(to);
            if waiting.is_empty() {
                self.requests.remove(id);
            }
        }
        // The client that asked may be gone by now.
        to.inspect(|to| drop(to.send(heard)));
    }
}

/// Takes the output for a client, and sends each message to the stream that waits for it.
pub(super) struct Post {
    session: Arc<Session>,
    line: Vec<u8>,
}

impl Post {
    pub(super) fn new(session: Arc<Session>) -> Post {
        Post { session, line: Vec::new() }
    }
}

impl Write for Post {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                locked(&self.session.routes).deliver(line.trim_ascii_end().to_vec());
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
