//! Tests of the library from outside: stores, settings, tools and the five source systems.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod answer;
mod builder;
mod crash;
mod credentials;
#[cfg(unix)]
mod disk;
mod examples;
mod faults;
mod full;
mod notice;
mod redact;
mod results;
mod seeds;
mod service;
mod settings;
mod spill;
mod store;
mod structure;
mod sweep;
mod tool;
mod users;
mod vectors;
