//! overspill for Node: decode, ask the library, encode. What is decided is decided there.
//!
//! Nothing here calls JavaScript. Strategies, predicates and stores that are written in it are asked
//! beforehand, on its own thread, and their answers come in as [`given::Given`]; what an observer is
//! to hear is fetched afterwards.

mod engine;
mod given;
mod report;
mod spill;
mod tasks;
