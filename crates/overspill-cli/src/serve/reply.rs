//! Builds HTTP answers, and reads the bodies of requests within the limits.

use std::fs::File;
use std::future::poll_fn;
use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use hyper::{Response, StatusCode};
use tokio::time::{Instant, Interval, interval_at, timeout};

use super::limits::{SILENCE, ServerLimits};

/// An HTTP answer.
pub(crate) type Reply = Response<ReplyBody>;

/// A source of messages, which ends with `None`.
pub(crate) trait EventSource: Send {
    /// Returns the next message.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<ServerEvent>>;
}

/// A message without a line break.
#[derive(Debug)]
pub(crate) struct ServerEvent {
    /// The message, or its start.
    pub(crate) start: Vec<u8>,
    /// The rest of a message that is too long for the memory.
    pub(crate) rest: Option<File>,
}

/// The body of an answer.
pub(crate) enum ReplyBody {
    Whole(Bytes),
    Events(EventStream),
}

/// A stream of server-sent events.
pub(crate) struct EventStream {
    source: Box<dyn EventSource>,
    /// The timer for the next comment in a stream without events.
    silence: Interval,
    /// The rest of the current message.
    rest: Option<File>,
}

/// The number of bytes of a file that are sent at a time.
const CHUNK: usize = 256 << 10;

/// Returns an answer with a body of the given content type.
pub(crate) fn reply(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Reply {
    let body = body.into();
    let is_empty = body.is_empty();
    let mut reply = Response::new(ReplyBody::Whole(body));
    *reply.status_mut() = status;
    if !is_empty {
        reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    reply
}

/// Returns an answer with a sentence as plain text. The text may be empty.
pub(crate) fn plain(status: StatusCode, text: &'static str) -> Reply {
    reply(status, "text/plain", text)
}

/// The refusal of a request: the status and the reason. The server then closes the connection.
#[derive(Debug)]
pub(crate) struct Refusal(pub(crate) StatusCode, pub(crate) &'static str);

impl From<Refusal> for Reply {
    fn from(Refusal(status, reason): Refusal) -> Reply {
        let mut reply = plain(status, reason);
        let mut add =
            |name, value| reply.headers_mut().insert(name, HeaderValue::from_static(value));
        add(CONNECTION, "close");
        match status {
            StatusCode::UNAUTHORIZED => drop(add(WWW_AUTHENTICATE, "Bearer")),
            StatusCode::SERVICE_UNAVAILABLE => drop(add(RETRY_AFTER, "10")),
            _ => {}
        }
        reply
    }
}

/// Returns an answer that sends messages as server-sent events.
pub(crate) fn events(source: impl EventSource + 'static) -> Reply {
    let silence = interval_at(Instant::now() + SILENCE, SILENCE);
    let stream = EventStream { source: Box::new(source), silence, rest: None };
    let mut reply = Response::new(ReplyBody::Events(stream));
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    reply.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    reply
}

/// Reads a body within the limits, or refuses the request.
pub(crate) async fn read_body(body: Incoming, limits: &ServerLimits) -> Result<Vec<u8>, Refusal> {
    let ServerLimits { body: most, body_time, .. } = *limits;
    let late = Refusal(StatusCode::REQUEST_TIMEOUT, "timeout while reading the body");
    timeout(body_time, take(body, most)).await.unwrap_or(Err(late))
}

async fn take(mut body: Incoming, most: usize) -> Result<Vec<u8>, Refusal> {
    let too_long = || Refusal(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long");
    if body.size_hint().lower() > most as u64 {
        return Err(too_long());
    }
    let mut all = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame =
            frame.map_err(|_| Refusal(StatusCode::BAD_REQUEST, "the body is incomplete"))?;
        let Ok(bytes) = frame.into_data() else { continue };
        if all.len() + bytes.len() > most {
            return Err(too_long());
        }
        all.extend_from_slice(&bytes);
    }
    Ok(all)
}

impl EventStream {
    fn poll_bytes(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        let bytes = |bytes: Vec<u8>| Poll::Ready(Some(Ok(bytes.into())));
        if let Some(file) = &mut self.rest {
            let mut chunk = Vec::with_capacity(CHUNK);
            if let Err(error) = file.take(CHUNK as u64).read_to_end(&mut chunk) {
                return Poll::Ready(Some(Err(error)));
            }
            if chunk.is_empty() {
                self.rest = None;
                chunk.extend_from_slice(b"\n\n");
            }
            return bytes(chunk);
        }
        match self.source.poll_next(context) {
            Poll::Ready(Some(ServerEvent { start, rest })) => {
                self.silence.reset();
                self.rest = rest;
                let end: &[u8] = if self.rest.is_some() { b"" } else { b"\n\n" };
                bytes([b"event: message\ndata: ", &start[..], end].concat())
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending if self.silence.poll_tick(context).is_ready() => bytes(b":\n\n".to_vec()),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    /// The error of a file that cannot be read. The server then closes the connection, so that no
    /// client takes a part for the whole answer.
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let frame = |bytes| Poll::Ready(Some(Ok(Frame::data(bytes))));
        match self.get_mut() {
            ReplyBody::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            ReplyBody::Whole(bytes) => frame(std::mem::take(bytes)),
            ReplyBody::Events(stream) => {
                stream.poll_bytes(context).map(|bytes| bytes.map(|bytes| bytes.map(Frame::data)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, ReplyBody::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            ReplyBody::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            ReplyBody::Events(..) => SizeHint::default(),
        }
    }
}
