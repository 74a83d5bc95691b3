//! The HTTP client for requests to a bucket: ureq, with a thread for each request.
//!
//! The program already contains ureq. The usual client of `object_store`, reqwest, is much larger.

use std::future::Future;
use std::io::{self, Read};
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use object_store::client::{
    HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse, HttpResponseBody,
    HttpService,
};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use ureq::http::{Request, Response, Uri, header, request, response};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Proxy, SendBody};

use super::proxy::Proxies;

/// The size of a chunk of a response, in bytes.
const CHUNK: usize = 128 << 10;
/// The largest number of chunks that wait for the reader of a response.
const WAITING: usize = 4;

/// An HTTP client with a pool of connections.
#[derive(Debug, Clone)]
pub(super) struct Client(Arc<Settings>);

#[derive(Debug)]
struct Settings {
    /// The connect timeout.
    connect: Duration,
    /// The timeout for a server that neither reads nor writes.
    idle: Duration,
    /// Whether addresses without TLS may be used.
    allow_http: bool,
    proxies: Proxies,
    /// The agents are made late, because reading the certificates of the system takes milliseconds.
    plain: OnceLock<Agents>,
    with_tls: OnceLock<Agents>,
}

/// The agents for requests through the proxy and for direct requests.
#[derive(Debug)]
struct Agents {
    direct: Agent,
    by_proxy: Option<Agent>,
}

impl Client {
    pub(super) fn new(
        connect: Duration,
        idle: Duration,
        allow_http: bool,
        proxies: Proxies,
    ) -> Client {
        let (plain, with_tls) = Default::default();
        Client(Arc::new(Settings { connect, idle, allow_http, proxies, plain, with_tls }))
    }

    fn agent(&self, uri: &Uri) -> Result<&Agent, HttpError> {
        let settings = &*self.0;
        let is_tls = uri.scheme_str() != Some("http");
        if !is_tls && !settings.allow_http {
            let error = io::Error::other("URL scheme is not allowed");
            return Err(HttpError::new(HttpErrorKind::Unknown, error));
        }
        let place = if is_tls { &settings.with_tls } else { &settings.plain };
        let agents = place.get_or_init(|| {
            let tls = if is_tls { trusting_the_system() } else { TlsConfig::default() };
            let agent = |proxy| settings.agent(proxy, tls.clone());
            let proxies = &settings.proxies;
            let proxy = if is_tls { &proxies.with_tls } else { &proxies.plain };
            Agents { direct: agent(None), by_proxy: proxy.clone().map(|proxy| agent(Some(proxy))) }
        });
        let is_exempt = || settings.proxies.is_exempt(uri.host().unwrap_or_default());
        Ok(match &agents.by_proxy {
            Some(agent) if !is_exempt() => agent,
            _ => &agents.direct,
        })
    }

    /// Sends a request, and returns its response before the body is read.
    fn send(
        &self,
        parts: request::Parts,
        body: Payload,
    ) -> Result<Response<ureq::Body>, HttpError> {
        let agent = self.agent(&parts.uri)?;
        let failed = |error| failure(error, HttpErrorKind::Request);
        let length = body.length;
        let mut request = Request::from_parts(parts, SendBody::from_owned_reader(body));
        if length > 0 || ["PUT", "POST"].contains(&request.method().as_str()) {
            request.headers_mut().insert(header::CONTENT_LENGTH, length.into());
            agent.run(request).map_err(failed)
        } else {
            agent.run(request.map(drop)).map_err(failed)
        }
    }
}

impl Settings {
    fn agent(&self, proxy: Option<Proxy>, tls: TlsConfig) -> Agent {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // The signature is valid for one address, so the target of a redirect would refuse it.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .allow_non_standard_methods(true)
            .user_agent(concat!("overspill/", env!("CARGO_PKG_VERSION")))
            .proxy(proxy)
            .tls_config(tls)
            .timeout_connect(Some(self.connect))
            .timeout_per_read(Some(self.idle))
            .timeout_per_write(Some(self.idle));
        config.build().new_agent()
    }
}

/// Trusts the certificate authorities of the system, or those in the file in `SSL_CERT_FILE`.
fn trusting_the_system() -> TlsConfig {
    let found = rustls_native_certs::load_native_certs();
    let known = found.certs.iter().map(|der| Certificate::from_der(der).to_owned());
    let roots = RootCerts::Specific(Arc::new(known.collect()));
    TlsConfig::builder().root_certs(roots).build()
}

type Answer = Result<HttpResponse, HttpError>;

impl HttpService for Client {
    fn call<'a, 'b>(
        &'a self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        let client = self.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let (head, mut arrives) = channel(1);
            tokio::task::spawn_blocking(move || client.respond(parts, Payload::of(body), &head));
            let gone = || HttpError::new(HttpErrorKind::Unknown, io::Error::other("it was ended"));
            arrives.recv().await.unwrap_or_else(|| Err(gone()))
        })
    }
}

