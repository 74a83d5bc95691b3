//! Sends requests to the bucket from synchronous code.
//!
//! The first request connects and starts the thread of the runtime.

use std::future::Future;
use std::ops::Range;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use jiff::Timestamp;
use object_store::list::PaginatedListOptions;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectMeta, PutMode, PutOptions, PutPayload};
use tokio::runtime::{Builder, Handle};

use super::address::Address;
use super::connect::{Server, connect};
use super::failure::Failure;
use super::watch::Seen;

/// The traffic with the server so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    /// The number of requests.
    pub requests: u64,
    /// The number of bytes in the responses.
    pub received: u64,
}

/// The time limit of a request without a limit of its own.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// The time limit of many requests, or of one large response. A silent server ends the wait
/// earlier.
pub(super) const LONG: Duration = Duration::from_secs(600);
/// The number of small requests at the same time.
pub(super) const AT_ONCE: usize = 16;

/// A bucket, and the connection to it.
#[derive(Debug)]
pub(super) struct Remote {
    address: Address,
    variables: Vec<(String, String)>,
    /// The setting behind each variable, so that errors can name the setting.
    pub(super) setting_names: Vec<(String, String)>,
    /// The reason why the server must not be contacted, if there is one.
    pub(super) blocked: Option<String>,
    connected: OnceLock<Result<Connected, Failure>>,
    pub(super) seen: Arc<Seen>,
    #[cfg(test)]
    server: Option<Arc<dyn Server>>,
}

#[derive(Debug)]
struct Connected {
    objects: Objects,
    runtime: Handle,
}

/// The objects of a bucket, as the target of requests.
#[derive(Debug, Clone)]
pub(super) struct Objects(pub(super) Arc<dyn Server>);

impl Remote {
    pub(super) fn new(address: Address, variables: Vec<(String, String)>) -> Remote {
        Remote {
            address,
            variables,
            setting_names: Vec::new(),
            blocked: None,
            connected: OnceLock::new(),
            seen: Arc::default(),
            #[cfg(test)]
            server: None,
        }
    }

    /// Sends requests to this server instead of the server at the address.
    #[cfg(test)]
    pub(super) fn with_server(self, server: Arc<dyn Server>) -> Remote {
        Remote { server: Some(server), ..self }
    }

    /// Returns the address of the bucket.
    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    fn server(&self) -> Result<Arc<dyn Server>, Failure> {
        #[cfg(test)]
        if let Some(server) = &self.server {
            return Ok(server.clone());
        }
        if let Some(reason) = &self.blocked {
            return Err(Failure::Other(reason.clone()));
        }
        connect(&self.address, &self.variables, &self.setting_names, &self.seen)
    }

    fn connected(&self) -> Result<&Connected, Failure> {
        let connected = self.connected.get_or_init(|| {
            let objects = Objects(self.server()?);
            let failed = |error: std::io::Error| Failure::Other(error.to_string());
            let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
            let handle = runtime.handle().clone();
            thread::Builder::new()
                .name("overspill-bucket".into())
                // The thread lives as long as the process, because a name lookup cannot be
                // interrupted.
                .spawn(move || runtime.block_on(std::future::pending::<()>()))
                .map_err(failed)?;
            Ok(Connected { objects, runtime: handle })
        });
        connected.as_ref().map_err(Clone::clone)
    }

    /// Starts a request, and returns a handle to wait for its response.
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
        Ok(Waiting { answer: waiting, task: Some(task), seen: self.seen.clone() })
    }

    /// Sends a request and waits for its response.
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

    /// Lists all objects below a folder.
    pub(super) fn list(&self, path: &Path) -> Result<Vec<ObjectMeta>, Failure> {
        let path = path.clone();
        self.run(LONG, |objects| async move { objects.list(&path).await })
    }

    /// Removes objects. A missing object is not a failure.
    pub(super) fn delete(&self, paths: Vec<Path>) -> Result<(), Failure> {
        self.run(PATIENCE, |objects| async move { objects.delete(paths).await })
    }

    /// Returns the time of the server's clock, if the server has sent a response.
    pub(super) fn time(&self) -> Option<Timestamp> {
        self.seen.time()
    }
}

