//! A proxy in front of any MCP server.
//!
//! An adapter: a message is decoded as far as it must be, bounded by the library, and put together
//! again from its own bytes. Whatever need not be changed passes byte for byte.
//!
//! From the bottom up: `tokens` and `walk` read JSON as it passes, `probe` learns what a message is,
//! `rewrite` shortens a result, `proxy` decides about each message, `long` about those that are too long to be
//! held, `stdio` moves the bytes.

mod answers;
mod edit;
mod frames;
#[cfg(feature = "fuzz")]
pub(crate) mod fuzz;
#[cfg_attr(not(feature = "http"), path = "no_http.rs")]
mod http;
mod list;
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

/// Offers our own tools, without a server, until the client ends.
pub(crate) fn serve(name: String, all_outputs: bool, env: &Env) -> anyhow::Result<()> {
    Ok(Serve::new(McpSettings::read(name, all_outputs, env)).run()?)
}

/// The server behind us.
#[derive(Debug, Clone)]
pub(crate) struct RelaySpec {
    pub(crate) server: ServerAddress,
    /// The name of the server in settings and records.
    pub(crate) name: String,
    /// The client can reach all saved outputs.
    pub(crate) all_outputs: bool,
    pub(crate) env: Env,
}

/// How a server is reached.
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

    /// Relays between our own streams and the server.
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
