//! One client that reaches us by HTTP, and the server that it has.

use std::collections::{HashMap, VecDeque};
use std::io::{self, PipeWriter, Write};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::super::probe::{Frame, Id, peek};
use super::http1::{begin_events, end_events, event, nothing_new};

/// Nothing is heard for so long: a sign of life keeps whoever stands between from hanging up.
const SILENCE: Duration = Duration::from_secs(15);
/// Messages that nobody hears are kept up to this number.
const UNHEARD: usize = 1_000;

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One client, and the server that it has.
pub(super) struct Session {
    input: Mutex<Option<PipeWriter>>,
    waiting: Arc<Mutex<Waiting>>,
    used: Mutex<Used>,
}

/// When it was used last, and by how many it is being used.
struct Used {
    last: Instant,
    now: usize,
}

/// Where messages of the server go.
#[derive(Default)]
pub(super) struct Waiting {
    /// Requests, and who waits for their answers: the first who asked gets the first answer.
    requests: HashMap<Id, VecDeque<Sender<Vec<u8>>>>,
    /// Who hears what is no answer: whoever listens for that alone, or else whoever waits.
    listeners: Vec<(u64, Sender<Vec<u8>>)>,
    waiters: Vec<(u64, Sender<Vec<u8>>)>,
    last: u64,
    /// What nobody has heard yet.
    unheard: VecDeque<Vec<u8>>,
}

/// Counts as a use of a session for as long as it is there.
pub(super) struct InUse<'a>(&'a Session);

impl Drop for InUse<'_> {
    fn drop(&mut self) {
        let mut used = locked(&self.0.used);
        *used = Used { last: Instant::now(), now: used.now - 1 };
    }
}

impl Session {
    /// A session whose server hears what is written to `input`.
    pub(super) fn new(input: PipeWriter) -> Session {
        Session {
            input: Mutex::new(Some(input)),
            waiting: Arc::default(),
            used: Mutex::new(Used { last: Instant::now(), now: 0 }),
        }
    }

    /// Returns what the server writes its messages to.
    pub(super) fn post(&self) -> Post {
        Post { waiting: self.waiting.clone(), line: Vec::new() }
    }

    /// Says that it is in use, until what is returned is dropped.
    pub(super) fn use_now(&self) -> InUse<'_> {
        locked(&self.used).now += 1;
        InUse(self)
    }

    /// Tells whether nobody has used it for so long.
    pub(super) fn is_idle(&self, limit: Duration) -> bool {
        let used = locked(&self.used);
        used.now == 0 && used.last.elapsed() >= limit
    }

    /// Tells whether somebody waits for an answer to a request with one of these ids.
    pub(super) fn awaits(&self, ids: &[Id]) -> bool {
        let waiting = locked(&self.waiting);
        ids.iter().any(|id| waiting.requests.contains_key(id))
    }

    /// Begins to wait for the answers to these requests; if there are none, for what is no answer.
    pub(super) fn wait_for(&self, ids: &[Id]) -> Waiter<'_> {
        let (send, heard) = channel();
        let mut waiting = locked(&self.waiting);
        waiting.last += 1;
        let number = waiting.last;
        for id in ids {
            waiting.requests.entry(id.clone()).or_default().push_back(send.clone());
        }
        let all = if ids.is_empty() { &mut waiting.listeners } else { &mut waiting.waiters };
        all.push((number, send));
        waiting.hear();
        Waiter { session: self, number, heard, left: ids.len() }
    }

    /// Hands a message to the server; tells whether there is one.
    pub(super) fn say(&self, body: &[u8]) -> bool {
        let blank = |byte: &u8| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte };
        let line: Vec<u8> = body.iter().map(blank).chain([b'\n']).collect();
        locked(&self.input).as_mut().is_some_and(|input| input.write_all(&line).is_ok())
    }

    /// Ends it: the server hears that it is alone.
    pub(super) fn end(&self) {
        drop(locked(&self.input).take());
    }

    /// Says that the server is gone; whoever waits learns that nobody answers.
    pub(super) fn ended(&self) {
        self.end();
        *locked(&self.waiting) = Waiting::default();
    }
}

