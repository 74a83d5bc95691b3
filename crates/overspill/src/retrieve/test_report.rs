//! Compares two test runs: finds failures that are gone, new, or still there.
//!
//! Reads the lines in which runners name a test together with its outcome: cargo test, nextest,
//! pytest, unittest, go test, TAP, jest, vitest, mocha, and the elements of JUnit XML.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::source::Source;
use crate::Error;
use crate::store::{OutputId, Store};

/// The size in bytes up to which outputs are read.
const MAX_BYTES: u64 = 64 << 20;
/// The number of characters to which names are cut.
const MAX_NAME: usize = 300;

/// The changes in the failures of a test run since an earlier run. Each list is sorted by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TestChanges {
    /// Tests that failed before and pass now.
    pub fixed: Vec<String>,
    /// Tests that fail now and did not fail before.
    pub new: Vec<String>,
    /// Tests that fail in both runs.
    pub still: Vec<String>,
    /// Tests that failed before and are not in the new report.
    pub not_run: Vec<String>,
}

/// Compares the test reports in two outputs. Returns `None` if they have no reports.
pub fn test_changes(
    store: &dyn Store,
    old: &OutputId,
    new: &OutputId,
) -> Result<Option<TestChanges>, Error> {
    let (Some(before), Some(after)) = (report(store, old)?, report(store, new)?) else {
        return Ok(None);
    };
    let has_passed = store.record(new)?.is_some_and(|record| record.exit == Some(0));
    if before.is_empty() || after.is_empty() && !has_passed {
        return Ok(None);
    }
    Ok(Some(changes(&before, &after)))
}

/// Tells for each test whether it failed.
type Report = BTreeMap<String, bool>;

fn changes(before: &Report, after: &Report) -> TestChanges {
    let mut changes = TestChanges::default();
    // A quiet runner names only failures, so a test without a name has passed.
    let is_quiet = after.values().all(|failed| *failed);
    for name in before.iter().filter(|(_, failed)| **failed).map(|(name, _)| name) {
        let list = match after.get(name) {
            Some(true) => &mut changes.still,
            Some(false) => &mut changes.fixed,
            None if is_quiet => &mut changes.fixed,
            None => &mut changes.not_run,
        };
        list.push(name.clone());
    }
    let failed = after.iter().filter(|(_, failed)| **failed).map(|(name, _)| name);
    changes.new = failed.filter(|name| before.get(*name) != Some(&true)).cloned().collect();
    changes
}

fn report(store: &dyn Store, name: &OutputId) -> Result<Option<Report>, Error> {
    if store.entry(name)?.bytes > MAX_BYTES {
        return Ok(None);
    }
    let mut source = Source::open(store, name)?;
    let mut bytes = Vec::new();
    loop {
        let block = source.block(bytes.len() as u64)?;
        if block.is_empty() {
            return Ok(Some(read(&String::from_utf8_lossy(&bytes))));
        }
        bytes.extend_from_slice(block);
    }
}

/// Reads the outcomes in a report. The last outcome of a test counts, because the test may have
/// been run again.
fn read(text: &str) -> Report {
    let mut report = Report::new();
    let mut add = |(name, failed): (&str, bool)| {
        let end = name.char_indices().nth(MAX_NAME).map_or(name.len(), |(at, _)| at);
        let name = name[..end].trim();
        if !name.is_empty() {
            report.insert(name.to_owned(), failed);
        }
    };
    for line in text.lines() {
        let line = without_colours(line);
        if let Some(outcome) = outcome(line.trim()) {
            add(outcome);
        }
    }
    for (name, failed) in testcases(text) {
        add((&name, failed));
    }
    report
}

/// Returns the name of a test and whether it failed, if the line has both.
fn outcome(line: &str) -> Option<(&str, bool)> {
    tap(line)
        .or_else(|| go(line))
        .or_else(|| nextest(line))
        // pytest has `::` in its names, too.
        .or_else(|| dotted(line))
        .or_else(|| pytest(line))
        .or_else(|| marked(line))
}

/// Reads `test parse::numbers ... FAILED` and `test_parse (tests.Parse) ... ok`.
fn dotted(line: &str) -> Option<(&str, bool)> {
    let (name, outcome) = line.rsplit_once(" ... ")?;
    let failed = match outcome.split(' ').next()? {
        "ok" => false,
        "FAILED" | "FAIL" | "ERROR" => true,
        _ => return None,
    };
    Some((name.strip_prefix("test ").unwrap_or(name), failed))
}

