//! The HTTP server of `overspill view` and `overspill mcp --listen`, built on hyper. It accepts
//! connections, applies the limits, and checks who may send requests.
//!
//! A [`Site`] answers the requests that pass the checks. The async runtime has one thread and
//! starts with the server, so that other commands start no slower.

mod guard;
mod limits;
mod page_access;
mod reply;
#[cfg(test)]
mod tests;
mod token;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::rt::{Sleep, Timer};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, yield_now};
use tokio::time::{sleep, timeout};

pub(crate) use guard::Guard;
use limits::LINGER;
pub(crate) use limits::{
    QUEUED, REQUESTS, SERVERS, SESSION_REST, SESSIONS, STREAMS, ServerLimits, UNREAD,
};
pub(crate) use page_access::PageAccess;
pub(crate) use reply::{EventSource, Refusal, Reply, ServerEvent, events, plain, read_body, reply};
pub(crate) use token::{BearerToken, random};

/// The pause after a connection could not be accepted, such as for lack of file descriptors.
const PAUSE: Duration = Duration::from_millis(50);
/// The answer to a client that sent its head too slowly.
const LATE: &[u8] =
    b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// A handler that answers requests.
pub(crate) trait Site: Send + Sync + 'static {
    /// Answers a request that passed the guard. The server has not read the body yet.
    fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        limits: ServerLimits,
    ) -> impl Future<Output = Reply> + Send;
}

/// A running server.
struct Server<S> {
    guard: Guard,
    limits: ServerLimits,
    site: Arc<S>,
    /// The places for connections that have sent the token.
    places: Arc<Semaphore>,
}

/// The place of a connection that has sent the token, or nothing yet.
type Place = OnceLock<OwnedSemaphorePermit>;

/// A connection that had not sent the token when the server last looked.
struct Stranger {
    task: AbortHandle,
    place: Arc<Place>,
}

/// Serves `site` on a listening socket until the process ends.
pub(crate) fn serve<S: Site>(
    listener: std::net::TcpListener,
    guard: Guard,
    limits: ServerLimits,
    site: Arc<S>,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(limits.connections));
    let server = Arc::new(Server { guard, limits, site, places });
    listener.set_nonblocking(true)?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    runtime.block_on(async { server.accept(TcpListener::from_std(listener)?).await })
}

impl<S: Site> Server<S> {
    /// Accepts connections without an end.
    async fn accept(self: Arc<Self>, listener: TcpListener) -> io::Result<()> {
        // The oldest comes first.
        let mut strangers: VecDeque<Stranger> = VecDeque::new();
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                sleep(PAUSE).await;
                continue;
            };
            strangers.retain(|it| !it.task.is_finished() && it.place.get().is_none());
            if strangers.len() >= self.limits.strangers
                && let Some(oldest) = strangers.pop_front()
            {
                oldest.task.abort();
            }
            let place = Arc::new(Place::new());
            let task = tokio::spawn(self.clone().converse(stream, place.clone()));
            strangers.push_back(Stranger { task: task.abort_handle(), place });
            // A client that has sent its head at once is answered before the next one comes.
            yield_now().await;
        }
    }

    /// Answers the requests of one connection, one after the other.
    async fn converse(self: Arc<Self>, stream: TcpStream, place: Arc<Place>) {
        let _ = stream.set_nodelay(true);
        let ServerLimits { head, headers, head_time, idle, .. } = self.limits;
        let timer = HeadTimer { place: place.clone(), more: idle.saturating_sub(head_time) };
        let service = service_fn(move |request| {
            let (server, place) = (self.clone(), place.clone());
            Box::pin(async move { Ok::<_, Infallible>(server.answer(request, &place).await) })
        });
        let mut connection = http1::Builder::new()
            .timer(timer)
            .header_read_timeout(head_time)
            .max_buf_size(head)
            .max_header_size(head)
            .max_headers(headers)
            .serve_connection(TokioIo::new(stream), service);
        let ended = poll_fn(|context| connection.poll_without_shutdown(context)).await;
        let rest = connection.into_parts();
        let is_late = ended.is_err_and(|error| error.is_timeout()) && !rest.read_buf.is_empty();
        part(rest.io.into_inner(), if is_late { LATE } else { b"" }).await;
    }

    async fn answer(&self, request: Request<Incoming>, place: &Place) -> Reply {
        match self.guard.check(&request) {
            Err(refused) => return refused.into(),
            Ok(Some(reply)) => return reply,
            Ok(None) => {}
        }
        if place.get().is_none() {
            let Ok(free) = self.places.clone().try_acquire_owned() else {
                let full = "the server has too many connections; try again in some seconds";
                return Refusal(StatusCode::SERVICE_UNAVAILABLE, full).into();
            };
            let _ = place.set(free);
        }
        self.site.clone().answer(request, self.limits).await
    }
}

/// Sends the last bytes and closes a connection.
///
/// If the server closed the connection at once, a client that still sends would lose the answer. So
/// the client gets some time to read.
async fn part(mut stream: TcpStream, last: &[u8]) {
    let ended = async {
        stream.write_all(last).await?;
        stream.shutdown().await?;
        let mut ignored = vec![0; 16 << 10];
        while stream.read(&mut ignored).await? > 0 {}
        io::Result::Ok(())
    };
    let _ = timeout(LINGER, ended).await;
}

/// A timer for the time of a head. A client that has sent the token has more time.
struct HeadTimer {
    /// The place of a client that has sent the token.
    place: Arc<Place>,
    /// The additional time for such a client.
    more: Duration,
}

impl Timer for HeadTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        TokioTimer::new().sleep(duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        let more = if self.place.get().is_some() { self.more } else { Duration::ZERO };
        TokioTimer::new().sleep_until(deadline + more)
    }
}

/// Tells whether a server on loopback, with the token `secret`, answers this request.
#[cfg(feature = "fuzz")]
pub(crate) fn is_answered(request: &hyper::Request<()>) -> bool {
    let token = token::BearerToken::from("secret");
    guard::Guard::Bearer { token, is_loopback: true }.check(request).is_ok()
}
