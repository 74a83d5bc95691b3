//! The bucket itself, asked from threads that know nothing of async.
//!
//! Nothing is connected, and no thread started, before the first question.

use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt};
use jiff::Timestamp;
use object_store::aws::{AmazonS3Builder, Checksum};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpService, ReqwestConnector,
};
use object_store::multipart::MultipartStore;
use object_store::path::Path;
use object_store::{
    BackoffConfig, ClientOptions, GetOptions, GetRange, ObjectMeta, ObjectStore, PutMode,
    PutOptions, PutPayload, RetryConfig,
};
use tokio::runtime::{Builder, Handle};

use super::address::Address;
use super::failure::Failure;

/// How long a question may take that nobody has set a limit for.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);
/// A server that does not take a connection in this time is not there.
const CONNECT: Duration = Duration::from_secs(5);
/// So many small questions are asked at once.
pub(super) const AT_ONCE: usize = 16;

/// A bucket that is asked.
#[derive(Debug)]
pub(super) struct Remote {
    address: Address,
    variables: Vec<(String, String)>,
    connected: OnceLock<Result<Connected, Failure>>,
    pub(super) seen: Arc<Seen>,
}

#[derive(Debug)]
struct Connected {
    objects: Objects,
    runtime: Handle,
}

/// What questions are asked of.
#[derive(Debug, Clone)]
pub(super) struct Objects {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) parts: Arc<dyn Parts>,
}

/// Uploads in parts; a name for what `dyn` cannot say.
pub(super) trait Parts: MultipartStore + std::fmt::Debug {}
impl<T: MultipartStore + std::fmt::Debug> Parts for T {}

/// What was seen of the server.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) requests: AtomicU64,
    pub(super) received: AtomicU64,
    /// How far its clock is ahead of ours, in seconds; `i64::MIN` before it was heard of.
    ahead: OnceLock<AtomicI64>,
}

impl Remote {
    pub(super) fn new(address: Address, variables: Vec<(String, String)>) -> Remote {
        Remote { address, variables, connected: OnceLock::new(), seen: Arc::default() }
    }

    /// Returns the bucket as it is shown.
    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    fn connected(&self) -> Result<&Connected, Failure> {
        let connected = self.connected.get_or_init(|| {
            let objects = self.connect()?;
            let failed = |error: std::io::Error| Failure::Other(error.to_string());
            let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
            let handle = runtime.handle().clone();
            thread::Builder::new()
                .name("overspill-bucket".into())
                // For as long as the process is: a name that is being looked up cannot be waited for.
                .spawn(move || runtime.block_on(std::future::pending::<()>()))
                .map_err(failed)?;
            Ok(Connected { objects, runtime: handle })
        });
        connected.as_ref().map_err(Clone::clone)
    }

    fn connect(&self) -> Result<Objects, Failure> {
        // Another one may be there already, and does as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // The sum that is signed anyway; sent as a checksum as well, it is compared by servers that do
        // not compare what was signed. A variable can choose another.
        let mut builder = AmazonS3Builder::new().with_checksum_algorithm(Checksum::SHA256);
        let mut endpoint = None;
        for (name, value) in &self.variables {
            let name = name.to_ascii_lowercase();
            if name.starts_with("aws_endpoint_url") && !name.ends_with("sts") {
                endpoint = Some(value.clone());
            }
            if let Ok(key) = name.parse() {
                builder = builder.with_config(key, value);
            }
        }
        let is_plain = endpoint.is_some_and(|endpoint| endpoint.starts_with("http://"));
        let options = ClientOptions::new()
            .with_allow_http(is_plain)
            .with_connect_timeout(CONNECT)
            // Whoever asks says how long it may take.
            .with_timeout_disabled();
        let retry = RetryConfig {
            backoff: BackoffConfig {
                init_backoff: Duration::from_millis(100),
                max_backoff: Duration::from_secs(5),
                base: 2.0,
            },
            max_retries: 8,
            retry_timeout: PATIENCE,
        };
        let store = builder
            .with_bucket_name(&self.address.bucket)
            .with_client_options(options)
            .with_retry(retry)
            .with_http_connector(Watching(self.seen.clone()))
            .build()?;
        let store = Arc::new(store);
        Ok(Objects { store: store.clone(), parts: store })
    }

    /// Begins something, and returns where its answer will come.
    pub(super) fn start<T, F>(&self, work: impl FnOnce(Objects) -> F) -> Result<Waiting<T>, Failure>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        let connected = self.connected()?;
        let (answer, waiting) = channel();
        let work = work(connected.objects.clone());
        let task = connected.runtime.spawn(async move {
            let _ = answer.send(work.await);
        });
        Ok(Waiting { answer: waiting, task: Some(task) })
    }

    /// Does something, within `wait`.
    pub(super) fn run<T, F>(
        &self,
        wait: Duration,
        work: impl FnOnce(Objects) -> F,
    ) -> Result<T, Failure>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Failure>> + Send + 'static,
    {
        self.start(work)?.within(wait)
    }

    pub(super) fn get(&self, path: &Path, range: Option<Range<u64>>) -> Result<Got, Failure> {
        let path = path.clone();
        self.run(PATIENCE, |objects| async move { objects.get(&path, range).await })
    }

    pub(super) fn head(&self, path: &Path) -> Result<Option<ObjectMeta>, Failure> {
        let path = path.clone();
        self.run(PATIENCE, |objects| async move { objects.head(&path).await })
    }

    pub(super) fn put(&self, path: &Path, bytes: Vec<u8>, mode: PutMode) -> Result<(), Failure> {
        let path = path.clone();
        self.run(PATIENCE, |objects| async move { objects.put(&path, bytes.into(), mode).await })
    }

    /// Lists everything below a folder.
    pub(super) fn list(&self, path: &Path) -> Result<Vec<ObjectMeta>, Failure> {
        let path = path.clone();
        self.run(10 * PATIENCE, |objects| async move { objects.list(&path).await })
    }

    /// Removes objects; that one is not there is no failure.
    pub(super) fn delete(&self, paths: Vec<Path>) -> Result<(), Failure> {
        self.run(PATIENCE, |objects| async move { objects.delete(paths).await })
    }

    /// Returns what time it is there, if anything was heard from there.
    pub(super) fn time(&self) -> Option<Timestamp> {
        let ahead = self.seen.ahead.get()?.load(Ordering::Relaxed);
        Timestamp::now().checked_add(jiff::SignedDuration::from_secs(ahead)).ok()
    }
}

