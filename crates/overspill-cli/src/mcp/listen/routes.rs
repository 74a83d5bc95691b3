//! Routes the messages of a server to the streams of its clients.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tokio::sync::mpsc::UnboundedSender;

use super::super::answers::{INTERNAL_ERROR, error};
use super::super::probe::Id;
use crate::serve::{QUEUED, ServerEvent, UNREAD};
use crate::ui;

/// The largest number of messages, of [`UNREAD`] bytes together, that wait while no stream of the
/// client has room.
const UNHEARD: usize = 1_000;

/// A message of the server, and the number of answers in it.
pub(super) struct Heard {
    pub(super) event: ServerEvent,
    /// The number of bytes of the message that are in memory.
    pub(super) bytes: usize,
    pub(super) answers: usize,
}

/// The way to one stream of a client.
#[derive(Clone)]
pub(super) struct Route {
    pub(super) stream: u64,
    pub(super) send: UnboundedSender<Heard>,
    /// The number of bytes that the client has not read yet.
    pub(super) queued: Arc<AtomicUsize>,
}

impl Route {
    /// Queues a message. Returns the message if the client has left or has too much to read
    /// already.
    fn send(&self, heard: Heard) -> Result<(), Heard> {
        let waiting = self.queued.load(Ordering::SeqCst);
        if waiting > 0 && waiting + heard.bytes > QUEUED {
            return Err(heard);
        }
        let bytes = heard.bytes;
        self.queued.fetch_add(bytes, Ordering::SeqCst);
        self.send.send(heard).map_err(|error| error.0)
    }

    /// Queues an error for a request, even if the queue is full.
    fn send_error(&self, id: &Id, reason: &str) {
        let mut start = error(Some(id), INTERNAL_ERROR, reason);
        start.truncate(start.trim_ascii_end().len());
        let event = ServerEvent { start, rest: None };
        let _ = self.send.send(Heard { event, bytes: 0, answers: 1 });
    }
}

/// The streams of a session, and the requests that wait for answers.
pub(super) struct Routes {
    /// The requests, and the streams that wait for their answers, in the order of the requests. The
    /// request of a client that has left stays until its answer comes, because the answer must not
    /// reach another client.
    pub(super) requests: HashMap<Id, VecDeque<Route>>,
    /// The number of answers that have not come yet.
    pub(super) awaited: usize,
    /// The streams for messages that are not answers.
    pub(super) listeners: Vec<Route>,
    /// The streams for answers. They also get other messages if there is no listener.
    pub(super) waiters: Vec<Route>,
    /// The number of the last stream.
    pub(super) last: u64,
    /// The messages that no stream has taken yet.
    pub(super) unheard: VecDeque<Heard>,
    /// Tells whether overspill has reported that it drops messages.
    pub(super) is_reported: bool,
    pub(super) last_use: Instant,
    /// Tells whether the server has ended.
    pub(super) is_over: bool,
}

impl Routes {
    /// Sends the waiting messages, in order, as far as streams have room.
    pub(super) fn send_unheard(&mut self) {
        while let Some(heard) = self.unheard.pop_front() {
            if let Err(heard) = self.send(heard) {
                self.unheard.push_front(heard);
                return;
            }
        }
    }

    /// Sends a message that is not an answer to the first stream with room for it.
    fn send(&self, mut heard: Heard) -> Result<(), Heard> {
        for route in self.listeners.iter().chain(&self.waiters) {
            match route.send(heard) {
                Ok(()) => return Ok(()),
                Err(back) => heard = back,
            }
        }
        Err(heard)
    }

    /// Sends a message that is not an answer to one stream, or keeps the message for the next
    /// stream.
    pub(super) fn send_or_keep(&mut self, heard: Heard) {
        self.send_unheard();
        // A later message must not overtake a waiting one.
        let heard = if self.unheard.is_empty() { self.send(heard) } else { Err(heard) };
        let Err(heard) = heard else { return };
        let bytes: usize = self.unheard.iter().map(|heard| heard.bytes).sum();
        if self.unheard.len() < UNHEARD && bytes < UNREAD {
            self.unheard.push_back(heard);
        } else if !std::mem::replace(&mut self.is_reported, true) {
            ui::warn_line("a client does not read its messages, so overspill drops new ones");
        }
    }

    /// Sends a message with the answers to `ids` to the stream that waits for them.
    pub(super) fn deliver(&mut self, mut heard: Heard, ids: Vec<Id>) {
        heard.answers = ids.len();
        if ids.is_empty() {
            return self.send_or_keep(heard);
        }
        // The client that asked may be gone by now.
        let Some(route) = ids.iter().filter_map(|id| self.take(id)).last() else { return };
        if route.send(heard).is_err() {
            let most = QUEUED >> 20;
            let reason = format!("the client reads too slowly: more than {most} MiB wait for it");
            ids.iter().for_each(|id| route.send_error(id, &reason));
        }
    }

    /// Sends an error to the streams that wait for these answers or, if `ids` is empty, to every
    /// waiting stream.
    pub(super) fn fail(&mut self, ids: Vec<Id>, reason: &str) {
        let ids = if ids.is_empty() { self.requests.keys().cloned().collect() } else { ids };
        for id in ids {
            if let Some(route) = self.take(&id) {
                route.send_error(&id, reason);
            }
        }
    }

    /// Returns the stream that waits for the answer to a request, and forgets the request.
    fn take(&mut self, id: &Id) -> Option<Route> {
        let waiting = self.requests.get_mut(id)?;
        let route = waiting.pop_front();
        if waiting.is_empty() {
            self.requests.remove(id);
        }
        self.awaited = self.awaited.saturating_sub(1);
        route
    }
}