impl Client {
    /// Sends a request. `head` gets the response at the start of its body, and the rest follows.
    fn respond(&self, parts: request::Parts, body: Payload, head: &Sender<Answer>) {
        let is_head = parts.method == "HEAD";
        let response = match self.send(parts, body) {
            Ok(response) => response,
            Err(error) => return drop(head.blocking_send(Err(error))),
        };
        let (parts, body) = response.into_parts();
        let length = content_length(&parts).filter(|_| !is_head);
        let mut reader = body.into_with_config().limit(u64::MAX).reader();
        let mut next = || chunk(&mut reader).transpose();
        // A response of one chunk needs no channel for further chunks.
        let first = next();
        let is_whole = match &first {
            Some(Ok(first)) => length == Some(first.len() as u64),
            _ => true,
        };
        if is_whole {
            let answer = first.unwrap_or_else(|| Ok(Bytes::new()));
            let answer = answer.map(|bytes| HttpResponse::from_parts(parts, bytes.into()));
            return drop(head.blocking_send(answer));
        }
        let (rest, chunks) = channel(WAITING);
        let body = HttpResponseBody::new(Chunks { chunks, length });
        if head.blocking_send(Ok(HttpResponse::from_parts(parts, body))).is_err() {
            return;
        }
        // If the reader of the response is gone, ureq does not use the connection again.
        let mut following = first;
        while let Some(chunk) = following
            && rest.blocking_send(chunk).is_ok()
        {
            following = next();
        }
    }
}

fn content_length(parts: &response::Parts) -> Option<u64> {
    parts.headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Reads a full chunk, or the rest of the response.
fn chunk(reader: &mut impl Read) -> Result<Option<Bytes>, HttpError> {
    let mut bytes = Vec::with_capacity(CHUNK);
    let error = match reader.take(CHUNK as u64).read_to_end(&mut bytes) {
        Ok(0) => return Ok(None),
        Ok(_) => return Ok(Some(bytes.into())),
        Err(error) => error,
    };
    // ureq wraps its own errors into I/O errors.
    Err(match error.downcast::<ureq::Error>() {
        Ok(error) => failure(error, HttpErrorKind::Interrupted),
        Err(error) => failure(error.into(), HttpErrorKind::Interrupted),
    })
}

/// Converts an error. `lost` is the kind of error for a connection that the server closed.
fn failure(error: ureq::Error, lost: HttpErrorKind) -> HttpError {
    use io::ErrorKind as Io;
    let kind = match &error {
        ureq::Error::Timeout(_) => HttpErrorKind::Timeout,
        ureq::Error::Io(error) => match error.kind() {
            Io::TimedOut => HttpErrorKind::Timeout,
            Io::UnexpectedEof => lost,
            Io::ConnectionAborted | Io::ConnectionReset | Io::BrokenPipe => {
                HttpErrorKind::Interrupted
            }
            _ => HttpErrorKind::Connect,
        },
        ureq::Error::HostNotFound
        | ureq::Error::ConnectionFailed
        | ureq::Error::ConnectProxyFailed(_)
        | ureq::Error::Tls(_)
        | ureq::Error::Rustls(_) => HttpErrorKind::Connect,
        _ => HttpErrorKind::Unknown,
    };
    HttpError::new(kind, error)
}

/// The body of a request, which is in memory as a whole.
struct Payload {
    pieces: std::vec::IntoIter<Bytes>,
    current: Bytes,
    length: usize,
}

impl Payload {
    fn of(body: HttpRequestBody) -> Payload {
        let length = body.content_length();
        let mut body = pin!(body);
        let mut pieces = Vec::new();
        let mut context = Context::from_waker(Waker::noop());
        // The whole body is in memory, so polling never waits.
        while let Poll::Ready(Some(Ok(frame))) = body.as_mut().poll_frame(&mut context) {
            pieces.extend(frame.into_data());
        }
        Payload { pieces: pieces.into_iter(), current: Bytes::new(), length }
    }
}

impl Read for Payload {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        while self.current.is_empty() {
            let Some(next) = self.pieces.next() else { return Ok(0) };
            self.current = next;
        }
        let length = room.len().min(self.current.len());
        room[..length].copy_from_slice(&self.current.split_to(length));
        Ok(length)
    }
}

/// The body of a response, of which a thread sends the chunks.
struct Chunks {
    chunks: Receiver<Result<Bytes, HttpError>>,
    length: Option<u64>,
}

impl Body for Chunks {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        self.chunks.poll_recv(context).map(|chunk| Some(chunk?.map(Frame::data)))
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map(SizeHint::with_exact).unwrap_or_default()
    }
}
