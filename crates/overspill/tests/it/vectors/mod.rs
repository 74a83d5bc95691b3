//! Runs the golden vectors of the five source systems.
//!
//! `OVERSPILL_VECTORS` names another directory with files of the same format. An unknown kind or
//! field fails the run: a vector is never skipped.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test")]

mod agent_v2;
mod fixture;
mod klaude;
mod opencode;
mod takumi;
mod text;
mod unified;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use serde_json::{Map, Value};

/// A vector, with the fields that were read so far.
pub(crate) struct Vector {
    fields: Map<String, Value>,
    seen: std::cell::RefCell<std::collections::BTreeSet<String>>,
}

impl Vector {
    fn new(fields: &Value) -> Vector {
        let seen = ["id", "why", "seed", "kind"].map(str::to_owned).into();
        Vector { fields: fields.as_object().unwrap().clone(), seen: std::cell::RefCell::new(seen) }
    }

    /// Returns a field that may be missing.
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.seen.borrow_mut().insert(key.to_owned());
        self.fields.get(key)
    }

    /// Returns a field that must exist.
    #[track_caller]
    pub(crate) fn field(&self, key: &str) -> &Value {
        self.get(key).unwrap_or_else(|| panic!("no field {key}"))
    }

    pub(crate) fn text(&self, key: &str) -> Option<String> {
        self.get(key).and_then(Value::as_str).map(str::to_owned)
    }

    /// Returns the expected result, as a vector.
    pub(crate) fn expect(&self) -> Vector {
        let expect = Vector::new(self.field("expect"));
        expect.seen.borrow_mut().clear();
        expect
    }

    /// Fails if a field was never read.
    #[track_caller]
    pub(crate) fn done(&self) {
        for key in self.fields.keys() {
            assert!(self.seen.borrow().contains(key), "unknown field {key}");
        }
    }

    fn kind(&self) -> &str {
        self.fields["kind"].as_str().unwrap()
    }
}

fn directory() -> PathBuf {
    match std::env::var_os("OVERSPILL_VECTORS") {
        Some(directory) => directory.into(),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/data"),
    }
}

#[test]
fn every_vector_passes() {
    let mut counts = BTreeMap::new();
    let mut failures = Vec::new();
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    for file in files {
        let content: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let profile = content["profile"].as_str().unwrap().to_owned();
        assert_eq!(content["format"], 2, "{}: unknown format", file.display());
        let vectors = content["vectors"].as_array().unwrap();
        assert_eq!(content["count"], vectors.len(), "{}", file.display());
        for vector in vectors {
            *counts.entry(profile.clone()).or_insert(0) += 1;
            let run = || run(&profile, &Vector::new(vector));
            if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
                let message = panic.downcast_ref::<String>().cloned();
                let message = message.or(panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
                failures.push(format!(
                    "{profile} {}: {}",
                    vector["id"],
                    message.unwrap_or_default()
                ));
            }
        }
    }
    for (profile, count) in &counts {
        println!("{profile}: {count} vectors");
    }
    assert!(counts.values().sum::<i32>() > 0, "there are no vectors in {}", directory().display());
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

fn run(profile: &str, vector: &Vector) {
    match (profile, vector.kind()) {
        ("klaude", "truncate") => klaude::truncate(vector),
        ("klaude", "simple") => klaude::simple(vector),
        ("klaude", "ui") => klaude::ui(vector),
        ("unified", "respond") => unified::respond(vector),
        ("takumi", "hook") => takumi::hook(vector),
        ("takumi", "config") => takumi::config(vector),
        ("takumi", "config-set") => takumi::config_set(vector),
        ("agent-v2", "service") => agent_v2::service(vector),
        ("agent-v2", "middleware") => agent_v2::middleware(vector),
        ("agent-v2", "registry") => agent_v2::registry(vector),
        ("agent-v2", "strategy") => agent_v2::strategy(vector),
        ("agent-v2", "lines") => agent_v2::lines(vector),
        ("opencode", "output") => opencode::output(vector),
        ("opencode", "define") => opencode::define(vector),
        ("opencode", "wildcard") => opencode::wildcard(vector),
        ("opencode", "direction") => opencode::direction(vector),
        ("opencode", "lazy-sweep") => opencode::lazy_sweep(vector),
        (_, "names") => fixture::names(profile, vector),
        (_, "sweep") => fixture::sweep(profile, vector),
        (_, kind) => panic!("unknown kind {kind}"),
    }
    vector.done();
}