/// A response that has not arrived yet.
#[derive(Debug)]
pub(super) struct Waiting<T> {
    answer: Receiver<Result<T, Failure>>,
    task: Option<tokio::task::JoinHandle<()>>,
    seen: Arc<Seen>,
}

impl<T> Waiting<T> {
    pub(super) fn within(mut self, wait: Duration) -> Result<T, Failure> {
        let answer = self.answer.recv_timeout(wait);
        match answer {
            Ok(answer) => {
                self.task = None;
                answer
            }
            Err(RecvTimeoutError::Timeout) => Err(self.seen.late(wait)),
            Err(RecvTimeoutError::Disconnected) => Err(Failure::Other("it was cancelled".into())),
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

/// A range of an object, with the metadata of the object.
#[derive(Debug, Clone)]
pub(super) struct Got {
    pub(super) bytes: Vec<u8>,
    pub(super) meta: ObjectMeta,
}

impl Objects {
    pub(super) async fn get(&self, path: &Path, range: Option<Range<u64>>) -> Result<Got, Failure> {
        match self.pieces(path, range).await {
            Ok((pieces, meta)) => Ok(Got { bytes: pieces.concat(), meta }),
            // A range request for an empty object is an error.
            Err(Failure::OutOfRange) => {
                let meta = self.head(path).await?.ok_or(Failure::NotFound)?;
                Ok(Got { bytes: Vec::new(), meta })
            }
            Err(failure) => Err(failure),
        }
    }

    /// Gets a range of an object in the pieces in which it arrives, without copying them.
    pub(super) async fn pieces(
        &self,
        path: &Path,
        range: Option<Range<u64>>,
    ) -> Result<(Vec<Bytes>, ObjectMeta), Failure> {
        let options = GetOptions { range: range.map(GetRange::Bounded), ..GetOptions::default() };
        let got = self.0.get_opts(path, options).await?;
        let meta = got.meta.clone();
        Ok((got.into_stream().try_collect().await?, meta))
    }

    /// Returns the metadata of an object, or `None` if it does not exist.
    pub(super) async fn head(&self, path: &Path) -> Result<Option<ObjectMeta>, Failure> {
        let options = GetOptions { head: true, ..GetOptions::default() };
        match self.0.get_opts(path, options).await.map_err(Failure::from) {
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
        self.0.put_opts(path, payload, options).await.map(drop).map_err(Failure::from)
    }

    pub(super) async fn list(&self, path: &Path) -> Result<Vec<ObjectMeta>, Failure> {
        Ok(self.0.list(Some(path)).try_collect().await?)
    }

    /// Lists all objects in a folder whose names begin with `start`.
    pub(super) async fn named(&self, folder: &Path, start: &str) -> Result<Vec<Path>, Failure> {
        let prefix = format!("{folder}/{start}");
        let mut options = PaginatedListOptions::default();
        let mut found = Vec::new();
        loop {
            let page = self.0.list_paginated(Some(&prefix), options).await?;
            found.extend(page.result.objects.into_iter().map(|meta| meta.location));
            let Some(token) = page.page_token else { return Ok(found) };
            options = PaginatedListOptions { page_token: Some(token), ..Default::default() };
        }
    }

    /// Lists the names of the folders in a folder.
    pub(super) async fn folders(&self, path: &Path) -> Result<Vec<String>, Failure> {
        let listed = self.0.list_with_delimiter(Some(path)).await?;
        let names = listed.common_prefixes.iter().filter_map(|path| path.filename());
        Ok(names.map(str::to_owned).collect())
    }

    pub(super) async fn delete(&self, paths: Vec<Path>) -> Result<(), Failure> {
        let paths = futures_util::stream::iter(paths.into_iter().map(Ok)).boxed();
        let mut deleted = self.0.delete_stream(paths);
        while let Some(one) = deleted.next().await {
            match one.map_err(Failure::from) {
                Ok(_) | Err(Failure::NotFound) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }
}
