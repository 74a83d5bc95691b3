//! The limits of the HTTP server: sizes, times and numbers for one client and for all clients.

use std::time::Duration;

/// The limits of a server. Each comment names the HTTP status that a client gets beyond the limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServerLimits {
    /// The bytes of a head: request line and headers. hyper needs at least 8 KiB. Beyond: 431.
    pub(crate) head: usize,
    /// The number of headers in a head. Beyond: 431.
    pub(crate) headers: usize,
    /// The time for the first head of a connection. Beyond: 408. A connection that sent nothing is
    /// closed.
    pub(crate) head_time: Duration,
    /// The time between two requests of a connection that has sent the token, including the next
    /// head.
    pub(crate) idle: Duration,
    /// The bytes of a body. Beyond: 413.
    pub(crate) body: usize,
    /// The time for a body. Beyond: 408.
    pub(crate) body_time: Duration,
    /// The number of connections that have sent the token. Beyond: 503.
    pub(crate) connections: usize,
    /// The number of connections that have not sent the token. Beyond, the oldest of them is closed,
    /// so that silent connections of other users keep no client out.
    pub(crate) strangers: usize,
}

impl ServerLimits {
    /// The limits for pages in a browser and for small requests.
    pub(crate) const DEFAULT: ServerLimits = ServerLimits {
        head: 64 << 10,
        headers: 100,
        head_time: Duration::from_secs(10),
        // Usual clients close an unused connection earlier, so the server rarely has to.
        idle: Duration::from_secs(120),
        body: 1 << 20,
        body_time: Duration::from_secs(60),
        connections: 128,
        strangers: 128,
    };

    /// The limits for MCP. A message may contain a whole file, such as the argument of a tool that
    /// writes files.
    pub(crate) const MCP: ServerLimits = ServerLimits { body: 64 << 20, ..ServerLimits::DEFAULT };
}

/// The number of MCP sessions. Beyond, the session that was unused for the longest time ends, or
/// the answer is 503.
pub(crate) const SESSIONS: usize = 64;
/// The time without a request after which a session may end to make room for another.
pub(crate) const SESSION_REST: Duration = Duration::from_secs(60);
/// The bytes of MCP messages that a server has not read yet. Beyond: 503.
pub(crate) const UNREAD: usize = 128 << 20;
/// The bytes of messages that wait in memory for a client that does not read its stream. Beyond,
/// the client gets an error instead of an answer.
pub(crate) const QUEUED: usize = 16 << 20;
/// The number of requests of a session that wait for an answer. Beyond: 503.
pub(crate) const REQUESTS: usize = 10_000;
/// The number of streams of a session. Beyond: 503.
pub(crate) const STREAMS: usize = 256;
/// The number of server processes behind MCP sessions, including processes that are ending. Beyond:
/// 503.
pub(crate) const SERVERS: usize = 80;

/// The time in which a client can read the last answer of a connection while it still sends.
pub(super) const LINGER: Duration = Duration::from_secs(2);
/// The time without an event after which a stream gets a comment, so that no proxy closes it.
pub(super) const SILENCE: Duration = Duration::from_secs(15);
