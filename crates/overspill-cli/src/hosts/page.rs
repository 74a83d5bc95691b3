//! Makes the table in docs/hosts.md from the table of hosts and from the last test run with the
//! real programs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use overspill::core::Limits;
use serde_json::Value;

use super::{Ceiling, HOSTS, Host, WaitsFor};

const BEGIN: &str =
    "<!-- begin: made by `cargo test -p overspill-cli page::write -- --ignored` -->\n";
const END: &str = "<!-- end -->\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text_of(file: &str) -> String {
    let path = root().join("crates/overspill-cli/tests/hosts").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the second word of the row of a host, or the whole rest of the row.
fn row<'a>(rows: &'a str, name: &str) -> Option<&'a str> {
    let mut rows = rows.lines().filter(|line| !line.starts_with('#'));
    rows.find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).map(str::trim)
}

fn number(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap())
        .collect();
    groups.join(",")
}

fn most(limits: &Limits) -> String {
    let size = match (limits.chars, limits.bytes) {
        (Some(chars), _) => format!("{} characters", number(chars)),
        (None, Some(bytes)) => format!("{} bytes", number(bytes)),
        (None, None) => "everything".into(),
    };
    let lines = limits.lines.map(|lines| format!(", {} lines", number(lines)));
    size + &lines.unwrap_or_default()
}

fn shown(ceiling: &Ceiling) -> String {
    let failed = ceiling.if_failed.and_then(|limits| limits.chars);
    let failed =
        failed.map(|chars| format!("; {} characters if the command failed", number(chars)));
    most(&ceiling.limits) + &failed.unwrap_or_default()
}

/// Returns the tested version and the checks that were not possible, or the reason why the host was
/// not run.
fn run(host: &Host, results: &Value) -> String {
    let Some(result) = results.get(host.name) else {
        let reasons = text_of("not-run");
        let reason = row(&reasons, host.name);
        return format!("no: {}", reason.unwrap_or_else(|| panic!("{} was not run", host.name)));
    };
    let version = result["version"].as_str().unwrap().trim_end_matches("-linux-x64");
    let except = result["except"].as_object().unwrap();
    let except: Vec<String> =
        except.iter().map(|(what, why)| format!("{what} ({})", why.as_str().unwrap())).collect();
    let except = if except.is_empty() {
        String::new()
    } else {
        format!("; not checked: {}", except.join(", "))
    };
    let newer = text_of("newer");
    let newer = row(&newer, host.name).and_then(|row| row.split_once(' '));
    let newer = newer.map_or_else(String::new, |(version, why)| {
        format!("; {version} was not run: {}", why.trim())
    });
    format!("{version}{newer}{except}")
}

/// Returns a text about how long a host reads the output of a background job.
fn waits(waits_for: WaitsFor) -> String {
    match waits_for {
        WaitsFor::PipeEnd => "yes".into(),
        WaitsFor::Moment(Duration::ZERO) => "no".into(),
        WaitsFor::Moment(time) | WaitsFor::ToldMoment(time) => format!("{} ms", time.as_millis()),
        WaitsFor::Pause(pause) => format!("until a pause of {} ms", pause.as_millis()),
        WaitsFor::Unknown => String::new(),
    }
}

fn table() -> String {
    let results: Value = serde_json::from_str(&text_of("results.json")).unwrap();
    let mut table = String::from(
        "| host | what is used | longest preview | `--mcp` | `--hooks` | waits for jobs | run for real |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for host in HOSTS {
        let yes = |is: bool| if is { "yes" } else { "" };
        table += &format!(
            "| `{}` | {} | {} | {} | {} | {} | {} |\n",
            host.name,
            host.how,
            shown(&host.ceiling),
            yes(host.servers.is_some()),
            yes(!host.second.is_empty()),
            waits(host.waits_for),
            run(host, &results),
        );
    }
    table
}

/// Returns the page with a new table.
fn page(old: &str) -> String {
    let (before, rest) = old.split_once(BEGIN).expect("docs/hosts.md has a place for the table");
    let (_, after) = rest.split_once(END).expect("the table in docs/hosts.md ends");
    format!("{before}{BEGIN}{}{END}{after}", table())
}

fn path() -> PathBuf {
    root().join("docs/hosts.md")
}

#[test]
fn hosts_page_shows_the_table_of_hosts_and_the_last_run() {
    let old = std::fs::read_to_string(path()).unwrap();
    assert!(old == page(&old), "docs/hosts.md is stale\nhint: run the command that it names");
}

#[test]
fn every_pinned_host_was_run_at_its_version() {
    let results: Value = serde_json::from_str(&text_of("results.json")).unwrap();
    let versions = text_of("versions");
    for host in HOSTS {
        let pinned = row(&versions, host.name).and_then(|row| row.split_whitespace().nth(1));
        let run = results.get(host.name).and_then(|result| result["version"].as_str());
        assert_eq!(run, pinned, "{}\nhint: run ./test --hosts", host.name);
    }
}

#[test]
fn every_newer_version_is_of_a_pinned_host_and_has_a_reason() {
    let (newer, versions) = (text_of("newer"), text_of("versions"));
    for line in newer.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let pinned = row(&versions, words[0]).and_then(|row| row.split_whitespace().nth(1));
        assert!(pinned.is_some_and(|pinned| pinned != words[1]) && words.len() > 2, "{line}");
    }
}

#[test]
#[ignore = "it writes docs/hosts.md"]
fn write() {
    let old = std::fs::read_to_string(path()).unwrap();
    std::fs::write(path(), page(&old)).unwrap();
}