/// Somebody who waits for messages of the server.
pub(super) struct Waiter<'a> {
    session: &'a Session,
    number: u64,
    heard: Receiver<Vec<u8>>,
    /// How many answers are still to come.
    left: usize,
}

impl Waiter<'_> {
    /// Writes messages as events until all requests are answered; tells whether they are.
    pub(super) fn answers(
        mut self,
        stream: &TcpStream,
        headers: &[(&str, &str)],
    ) -> io::Result<bool> {
        begin_events(stream, headers)?;
        while self.left > 0 {
            let Some(message) = next(&self.heard, stream)? else { break };
            let found = peek(&message).unwrap_or_default();
            let answers = found.messages.iter().filter(|message| message.is_answer());
            self.left = self.left.saturating_sub(answers.count());
            event(stream, &message)?;
        }
        end_events(stream)?;
        Ok(self.left == 0)
    }

    /// Writes what the server says by itself, as long as there is somebody to hear it.
    pub(super) fn events(self, stream: &TcpStream) -> io::Result<bool> {
        begin_events(stream, &[])?;
        while let Some(message) = next(&self.heard, stream)? {
            event(stream, &message)?;
        }
        end_events(stream)?;
        Ok(false)
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let mut waiting = locked(&self.session.waiting);
        waiting.listeners.retain(|(number, _)| *number != self.number);
        waiting.waiters.retain(|(number, _)| *number != self.number);
        // What came for it all the same is for others, unless it is an answer.
        self.heard.try_iter().for_each(|message| waiting.deliver(message));
    }
}

/// Returns the next message, with signs of life while there is none.
fn next(heard: &Receiver<Vec<u8>>, stream: &TcpStream) -> io::Result<Option<Vec<u8>>> {
    loop {
        match heard.recv_timeout(SILENCE) {
            Ok(message) => return Ok(Some(message)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => nothing_new(stream)?,
        }
    }
}

impl Waiting {
    /// Hands out what nobody has heard yet, if there is somebody now.
    fn hear(&mut self) {
        while let Some(message) = self.unheard.pop_front() {
            if let Err(message) = self.tell(message) {
                self.unheard.push_front(message);
                return;
            }
        }
    }

    /// Hands a message that is no answer to whoever hears it; gives it back if nobody does.
    fn tell(&self, mut message: Vec<u8>) -> Result<(), Vec<u8>> {
        for all in [&self.listeners, &self.waiters] {
            for (_, to) in all.iter() {
                match to.send(message) {
                    Ok(()) => return Ok(()),
                    Err(error) => message = error.0,
                }
            }
        }
        Err(message)
    }

    /// Hands a message to whoever waits for it.
    fn deliver(&mut self, message: Vec<u8>) {
        // What is not JSON would be none of a stream of events either.
        let Ok(Frame { messages, .. }) = peek(&message) else { return };
        let answered = messages.iter().filter(|message| message.is_answer());
        let ids: Vec<Id> = answered.filter_map(|message| message.id.clone()).collect();
        if ids.is_empty() {
            if let Err(message) = self.tell(message)
                && self.unheard.len() < UNHEARD
            {
                self.unheard.push_back(message);
            }
            return;
        }
        let mut to = None;
        for id in &ids {
            let Some(waiting) = self.requests.get_mut(id) else { continue };
            to = waiting.pop_front().or(to);
            if waiting.is_empty() {
                self.requests.remove(id);
            }
        }
        // Whoever asked may be gone by now.
        to.inspect(|to| drop(to.send(message)));
    }
}

/// Takes what the client gets, and hands each message to whoever waits for it.
pub(super) struct Post {
    waiting: Arc<Mutex<Waiting>>,
    line: Vec<u8>,
}

impl Write for Post {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                locked(&self.waiting).deliver(line.trim_ascii_end().to_vec());
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
