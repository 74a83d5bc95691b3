//! An object store in memory that records the gets and the aborted uploads, for tests.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures_util::TryStreamExt;
use futures_util::stream::BoxStream;
use object_store::list::{PaginatedListOptions, PaginatedListResult, PaginatedListStore};
use object_store::memory::InMemory;
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetRange, GetResult, ListResult, MultipartId, MultipartUpload,
    ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

/// A get request: the key and the requested range.
type Get = (String, Option<Range<u64>>);

/// The server of a test.
#[derive(Debug, Clone, Default)]
pub(super) struct MemoryServer {
    objects: Arc<InMemory>,
    /// Every get request that is not a head request.
    pub(super) gets: Arc<Mutex<Vec<Get>>>,
    /// Every aborted upload: the key and the upload id.
    pub(super) aborted: Arc<Mutex<Vec<(String, String)>>>,
}

impl fmt::Display for MemoryServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MemoryServer")
    }
}

#[async_trait]
impl ObjectStore for MemoryServer {
    async fn put_opts(&self, at: &Path, bytes: PutPayload, how: PutOptions) -> Result<PutResult> {
        self.objects.put_opts(at, bytes, how).await
    }

    async fn put_multipart_opts(
        &self,
        at: &Path,
        how: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.objects.put_multipart_opts(at, how).await
    }

    async fn get_opts(&self, at: &Path, how: GetOptions) -> Result<GetResult> {
        if !how.head {
            let range = match &how.range {
                Some(GetRange::Bounded(range)) => Some(range.clone()),
                _ => None,
            };
            self.gets.lock().unwrap().push((at.to_string(), range));
        }
        self.objects.get_opts(at, how).await
    }

    fn delete_stream(
        &self,
        at: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.objects.delete_stream(at)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.objects.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.objects.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, how: CopyOptions) -> Result<()> {
        self.objects.copy_opts(from, to, how).await
    }
}

#[async_trait]
impl MultipartStore for MemoryServer {
    async fn create_multipart(&self, at: &Path) -> Result<MultipartId> {
        self.objects.create_multipart(at).await
    }

    async fn put_part(
        &self,
        at: &Path,
        id: &MultipartId,
        number: usize,
        bytes: PutPayload,
    ) -> Result<PartId> {
        self.objects.put_part(at, id, number, bytes).await
    }

    async fn complete_multipart(
        &self,
        at: &Path,
        id: &MultipartId,
        parts: Vec<PartId>,
    ) -> Result<PutResult> {
        self.objects.complete_multipart(at, id, parts).await
    }

    async fn abort_multipart(&self, at: &Path, id: &MultipartId) -> Result<()> {
        self.aborted.lock().unwrap().push((at.to_string(), id.clone()));
        Ok(())
    }
}

#[async_trait]
impl PaginatedListStore for MemoryServer {
    async fn list_paginated(
        &self,
        prefix: Option<&str>,
        _: PaginatedListOptions,
    ) -> Result<PaginatedListResult> {
        let mut objects: Vec<ObjectMeta> = self.objects.list(None).try_collect().await?;
        objects.retain(|meta| meta.location.as_ref().starts_with(prefix.unwrap_or_default()));
        let result =
            ListResult { objects, common_prefixes: Vec::new(), extensions: Default::default() };
        Ok(PaginatedListResult { result, page_token: None })
    }
}
