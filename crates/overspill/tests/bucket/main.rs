//! Tests of the bucket with a real server. `tools/buckets` starts one and prints its address.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, unreachable_pub, reason = "a test")]

mod fault;
mod faults;
mod fleet;
mod hostile;
mod page_cache;
mod raw;
mod server;
mod store;