/// Reads `PASS [   0.012s] (3/40) crate::binary tests::name`.
fn nextest(line: &str) -> Option<(&str, bool)> {
    let (word, rest) = line.split_once(' ')?;
    let failed = match word {
        "PASS" => false,
        "FAIL" | "TIMEOUT" | "ABORT" | "SIGSEGV" | "SIGABRT" => true,
        _ => return None,
    };
    let (_, name) = rest.trim_start().strip_prefix('[')?.split_once(']')?;
    let name = name.trim_start();
    let name = match name.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((_, name)) => name,
        None => name,
    };
    Some((name, failed))
}

/// Reads `tests/a.py::test_b FAILED [ 12%]` and `FAILED tests/a.py::test_b - assert 1 == 2`.
fn pytest(line: &str) -> Option<(&str, bool)> {
    if let Some(rest) = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR ")) {
        let name = rest.split_once(" - ").map_or(rest, |(name, _)| name);
        return name.contains("::").then_some((name, true));
    }
    let is_test = |name: &&str| name.contains("::");
    let ends = [(" PASSED", false), (" FAILED", true), (" ERROR", true)];
    ends.into_iter().find_map(|(word, failed)| {
        let (name, rest) = line.split_once(word)?;
        let rest = rest.trim_start();
        let ends = rest.is_empty() || rest.starts_with('[');
        Some((Some(name).filter(is_test).filter(|_| ends)?, failed))
    })
}

/// Reads `--- FAIL: TestParse (0.00s)`.
fn go(line: &str) -> Option<(&str, bool)> {
    let (failed, name) = match line.strip_prefix("--- FAIL: ") {
        Some(name) => (true, name),
        None => (false, line.strip_prefix("--- PASS: ")?),
    };
    Some((name.rsplit_once(" (").map_or(name, |(name, _)| name), failed))
}

/// Reads `not ok 12 - rejects an invalid key`.
fn tap(line: &str) -> Option<(&str, bool)> {
    let (failed, rest) = match line.strip_prefix("not ok ") {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix("ok ")?),
    };
    let name = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if name.len() == rest.len() {
        return None;
    }
    let (name, directive) = name.split_once(" # ").unwrap_or((name, ""));
    let directive = directive.to_ascii_uppercase();
    if directive.starts_with("TODO") || directive.starts_with("SKIP") {
        return None;
    }
    Some((name.trim_start().trim_start_matches("- "), failed))
}

/// Reads `✓ parses numbers (3 ms)`.
fn marked(line: &str) -> Option<(&str, bool)> {
    let starts = |marks: [&'static str; 4]| marks.iter().find_map(|mark| line.strip_prefix(mark));
    let (failed, name) = match starts(["✕", "✗", "✖", "×"]) {
        Some(name) => (true, name),
        None => (false, starts(["✓", "✔", "√", "✅"])?),
    };
    Some((without_duration(name.trim()), failed))
}

/// Returns a name without ` (3 ms)` or ` 3ms` after it.
fn without_duration(name: &str) -> &str {
    let Some((before, last)) = name.rsplit_once(' ') else { return name };
    let unit = last.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '(');
    match unit {
        "ms" | "s" | "ms)" | "s)" if unit.len() < last.len() => before.trim_end(),
        // `(3 ms)` has two words.
        "ms)" | "s)" => match before.rsplit_once(" (") {
            Some((name, number)) if number.parse::<f64>().is_ok() => name.trim_end(),
            _ => name,
        },
        _ => name,
    }
}

/// Returns the test cases of JUnit XML.
fn testcases(text: &str) -> Vec<(String, bool)> {
    let mut cases = Vec::new();
    for part in text.split("<testcase").skip(1) {
        let Some((head, body)) = part.split_once('>') else { continue };
        let Some(name) = attribute(head, "name") else { continue };
        let body = if head.ends_with('/') { "" } else { body };
        let body = body.split_once("</testcase").map_or(body, |(body, _)| body);
        let failed = body.contains("<failure") || body.contains("<error");
        if body.contains("<skipped") {
            continue;
        }
        let class = attribute(head, "classname").filter(|class| !class.is_empty());
        cases.push((
            class.map_or_else(|| name.to_owned(), |class| format!("{class}.{name}")),
            failed,
        ));
    }
    cases
}

fn attribute<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let start = head.find(&format!(" {name}=\""))? + name.len() + 3;
    head[start..].split_once('"').map(|(value, _)| value)
}

/// Returns a line without escape sequences for colours.
fn without_colours(line: &str) -> String {
    let mut parts = line.split("\x1b[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| c.is_ascii_alphabetic()).map_or(part.len(), |at| at + 1);
        plain.push_str(&part[end..]);
    }
    plain
}
