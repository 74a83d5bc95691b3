//! The bucket, against a real server. `tools/buckets` starts one and says where it is.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, unreachable_pub, reason = "a test")]

mod fault;
mod faults;
mod fleet;
mod hostile;
mod page_cache;
mod raw;
mod server;
mod store;
