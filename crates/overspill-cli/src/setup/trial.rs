//! The trial of `doctor`: sends a long output through overspill in the same way as a host, and
//! checks the result.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use overspill::core::Limits;
use serde_json::Value;

use crate::env::Env;
use crate::hosts::hook::HookFormat;
use crate::hosts::{Ceiling, Host, SHELLS, SetupStep};
use crate::settings::variables;
use crate::ui;

/// A command that prints many lines and fails.
const LINE: &str = "i=0; while [ $i -lt 4000 ]; do echo line $i; i=$((i+1)); done; exit 3";
const LAST: &str = "line 3999";

/// Runs the programs that a host would run, with a temporary store.
pub(super) struct Trial<'a> {
    store: PathBuf,
    env: &'a Env,
    ceiling: Ceiling,
}

/// The name of a trial, and its result.
type Tried = (&'static str, Result<String, String>);

impl Trial<'_> {
    pub(super) fn of(host: &Host, env: &Env) -> Vec<Tried> {
        let name = format!("overspill-doctor-{}", std::process::id());
        let trial =
            Trial { store: env.temporary_directory().join(name), env, ceiling: host.ceiling };
        let link = |name: &str| env.links().join(name);
        let mut all = Vec::new();
        // Here the frame is only a comment, by which overspill recognises the host.
        let framed = format!("# {}\n{LINE}", host.frame.unwrap_or_default());
        let mark = host.mark.map_or((variables::HOST, host.name), |name| (name, "1"));
        for step in host.steps {
            match step {
                SetupStep::Link("overspill-sh") => {
                    let line = format!("eval '{LINE}' < /dev/null && pwd -P >| /dev/null");
                    all.push(("a command", trial.command(&link("overspill-sh"), &[&line], &[])));
                }
                SetupStep::Link(name) => {
                    all.push(("a command", trial.command(&link(name), &["-c", &framed], &[mark])));
                }
                SetupStep::ShellLink => {
                    // The user may have had another shell when `init` ran.
                    let names = [host.shell.link(env)].into_iter().chain(SHELLS);
                    let mut links = names.map(link);
                    let bash = link("bash");
                    let slot = links.find(|link| link.exists()).unwrap_or(bash);
                    all.push(("a command", trial.command(&slot, &["-c", &framed], &[mark])));
                }
                SetupStep::Script { name, .. } => {
                    let script = link(name).to_string_lossy().into_owned();
                    let bash = Path::new("/bin/bash");
                    all.push((
                        "a command",
                        trial.command(bash, &["-c", &framed], &[("BASH_ENV", &script), mark]),
                    ));
                }
                _ => {}
            }
        }
        if let Some(format) = host.hook {
            all.push(("a result", trial.hook(host.name, format)));
        }
        let _ = std::fs::remove_dir_all(&trial.store);
        all
    }

    fn command(
        &self,
        program: &Path,
        words: &[&str],
        variables: &[(&str, &str)],
    ) -> Result<String, String> {
        let mut command = self.start(program);
        let output =
            command.args(words).envs(variables.iter().copied()).stdin(Stdio::null()).output();
        let output =
            output.map_err(|error| format!("{}: {}", ui::path(program), ui::reason(&error)))?;
        let text = String::from_utf8_lossy(&output.stdout);
        judged(&text, &self.ceiling)?;
        match output.status.code() {
            Some(3) => Ok("a long output is shortened, and the exit code is right".into()),
            Some(code) => Err(format!("the exit code is {code} in place of 3")),
            None => Err("a signal ended the command".into()),
        }
    }

    fn hook(&self, name: &str, format: &dyn HookFormat) -> Result<String, String> {
        let text: String = (0..4_000).map(|n| format!("line {n}\n")).collect();
        let payload = format.sample(&text);
        let mut command = self.start(&self.env.links().join("overspill"));
        let output = fed(command.args(["hook", name]), &payload.to_string());
        let output = output.map_err(|error| ui::reason(&error))?;
        let answer: Value = serde_json::from_slice(&output.stdout).map_err(|_| {
            format!("no answer; {}", String::from_utf8_lossy(&output.stderr).trim())
        })?;
        if format.rewrite_command(&payload, self.env).is_some() {
            return Ok("overspill runs the command".into());
        }
        judged(&longest(&answer), &self.ceiling).map(|()| "a long output is shortened".into())
    }

    fn start(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        crate::process::restore_signals(&mut command);
        command.env("OVERSPILL_DIR", &self.store).env_remove(variables::ACTIVE);
        command
    }
}

/// Starts a program, writes a text to its standard input, and waits for its end.
fn fed(command: &mut Command, text: &str) -> std::io::Result<Output> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(text.as_bytes());
    }
    child.wait_with_output()
}

fn judged(text: &str, ceiling: &Ceiling) -> Result<(), String> {
    let Limits { chars, bytes, .. } = ceiling.limits;
    let most = chars.or(bytes).unwrap_or(u64::MAX);
    // The host may add a line.
    let len = text.chars().count() as u64;
    if len > most + 100 {
        return Err(format!("{len} characters came through: too many"));
    }
    let has = |part: &str| text.contains(part);
    if has("[overspill ") && has(LAST) {
        Ok(())
    } else {
        Err("the notice or the end is missing".into())
    }
}

/// Returns the longest text in an answer.
fn longest(value: &Value) -> String {
    let of_all = |values: &mut dyn Iterator<Item = &Value>| {
        values.map(longest).max_by_key(String::len).unwrap_or_default()
    };
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => of_all(&mut items.iter()),
        Value::Object(fields) => of_all(&mut fields.values()),
        _ => String::new(),
    }
}
