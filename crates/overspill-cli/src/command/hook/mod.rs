//! `overspill hook`: what a host calls after a tool has run, or before it does.
//!
//! An adapter: decode, apply, encode. On any doubt nothing is printed, which leaves everything as it is
//! in every host, and the exit code is 0: others mean "do not run this" to some hosts.

mod copilot;
mod host_file;
mod input;
mod shapes;

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;

use overspill::tool::walk::ResultRules;
use overspill::tool::{Bounded, Gates};
use overspill::{Call, CallEnd, CallOptions, Outcome, Overspill};
use serde_json::Value;

use crate::buffer::Buffer;
use crate::hosts::{self, HookShape, Host};
use crate::mcp::ResultSettings;
use crate::settings::SettingSources;
use crate::ui;

/// Answers a host agent that asks what to do with the result of a tool.
///
/// Takes the host's own JSON on standard input and prints what the host expects, or nothing if there is
/// nothing to change. Never allows a call. `overspill init` sets it up.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill hook copilot < payload.json")]
pub(crate) struct HookArgs {
    /// Whose hook it is.
    host: String,
    /// What a newer host may add.
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    more: Vec<String>,
}

impl HookArgs {
    pub(crate) fn of(host: &str) -> HookArgs {
        HookArgs { host: host.to_owned(), more: Vec::new() }
    }
}

pub(crate) fn hook(args: &HookArgs) -> u8 {
    match try_hook(&args.host) {
        Ok(None) => {}
        Ok(Some(answer)) => {
            let _ = ui::answer(&format!("{answer}\n"));
        }
        Err(why) => ui::say(&format!("{why}; nothing is changed")),
    }
    0
}

fn try_hook(name: &str) -> Result<Option<Value>, String> {
    let host = Host::named(name).filter(|host| host.hook.is_some());
    let shape = host
        .and_then(|host| host.hook)
        .ok_or_else(|| format!("there is no hook for a host {:?}", ui::short(name, 40)))?;
    let payload = input::read(std::io::stdin().lock())?;
    Ok(answer(shape, &payload))
}

/// Returns what a host is told; nothing if nothing is to change.
pub(crate) fn answer(shape: HookShape, payload: &Value) -> Option<Value> {
    if shape == HookShape::Cursor
        && let Some(line) = shapes::line(payload)
    {
        return Some(shapes::rewritten(payload, &line));
    }
    let name = shapes::result(shape, payload)?;
    let in_force = SettingSources::read().in_force(Some(hosts::profile()));
    let results = ResultSettings::of(&in_force.sources);
    let engine = in_force.overspill();
    let given = |payload: &Value| match shape {
        HookShape::Claude => shapes::claude(payload),
        HookShape::Copilot => copilot::given(payload),
        HookShape::Cursor => shapes::cursor(payload),
        HookShape::Plugin => shapes::plugin(payload),
    };
    let encode = |payload: &Value, bounded: Value| match shape {
        HookShape::Claude => shapes::to_claude(payload, bounded),
        HookShape::Copilot => copilot::taken(payload, bounded),
        HookShape::Cursor | HookShape::Plugin => shapes::replaced(shape, bounded),
    };
    // The engine masks the text that it takes; the rest of the payload is masked here.
    let (masked, count) = masked(&engine, &payload[name]);
    match given(payload).and_then(|given| given.bounded(&engine, &results)) {
        Some(bounded) if count > 0 => {
            let mut payload = payload.clone();
            payload[name] = masked.into_owned();
            Some(encode(&payload, bounded))
        }
        Some(bounded) => Some(encode(payload, bounded)),
        // A result that is short, or of an unknown form, stays in the host's own form.
        None => (count > 0).then(|| shapes::replaced(shape, masked.into_owned())),
    }
}

/// Returns a value as it may be shown, and how many secrets are masked in it.
fn masked<'a>(engine: &Overspill, value: &'a Value) -> (Cow<'a, Value>, u64) {
    let Some(rules) = engine.redaction().shown() else { return (Cow::Borrowed(value), 0) };
    let mut masked = value.clone();
    let count = rules.value(&mut masked);
    (Cow::Owned(masked), count)
}

/// The result of a tool, as a host gives it.
#[derive(Debug)]
struct Given {
    tool: String,
    /// The command, if the tool runs commands.
    command: Option<String>,
    what: What,
}

#[derive(Debug)]
enum What {
    Text(String),
    /// A result of MCP: an object with a list of parts, structured content, or both.
    Result(Value),
    /// The text is in a file of the host's.
    File(File),
}

impl Given {
    /// Returns what is shown instead, if it is too large, or a file with secrets in it.
    fn bounded(self, engine: &Overspill, results: &ResultSettings) -> Option<Value> {
        let rules = results.rules(&self.tool);
        let directory = std::env::current_dir().ok();
        let call = Call {
            command: self.command,
            directory: directory.map(|path| path.to_string_lossy().into_owned()),
            ..Call::new(self.tool)
        };
        match self.what {
            What::Text(text) => match engine.process(text.as_bytes(), &call) {
                Outcome::Spilled(spilled) => Some(Value::String(spilled.text)),
                Outcome::Whole(_) | Outcome::Masked(_) => None,
            },
            What::File(file) => match streamed(engine, &call, file)? {
                Outcome::Spilled(spilled) => Some(Value::String(spilled.text)),
                // The payload has nothing of the file that could be masked.
                Outcome::Masked(masked) => Some(String::from_utf8_lossy(&masked.bytes).into()),
                Outcome::Whole(_) => None,
            },
            What::Result(result) => shortened(engine, &call, &result, rules),
        }
    }
}

fn streamed(engine: &Overspill, call: &Call, mut file: File) -> Option<Outcome<'static>> {
    let mut spill = engine.spill(call.clone(), CallOptions::default());
    let mut buffer = Buffer::new();
    loop {
        match file.read(buffer.space()) {
            Ok(0) => return Some(spill.finish(CallEnd::default())),
            Ok(len) => spill.push(&buffer.space()[..len]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // The host's own result is better than a part of the file.
            Err(_) => return None,
        }
    }
}

/// Shortens a result of MCP. Returns its list of parts, or all of it if structured content is left.
fn shortened(engine: &Overspill, call: &Call, result: &Value, rules: ResultRules) -> Option<Value> {
    let gates = Gates { rules, ..Gates::default() };
    let bounded = engine.bound_result(result, call, &CallOptions::default(), &gates);
    let Bounded::Changed(mut bounded) = bounded else { return None };
    // A result that fits stays in the host's own form, masked or not.
    if bounded == *masked(engine, result).0 {
        return None;
    }
    let is_whole = bounded.get("structuredContent").is_some();
    Some(if is_whole { bounded } else { bounded["content"].take() })
}
