//! Forgets single requests that were lost, as happens over HTTP.

use super::{Id, Pending, Ticket};

impl Pending {
    /// Returns the ticket of the latest request with this id.
    pub(in super::super) fn ticket(&self, id: &Id) -> Option<Ticket> {
        self.waiting.get(id)?.back().map(|(ticket, _)| *ticket)
    }

    /// Forgets a request that gets no answer; tells whether the request still waited.
    pub(in super::super) fn lost(&mut self, id: &Id, ticket: Ticket) -> bool {
        let Some(waiting) = self.waiting.get_mut(id) else { return false };
        let before = waiting.len();
        waiting.retain(|(own, _)| *own != ticket);
        let is_lost = waiting.len() < before;
        if waiting.is_empty() {
            self.waiting.remove(id);
        }
        is_lost
    }
}
