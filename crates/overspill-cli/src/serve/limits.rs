//! How much of the server one client, and all of them together, may use.

use std::time::Duration;

/// The limits of the server. Only tests use other ones than [`ServerLimits::DEFAULT`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServerLimits {
    /// Bytes of a head: request line and headers. hyper allows no less than 8 KiB. Over it: 431.
    pub(crate) head: usize,
    /// Number of headers in a head. Over it: 431.
    pub(crate) headers: usize,
    /// Time for the first head of a connection. Over it: 408, or the connection is closed if it sent nothing.
    pub(crate) head_time: Duration,
    /// Time between two requests of a connection that has sent the token, including the next head.
    pub(crate) idle: Duration,
    /// Bytes of a body. Over it: 413.
    pub(crate) body: usize,
    /// Time for a body. Over it: 408.
    pub(crate) body_time: Duration,
    /// Number of connections. Over it: 503.
    pub(crate) connections: usize,
}

impl ServerLimits {
    /// Enough for pages in a browser and for small requests.
    pub(crate) const DEFAULT: ServerLimits = ServerLimits {
        head: 64 << 10,
        headers: 100,
        head_time: Duration::from_secs(10),
        // Longer than usual clients keep a connection, so that they close it and not we.
        idle: Duration::from_secs(120),
        body: 1 << 20,
        body_time: Duration::from_secs(60),
        connections: 128,
    };

    /// MCP messages may contain whole files, such as the arguments of a tool that writes one.
    pub(crate) const MCP: ServerLimits = ServerLimits { body: 64 << 20, ..ServerLimits::DEFAULT };
}

/// Number of MCP sessions. Over it, the session unused for the longest time ends, or the answer is 503.
pub(crate) const SESSIONS: usize = 64;
/// A session unused for this long may end if there are too many.
pub(crate) const SESSION_REST: Duration = Duration::from_secs(60);
/// Bytes of MCP messages that a server has not read yet. Over it: 503.
pub(crate) const UNREAD: usize = 128 << 20;
/// Bytes of messages that wait in memory for a client that does not read its stream. Over it, an error takes the
/// place of an answer.
pub(crate) const QUEUED: usize = 16 << 20;
/// Number of requests of a session that wait for an answer. Over it: 503.
pub(crate) const REQUESTS: usize = 10_000;
/// Number of streams of a session. Over it: 503.
pub(crate) const STREAMS: usize = 256;
/// Number of server processes behind MCP sessions, including those that are about to end. Over it: 503.
pub(crate) const SERVERS: usize = 80;

/// Number of refused connections that may still read their answer. Others are closed at once.
pub(super) const REFUSALS: usize = 32;
/// Time in which a client may read our last answer while it still sends.
pub(super) const LINGER: Duration = Duration::from_secs(2);
/// Silence after which a stream of events gets a comment, so that nobody in between closes it.
pub(super) const SILENCE: Duration = Duration::from_secs(15);