/// An answer that will come.
#[derive(Debug)]
pub(super) struct Waiting<T> {
    answer: Receiver<Result<T, Failure>>,
    task: Option<tokio::task::JoinHandle<()>>,
}

impl<T> Waiting<T> {
    pub(super) fn within(mut self, wait: Duration) -> Result<T, Failure> {
        let answer = self.answer.recv_timeout(wait);
        match answer {
            Ok(answer) => {
                self.task = None;
                answer
            }
            Err(RecvTimeoutError::Timeout) => Err(Failure::Late(wait)),
            Err(RecvTimeoutError::Disconnected) => Err(Failure::Other("it was ended".into())),
        }
    }
}

impl<T> Drop for Waiting<T> {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// A part of an object, and what the server says of the whole.
#[derive(Debug, Clone)]
pub(super) struct Got {
    pub(super) bytes: Vec<u8>,
    pub(super) meta: ObjectMeta,
}

impl Objects {
    pub(super) async fn get(&self, path: &Path, range: Option<Range<u64>>) -> Result<Got, Failure> {
        let wanted = range.as_ref().map(|range| range.end - range.start);
        let options = GetOptions { range: range.map(GetRange::Bounded), ..GetOptions::default() };
        let got = self.store.get_opts(path, options).await?;
        let meta = got.meta.clone();
        let mut bytes = Vec::with_capacity(wanted.unwrap_or(meta.size).min(64 << 20) as usize);
        let mut stream = got.into_stream();
        while let Some(chunk) = stream.try_next().await? {
            bytes.extend_from_slice(&chunk);
        }
        Ok(Got { bytes, meta })
    }

    /// Returns what the server says of an object, or `None` if there is none.
    pub(super) async fn head(&self, path: &Path) -> Result<Option<ObjectMeta>, Failure> {
        let options = GetOptions { head: true, ..GetOptions::default() };
        match self.store.get_opts(path, options).await.map_err(Failure::from) {
            Ok(got) => Ok(Some(got.meta)),
            Err(Failure::NotFound) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    pub(super) async fn put(
        &self,
        path: &Path,
        payload: PutPayload,
        mode: PutMode,
    ) -> Result<(), Failure> {
        let options = PutOptions { mode, ..PutOptions::default() };
        self.store.put_opts(path, payload, options).await.map(drop).map_err(Failure::from)
    }

    pub(super) async fn list(&self, path: &Path) -> Result<Vec<ObjectMeta>, Failure> {
        Ok(self.store.list(Some(path)).try_collect().await?)
    }

    /// Lists the names of the folders in a folder.
    pub(super) async fn folders(&self, path: &Path) -> Result<Vec<String>, Failure> {
        let listed = self.store.list_with_delimiter(Some(path)).await?;
        let names = listed.common_prefixes.iter().filter_map(|path| path.filename());
        Ok(names.map(str::to_owned).collect())
    }

    pub(super) async fn delete(&self, paths: Vec<Path>) -> Result<(), Failure> {
        let paths = futures_util::stream::iter(paths.into_iter().map(Ok)).boxed();
        let mut deleted = self.store.delete_stream(paths);
        while let Some(one) = deleted.next().await {
            match one.map_err(Failure::from) {
                Ok(_) | Err(Failure::NotFound) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }
}

/// Speaks HTTP as `object_store` does, and sees what time it is at the other end.
#[derive(Debug)]
struct Watching(Arc<Seen>);

impl HttpConnector for Watching {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let inner = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(Watched { inner, seen: self.0.clone() }))
    }
}

#[derive(Debug)]
struct Watched {
    inner: HttpClient,
    seen: Arc<Seen>,
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
            let answer = self.inner.execute(request).await?;
            let header = |name: &str| answer.headers().get(name)?.to_str().ok();
            if let Some(bytes) = header("content-length").and_then(|length| length.parse().ok()) {
                self.seen.received.fetch_add(bytes, Ordering::Relaxed);
            }
            let date = header("date").and_then(|date| jiff::fmt::rfc2822::parse(date).ok());
            if let Some(date) = date {
                let ahead = date.timestamp().duration_since(Timestamp::now()).as_secs();
                self.seen.ahead.get_or_init(AtomicI64::default).store(ahead, Ordering::Relaxed);
            }
            Ok(answer)
        })
    }
}
