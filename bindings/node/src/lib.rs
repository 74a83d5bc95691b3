//! overspill for Node: converts values and calls the library, which makes all decisions.
//!
//! This code never calls JavaScript. Strategies, predicates and stores that are written in
//! JavaScript are called in advance, on its own thread, and their answers come in as
//! [`precomputed::PrecomputedAnswers`]. JavaScript fetches events for an observer afterwards.

mod engine;
mod precomputed;
mod report;
mod spill;
mod tasks;
