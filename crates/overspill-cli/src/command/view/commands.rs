//! Runs the commands that the page asks for, such as `list` and `grep`. The page gets the JSON that
//! they print with `--json`.

use std::ffi::OsString;

use crate::args::{self, Command};
use crate::command;
use crate::env::Env;
use crate::ui;

/// A command that the page may run.
struct PageCommand {
    name: &'static str,
    /// The options that the page may set.
    options: &'static [&'static str],
    /// Tells whether the command changes the store. Then the request must be a POST.
    changes: bool,
}

const COMMANDS: [PageCommand; 8] = [
    PageCommand {
        name: "list",
        options: &[
            "failed",
            "tool",
            "session",
            "command",
            "directory",
            "host",
            "larger",
            "since",
            "day",
            "sort",
            "limit",
        ],
        changes: false,
    },
    PageCommand {
        name: "grep",
        options: &[
            "regexp",
            "ignore-case",
            "fixed-strings",
            "word-regexp",
            "context",
            "from",
            "max-count",
            "within",
        ],
        changes: false,
    },
    PageCommand { name: "diff", options: &["from", "lines"], changes: false },
    PageCommand {
        name: "explain",
        options: &["now", "keep", "max-bytes", "max-lines", "max-tokens", "fill"],
        changes: false,
    },
    PageCommand { name: "stats", options: &["days", "price"], changes: false },
    PageCommand { name: "info", options: &[], changes: false },
    PageCommand { name: "pin", options: &["off"], changes: true },
    PageCommand { name: "rm", options: &["force"], changes: true },
];

/// Tells whether a command changes the store. Returns `None` if the page may not run the command.
pub(super) fn changes(name: &str) -> Option<bool> {
    COMMANDS.iter().find(|known| known.name == name).map(|known| known.changes)
}

/// Runs a command with the options of a query. Returns its exit code and its output.
///
/// Each `id` in the query becomes an argument. A key without a value becomes an option without a
/// value.
pub(super) fn run(
    name: &str,
    query: &[(String, String)],
    profile: &[String],
    env: &Env,
) -> (u8, Vec<u8>) {
    let Some(known) = COMMANDS.iter().find(|known| known.name == name) else {
        return refused("the page cannot run this command");
    };
    let mut words: Vec<OsString> = ["overspill", name, "--json"].map(OsString::from).to_vec();
    if name != "explain" {
        words.extend(profile.iter().map(OsString::from));
    }
    let mut ids = Vec::new();
    for (key, value) in query {
        match key.as_str() {
            "id" => ids.push(OsString::from(value)),
            key if known.options.contains(&key) && value.is_empty() => {
                words.push(format!("--{key}").into());
            }
            key if known.options.contains(&key) => words.push(format!("--{key}={value}").into()),
            _ => return refused("the page cannot use this option"),
        }
    }
    words.push("--".into());
    words.extend(ids);
    ui::captured(|| match args::read(&words, env) {
        Ok(Command::List(args)) => command::list::run(&args, env),
        Ok(Command::Grep(args)) => command::grep::run(&args, env),
        Ok(Command::Diff(args)) => command::diff::run(&args, env),
        Ok(Command::Explain(args)) => command::explain::run(&args, env),
        Ok(Command::Stats(args)) => command::stats::run(&args, env),
        Ok(Command::Info(args)) => command::info::run(&args, env),
        Ok(Command::Pin(args)) => command::pin::run(&args, env),
        Ok(Command::Rm(args)) => command::rm::run(&args, env),
        Ok(_) => 2,
        Err(error) => {
            args::explained(&error, &words, None).print(2);
            2
        }
    })
}

fn refused(why: &'static str) -> (u8, Vec<u8>) {
    ui::captured(|| ui::ended(Err(ui::UsageError(why.into()).into())))
}

/// Reads the query of an address.
pub(super) fn query(text: &str) -> Vec<(String, String)> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    let pair = |pair: &str| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(key), decoded(value))
    };
    pairs.map(pair).collect()
}

/// Replaces `%41` by its byte, and `+` by a space.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let hex = hex.filter(|hex| hex.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match (byte, hex.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            (b'+', _) => {
                bytes.push(b' ');
                rest = after;
            }
            (byte, _) => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn answer(name: &str, typed: &str) -> (u8, String) {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("store");
        let env = Env::of_table(&[("OVERSPILL_DIR", store.to_str().unwrap())], Path::new("/"));
        let (code, answer) = run(name, &query(typed), &[], &env);
        (code, String::from_utf8(answer).unwrap())
    }

    #[test]
    fn query_is_decoded() {
        let pairs = query("a=1&b&c=x%20y+z%2&=&d=%e2%82%ac");
        let text: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}:{value}")).collect();
        assert_eq!(text, ["a:1", "b:", "c:x y z%2", ":", "d:€"]);
    }

    #[test]
    fn only_listed_commands_and_options_run() {
        assert_eq!(answer("list", "failed&limit=3"), (0, String::new()));
        for (name, typed) in [
            ("run", "id=true"),
            ("config", ""),
            ("rm", "all"),
            ("list", "color=always"),
            ("hook", ""),
        ] {
            let (code, text) = answer(name, typed);
            assert!(
                code == 2 && text.contains(r#""error":{"message":"the page cannot"#),
                "{name} {typed}: {text}"
            );
        }
    }

    #[test]
    fn value_with_a_dash_is_not_an_option_and_errors_are_json() {
        let (code, text) = answer("info", "id=--help");
        assert!(code == 1 && text.contains(r#""error":"#), "{text}");
        let (code, text) = answer("grep", "regexp=(");
        assert!(code == 2 && text.contains("not a regular expression"), "{text}");
        let (code, text) = answer("list", "limit=x");
        assert!(code == 2 && text.contains(r#""error":"#), "{text}");
    }
}
