//! Tests of the proxy in front of an MCP server.

pub(crate) mod client;
mod ends;
mod forms;
mod giants;
mod hostile;
mod http;
mod junk;
mod listen_limits;
mod listening;
mod peers;
mod redirects;
mod relay;
mod results;
mod tools;
mod wrap;
mod wrap_links;
