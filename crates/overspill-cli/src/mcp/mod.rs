//! A proxy in front of any MCP server.
//!
//! The proxy decodes a message only as far as necessary, shortens it with the library, and puts it
//! together again from its own bytes. A message that needs no change is unchanged.
//!
//! The modules from the bottom up: `walk` reads JSON in chunks, `probe` learns the kind of a
//! message, `rewrite` shortens a result, `proxy` decides about each message, `long` handles
//! messages that are too long for memory, and `stdio` moves the bytes.

mod answers;
mod batch;
mod edit;
mod frames;
#[cfg(feature = "fuzz")]
pub(crate) mod fuzz;
#[cfg_attr(not(feature = "http"), path = "no_http.rs")]
mod http;
#[cfg(feature = "http")]
mod listen;
mod listing;
mod long;
mod mask;
mod pending;
mod probe;
mod proxy;
mod retrieval_tools;
mod rewrite;
mod scope;
mod serve;
mod server;
mod settings;
mod spooled_buffer;
#[cfg(feature = "http")]
mod sse;
mod stdio;
mod walk;
pub(crate) mod wrap;

use std::ffi::OsString;
use std::sync::Arc;

use proxy::Proxy;
use serve::Serve;
use server::Server;
use settings::McpSettings;
use stdio::ClientLine;

use crate::env::Env;
use crate::ui;

pub(crate) use settings::{IDLE, MAX_MEDIA, ResultSettings, TOOL_PREFIX, server_name};

/// Offers the retrieval tools, without a server behind the proxy, until the client ends.
pub(crate) fn serve(name: String, all_outputs: bool, env: &Env) -> anyhow::Result<()> {
    Ok(Serve::new(McpSettings::read(name, all_outputs, env)).run()?)
}

/// The server behind the proxy, and the settings for it.
#[derive(Debug, Clone)]
pub(crate) struct RelaySpec {
    pub(crate) server: ServerAddress,
    /// The name of the server in settings and records.
    pub(crate) name: String,
    /// Tells whether the client can reach all saved outputs.
    pub(crate) all_outputs: bool,
    pub(crate) env: Env,
}

/// The way to reach a server.
#[derive(Debug, Clone)]
pub(crate) enum ServerAddress {
    Command(Vec<OsString>),
    Http { url: String, headers: Vec<(String, String)> },
}

impl RelaySpec {
    fn proxy(&self) -> Arc<Proxy> {
        Arc::new(Proxy::new(McpSettings::read(self.name.clone(), self.all_outputs, &self.env)))
    }

    /// Listens at `address` until the process ends.
    pub(crate) fn listen(self, address: &str) -> anyhow::Result<()> {
        http::listen(address, self)
    }

    /// Relays between the standard streams of this process and the server.
    pub(crate) fn relay_here(&self) -> u8 {
        self.relay(ClientLine::ours())
    }

    /// Relays between a client and the server, until one of them ends; returns the exit code.
    fn relay(&self, line: ClientLine) -> u8 {
        match &self.server {
            ServerAddress::Http { url, headers } => {
                http::relay(self.proxy(), url, headers.clone(), line)
            }
            ServerAddress::Command(words) => match Server::start(words) {
                Ok(server) => stdio::relay(self.proxy(), server, line),
                Err(error) => {
                    let code = error.code();
                    ui::Failure::of(&error.into()).print(code);
                    code
                }
            },
        }
    }
}
