//! Direct access to the test server, without overspill.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use http_body::Body;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
};
use object_store::multipart::MultipartStore;
use object_store::{ClientOptions, ObjectStoreExt};
use overspill::store::OutputId;
use overspill::store::bucket::Bucket;
use tokio::runtime::Runtime;

use crate::server::{Server, variables};

/// A client that talks directly to the server.
pub(crate) struct Raw {
    store: AmazonS3,
    runtime: Runtime,
}

impl Raw {
    pub(crate) fn of(server: &Server) -> Raw {
        let mut builder = AmazonS3Builder::new().with_bucket_name("fleet").with_allow_http(true);
        builder = builder.with_http_connector(WholeBodies);
        for (name, value) in variables(&server.endpoint) {
            builder = builder.with_config(name.to_lowercase().parse().unwrap(), value);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Raw { store: builder.build().unwrap(), runtime }
    }

    /// Returns the key of an output of the tool `bash`.
    pub(crate) fn key(bucket: &Bucket, name: &OutputId) -> String {
        let day = name.time().unwrap().strftime("%Y-%m-%d");
        format!("{}/outputs/{day}/unknown/bash/{name}.txt", bucket.folder())
    }

    /// Returns the key of the record of an output.
    pub(crate) fn record(bucket: &Bucket, name: &OutputId) -> String {
        format!("{}/records/{name}", bucket.folder())
    }

    pub(crate) fn put(&self, key: &str, bytes: impl Into<Vec<u8>>) {
        self.runtime.block_on(self.store.put(&key.into(), bytes.into().into())).unwrap();
    }

    pub(crate) fn get(&self, key: &str) -> Option<Vec<u8>> {
        let key = key.into();
        let got = self.runtime.block_on(async { self.store.get(&key).await?.bytes().await });
        Some(got.ok()?.to_vec())
    }

    /// Returns the key and the id of the upload that the record of an output names, if there is
    /// one.
    pub(crate) fn upload(&self, bucket: &Bucket, name: &OutputId) -> Option<(String, String)> {
        let note = self.get(&Raw::record(bucket, name))?;
        let line = note.split(|&byte| byte == b'\n').next()?;
        let note: serde_json::Value = serde_json::from_slice(line).unwrap();
        Some((note["key"].as_str()?.to_owned(), note["upload"].as_str()?.to_owned()))
    }

    /// Tells whether an upload in parts accepts another part.
    pub(crate) fn is_open(&self, (key, upload): &(String, String)) -> bool {
        let key = key.as_str().into();
        self.runtime.block_on(self.store.put_part(&key, upload, 7, "part".into())).is_ok()
    }
}

/// An HTTP client that is as simple as can be: it waits, and holds bodies as a whole.
#[derive(Debug)]
struct WholeBodies;

impl HttpConnector for WholeBodies {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(WholeBodies))
    }
}

type Answer = Result<HttpResponse, HttpError>;

impl HttpService for WholeBodies {
    fn call<'a, 'b>(
        &'a self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        let (parts, body) = request.into_parts();
        let (mut body, mut whole) = (pin!(body), Vec::new());
        let mut context = Context::from_waker(Waker::noop());
        while let Poll::Ready(Some(Ok(frame))) = body.as_mut().poll_frame(&mut context) {
            whole.extend_from_slice(frame.data_ref().unwrap());
        }
        let is_empty = parts.method == "GET" || parts.method == "DELETE" || parts.method == "HEAD";
        let request = ureq::http::Request::from_parts(parts, whole);
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().new_agent();
        let sent = if is_empty { agent.run(request.map(drop)) } else { agent.run(request) };
        let answer = sent.and_then(|answer| {
            let (parts, mut body) = answer.into_parts();
            Ok(HttpResponse::from_parts(parts, body.read_to_vec()?.into()))
        });
        let answer = answer.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error));
        Box::pin(std::future::ready(answer))
    }
}
