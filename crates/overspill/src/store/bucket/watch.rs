//! An HTTP client that records the server's clock, the number of requests, and refusals.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use object_store::{ClientConfigKey, ClientOptions};

use super::connect::CONNECT;
use super::failure::Failure;
use super::http::Client;
use super::proxy::Proxies;
use super::remote::LONG;

/// The time for which a server may send nothing before a request fails.
const IDLE: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 15 });
/// The size in bytes of a request body up to which the idle limit applies. Sending a larger body
/// may take longer, so only the caller limits it.
const SMALL: usize = 64 << 10;

/// Facts about the server, from its responses.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) requests: AtomicU64,
    pub(super) received: AtomicU64,
    /// The number of seconds by which the server's clock is ahead of the local clock, after the
    /// first response.
    ahead: OnceLock<AtomicI64>,
    /// The status of the last answer if the request may be tried again, otherwise 0.
    refused: AtomicU16,
}

impl Seen {
    /// Returns the time of the server's clock, if the server has sent a response.
    pub(super) fn time(&self) -> Option<Timestamp> {
        let ahead = self.ahead.get()?.load(Ordering::Relaxed);
        Timestamp::now().checked_add(jiff::SignedDuration::from_secs(ahead)).ok()
    }

    /// Sets by how many seconds the server's clock is ahead of the local clock.
    pub(super) fn set_ahead(&self, seconds: i64) {
        self.ahead.get_or_init(AtomicI64::default).store(seconds, Ordering::Relaxed);
    }

    /// Returns the reason why no result came in time: refusals or silence.
    pub(super) fn late(&self, wait: Duration) -> Failure {
        match self.refused.load(Ordering::Relaxed) {
            0 => Failure::Late(wait),
            status => Failure::Refused(status),
        }
    }
}

/// A connector for `object_store` whose HTTP client also fills [`Seen`].
#[derive(Debug)]
pub(super) struct Watching {
    pub(super) seen: Arc<Seen>,
    pub(super) proxies: Proxies,
}

impl HttpConnector for Watching {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let value = |key| options.get_config_value(&key).unwrap_or_default();
        let allow_http = value(ClientConfigKey::AllowHttp) == "true";
        // The value is a text such as `5s`. It is shorter for the credentials of an instance.
        let connect = value(ClientConfigKey::ConnectTimeout);
        let connect = connect.strip_suffix('s').and_then(|seconds| seconds.parse().ok());
        let connect = connect.map_or(CONNECT, Duration::from_secs);
        let client = |idle| Client::new(connect, idle, allow_http, self.proxies.clone());
        let (quick, patient, seen) = (client(IDLE), client(LONG), self.seen.clone());
        Ok(HttpClient::new(Watched { quick, patient, seen }))
    }
}

#[derive(Debug)]
struct Watched {
    /// The client for requests that a server answers at once.
    quick: Client,
    /// The client for large bodies.
    patient: Client,
    seen: Arc<Seen>,
}

impl Watched {
    fn client(&self, request: &HttpRequest) -> &Client {
        if request.body().content_length() <= SMALL { &self.quick } else { &self.patient }
    }
}

/// The error of a silent server. The request is not repeated.
#[derive(Debug, thiserror::Error)]
#[error("no answer within {seconds} s")]
struct Silent {
    seconds: u64,
    source: HttpError,
}

/// Turns a timeout into an error that `object_store` does not retry. Other errors stay unchanged.
fn without_retry(error: HttpError, started: Instant) -> HttpError {
    if error.kind() != HttpErrorKind::Timeout {
        return error;
    }
    let seconds = started.elapsed().as_secs().max(1);
    HttpError::new(HttpErrorKind::Unknown, Silent { seconds, source: error })
}

type Answer = Result<HttpResponse, HttpError>;

impl HttpService for Watched {
    fn call<'a, 'b>(
        &'a self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move {
            self.seen.requests.fetch_add(1, Ordering::Relaxed);
            let has_body = request.method() != "HEAD";
            let started = Instant::now();
            let answer = self.client(&request).call(request).await;
            let answer = answer.map_err(|error| without_retry(error, started))?;
            let status = answer.status();
            let refused =
                if status.is_server_error() || status == 429 { status.as_u16() } else { 0 };
            self.seen.refused.store(refused, Ordering::Relaxed);
            let header = |name: &str| answer.headers().get(name)?.to_str().ok();
            if let Some(bytes) = header("content-length").and_then(|length| length.parse().ok())
                && has_body
            {
                self.seen.received.fetch_add(bytes, Ordering::Relaxed);
            }
            let date = header("date").and_then(|date| jiff::fmt::rfc2822::parse(date).ok());
            if let Some(date) = date {
                let ahead = date.timestamp().duration_since(Timestamp::now()).as_secs();
                self.seen.set_ahead(ahead);
            }
            Ok(answer)
        })
    }
}
