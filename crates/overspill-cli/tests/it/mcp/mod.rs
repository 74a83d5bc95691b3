//! The proxy in front of an MCP server.

pub(crate) mod client;
mod ends;
mod http;
mod junk;
mod peers;
mod relay;
mod results;
mod tools;
