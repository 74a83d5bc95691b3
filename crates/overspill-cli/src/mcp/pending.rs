//! Requests of the client that the server has not answered yet.

#[cfg(feature = "http")]
mod lost;

use std::collections::{HashMap, VecDeque};

use super::probe::{Id, Message};

/// The kind of a request, as far as the proxy treats its answer differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PendingRequest {
    /// A call of a tool.
    Call { tool: String },
    /// A request for the result of an earlier call.
    Result,
    /// A request for the list of tools.
    Tools,
    /// A request for the capabilities of the server.
    Hello,
    /// A request for the list of resources.
    Resources,
    /// A request for the list of resource templates.
    Templates,
    /// Any other request.
    Other,
}

impl PendingRequest {
    fn of(message: &Message) -> PendingRequest {
        match message.method.as_deref() {
            Some("tools/call") => {
                PendingRequest::Call { tool: message.name.clone().unwrap_or_default() }
            }
            Some("tasks/result") => PendingRequest::Result,
            Some("tools/list") => PendingRequest::Tools,
            Some("initialize" | "server/discover") => PendingRequest::Hello,
            Some("resources/list") => PendingRequest::Resources,
            Some("resources/templates/list") => PendingRequest::Templates,
            _ => PendingRequest::Other,
        }
    }

    /// Tells whether the proxy shortens a long answer.
    pub(super) fn is_shortened(&self) -> bool {
        matches!(self, PendingRequest::Call { .. } | PendingRequest::Result | PendingRequest::Tools)
    }
}

/// A number that identifies one request, even if another request has the same id.
pub(super) type Ticket = u64;

/// The requests that wait for an answer.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// The requests by id, in the order of arrival: a client may use an id twice.
    waiting: HashMap<Id, VecDeque<(Ticket, PendingRequest)>>,
    last: Ticket,
    /// The ids of cancelled requests. The server may still answer them.
    cancelled: VecDeque<Id>,
}

/// The number of cancelled requests that the proxy remembers.
const MOST_CANCELLED: usize = 1_000;

impl Pending {
    /// Notes the request or the cancellation in a message of the client.
    pub(super) fn asked(&mut self, message: &Message) {
        match (&message.method, &message.id) {
            (Some(_), Some(id)) => {
                self.last += 1;
                let asked = (self.last, PendingRequest::of(message));
                self.waiting.entry(id.clone()).or_default().push_back(asked);
            }
            (Some(method), None) if method == "notifications/cancelled" => {
                let known = message.request.as_ref().filter(|id| self.waiting.contains_key(id));
                self.cancelled.extend(known.cloned());
                if self.cancelled.len() > MOST_CANCELLED
                    && let Some(oldest) = self.cancelled.pop_front()
                {
                    self.waiting.remove(&oldest);
                }
            }
            _ => {}
        }
    }

    /// Returns the request that an answer belongs to, and forgets the request.
    pub(super) fn answered(&mut self, id: &Id) -> Option<PendingRequest> {
        let waiting = self.waiting.get_mut(id)?;
        let asked = waiting.pop_front();
        if waiting.is_empty() {
            self.waiting.remove(id);
            // The client may use the id again, for a request that it does not cancel.
            self.cancelled.retain(|cancelled| cancelled != id);
        }
        asked.map(|(_, asked)| asked)
    }

    /// Returns the request that the next answer with this id belongs to.
    pub(super) fn get(&self, id: &Id) -> Option<&PendingRequest> {
        self.waiting.get(id)?.front().map(|(_, asked)| asked)
    }

    /// Returns the names of the tools that were called; `None` stands for a call whose tool is
    /// unknown.
    pub(super) fn calls(&self) -> Vec<Option<&str>> {
        let asked = self.waiting.values().flatten();
        let calls = asked.filter_map(|(_, asked)| match asked {
            PendingRequest::Call { tool } => Some(Some(tool.as_str())),
            PendingRequest::Result => Some(None),
            _ => None,
        });
        calls.collect()
    }

    /// Returns the id of the call that waits, if only one call waits.
    pub(super) fn only_call(&self) -> Option<Id> {
        let is_call = |(_, asked): &(Ticket, PendingRequest)| {
            matches!(asked, PendingRequest::Call { .. } | PendingRequest::Result)
        };
        let all = self.waiting.iter();
        let mut calls =
            all.flat_map(|(id, asked)| asked.iter().filter(move |a| is_call(a)).map(move |_| id));
        calls.next().filter(|_| calls.next().is_none()).cloned()
    }

    /// Tells whether the client waits for a request that it has not cancelled.
    pub(super) fn is_waited_for(&self) -> bool {
        self.waiting.keys().any(|id| !self.cancelled.contains(id))
    }

    /// Forgets all requests, and returns the ids of those that were not cancelled.
    pub(super) fn give_up(&mut self) -> Vec<Id> {
        let cancelled = std::mem::take(&mut self.cancelled);
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let left = waiting.filter(|(id, _)| !cancelled.contains(id));
        left.flat_map(|(id, asked)| asked.into_iter().map(move |_| id.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::probe::peek;

    fn message(json: &str) -> Message {
        peek(json.as_bytes()).unwrap().messages.remove(0)
    }

    fn id(id: &str) -> Id {
        Id(id.into())
    }

    #[test]
    fn two_requests_with_one_id_get_two_answers() {
        let mut pending = Pending::default();
        pending.asked(&message(r#"{"id":1,"method":"tools/call","params":{"name":"a"}}"#));
        pending.asked(&message(r#"{"id":1,"method":"tools/list"}"#));
        assert_eq!(pending.answered(&id("1")), Some(PendingRequest::Call { tool: "a".into() }));
        assert_eq!(pending.answered(&id("1")), Some(PendingRequest::Tools));
        assert_eq!(pending.answered(&id("1")), None);
    }

    #[test]
    fn cancelled_request_is_not_answered_at_the_end() {
        let mut pending = Pending::default();
        for n in 1..=3 {
            pending.asked(&message(&format!(r#"{{"id":{n},"method":"tools/call"}}"#)));
        }
        pending.asked(&message(r#"{"method":"notifications/cancelled","params":{"requestId":2}}"#));
        let mut left = pending.give_up();
        left.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(left, [id("1"), id("3")]);
    }

    #[test]
    fn id_of_a_cancelled_and_answered_request_can_be_used_again() {
        let mut pending = Pending::default();
        let call = message(r#"{"id":1,"method":"tools/call"}"#);
        pending.asked(&call);
        pending.asked(&message(r#"{"method":"notifications/cancelled","params":{"requestId":1}}"#));
        assert!(pending.answered(&id("1")).is_some());
        pending.asked(&call);
        assert!(pending.is_waited_for());
        assert_eq!(pending.give_up(), [id("1")]);
    }

    #[test]
    fn cancelled_requests_are_forgotten_beyond_a_limit() {
        let mut pending = Pending::default();
        for n in 0..5_000 {
            pending.asked(&message(&format!(r#"{{"id":{n},"method":"tools/call"}}"#)));
            let cancel =
                format!(r#"{{"method":"notifications/cancelled","params":{{"requestId":{n}}}}}"#);
            pending.asked(&message(&cancel));
        }
        assert!(pending.waiting.len() <= MOST_CANCELLED + 1);
    }
}
