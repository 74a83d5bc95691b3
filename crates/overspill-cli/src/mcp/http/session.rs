//! The state that lasts from one request to the next: the session, and the protocol revision.

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use ureq::http::Method;

use super::super::stdio::Out;
use super::Remote;
use super::redirect::Call;

/// The facts that the answers of the server have given so far.
#[derive(Debug, Default, Clone)]
pub(super) struct Now {
    pub(super) session: Option<String>,
    pub(super) revision: Option<String>,
    /// The address to which an old server wants its messages sent.
    pub(super) endpoint: Option<String>,
}

impl Remote {
    pub(super) fn now(&self) -> Now {
        self.now.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn all_headers(&self, now: &Now) -> Vec<(String, String)> {
        let mut headers = self.headers.clone();
        headers.extend(now.session.clone().map(|id| ("Mcp-Session-Id".to_owned(), id)));
        headers.extend(now.revision.clone().map(|id| ("MCP-Protocol-Version".to_owned(), id)));
        headers
    }

    /// Begins a new session with a server that was restarted; tells whether a session is open now.
    pub(super) fn renew(self: &Arc<Remote>, forgotten: Option<&str>) -> bool {
        const INITIALIZED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        const LONGEST_ANSWER: u64 = 1 << 20;
        // Requests that find the session forgotten at the same time begin one session together.
        let hello = self.hello.lock().unwrap_or_else(PoisonError::into_inner);
        if self.now().session.as_deref() != forgotten {
            return true;
        }
        let Some(frame) = &*hello else { return false };
        let set = |session: Option<String>| {
            self.now.write().unwrap_or_else(PoisonError::into_inner).session = session;
        };
        set(None);
        let Ok(response) = self.post(frame) else {
            set(forgotten.map(str::to_owned));
            return false;
        };
        let session = response.headers().get("mcp-session-id");
        let session = session.and_then(|session| session.to_str().ok()).map(str::to_owned);
        let is_well = response.status().is_success();
        // The client already has the answer to `initialize`.
        let answer = response.into_body().into_reader().take(LONGEST_ANSWER);
        let _ = io::copy(&mut { answer }, &mut io::sink());
        set(session);
        if is_well {
            let _ = self.post(INITIALIZED);
            self.listen();
        }
        is_well
    }

    /// Returns an output for the client that also notes the protocol revision of the server.
    pub(super) fn heard(self: &Arc<Remote>) -> Out {
        struct Heard(Arc<Remote>);
        impl Write for Heard {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                let answer: Value = serde_json::from_slice(bytes).unwrap_or_default();
                if let Some(revision) = answer["result"]["protocolVersion"].as_str() {
                    let mut now = self.0.now.write().unwrap_or_else(PoisonError::into_inner);
                    now.revision = Some(revision.to_owned());
                }
                self.0.write(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        Arc::new(Mutex::new(Box::new(Heard(self.clone()))))
    }

    /// Tells the server that the session has ended.
    pub(super) fn leave(&self) {
        let now = self.now();
        if now.session.is_none() {
            return;
        }
        let (method, headers) = (Method::DELETE, self.all_headers(&now));
        let timeout = Some(Duration::from_secs(1));
        let _ = Call { method, url: &self.url, headers: &headers, body: None, timeout }
            .send(&self.agent);
    }
}
