//! `overspill hook`: what a host calls after a tool has run, or before it does.
//!
//! An adapter: decode, apply, encode. On any doubt nothing is printed, which leaves everything as it is
//! in every host, and the exit code is 0: others mean "do not run this" to some hosts.

mod copilot;
mod input;
mod shapes;

use std::fs::File;
use std::io::Read;

use overspill::tool::{Bounded, Gates};
use overspill::{Call, Options, Outcome, Overspill};
use serde_json::{Value, json};

use crate::buffer::Buffer;
use crate::hosts::{self, Host, Shape};
use crate::settings::Sources;
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
pub(crate) fn answer(shape: Shape, payload: &Value) -> Option<Value> {
    if shape == Shape::Cursor
        && let Some(line) = shapes::line(payload)
    {
        return Some(shapes::rewritten(payload, &line));
    }
    let name = shapes::result(shape, payload)?;
    let engine = Sources::read().in_force(Some(hosts::profile())).overspill();
    let given = |payload: &Value| match shape {
        Shape::Claude => shapes::claude(payload),
        Shape::Copilot => copilot::given(payload),
        Shape::Cursor => shapes::cursor(payload),
        Shape::Plugin => shapes::plugin(payload),
    };
    let encode = |payload: &Value, bounded: Value| match shape {
        Shape::Claude => shapes::to_claude(payload, bounded),
        Shape::Copilot => copilot::taken(payload, bounded),
        Shape::Cursor => json!({ "updated_mcp_tool_output": bounded }),
        Shape::Plugin => shapes::to_plugin(payload, bounded),
    };
    let Some(rules) = engine.redaction().shown() else {
        return given(payload)?.bounded(&engine, None).map(|bounded| encode(payload, bounded));
    };
    // A file of the host's is looked through when it is read.
    let given_file = given(payload).filter(|given| matches!(given.what, What::File(_)));
    if let Some(bounded) = given_file.and_then(|given| given.bounded(&engine, None)) {
        return Some(encode(payload, bounded));
    }
    let mut masked = payload.clone();
    let count = rules.value(&mut masked[name]);
    match given(&masked).and_then(|given| given.bounded(&engine, Some(count))) {
        Some(bounded) => Some(encode(&masked, bounded)),
        // What is not too large, or not known, stays in the host's own form.
        None => (count > 0).then(|| shapes::replaced(shape, masked[name].take())),
    }
}

/// What a tool has returned, as a host gives it.
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
    /// A list of parts, as MCP has them; or something like it.
    Content(Value),
    /// The text is in a file of the host's.
    File(File),
}

impl Given {
    /// Returns what is shown instead, if it is too large, or has secrets that nobody has masked yet.
    fn bounded(self, engine: &Overspill, masked: Option<u64>) -> Option<Value> {
        let directory = std::env::current_dir().ok();
        let call = Call {
            command: self.command,
            directory: directory.map(|path| path.to_string_lossy().into_owned()),
            ..Call::of(self.tool)
        };
        let outcome = match self.what {
            What::Text(text) => {
                let options = Options { masked, ..Options::default() };
                return spilled(engine.process_with(text.as_bytes(), &call, &options), masked);
            }
            What::File(file) => streamed(engine, &call, file)?,
            What::Content(content) => return parts(engine, &call, content, masked),
        };
        spilled(outcome, None)
    }
}

fn spilled(outcome: Outcome, masked: Option<u64>) -> Option<Value> {
    match outcome {
        Outcome::Whole(_) => None,
        Outcome::Masked(_) if masked.is_some() => None,
        Outcome::Masked(masked) => Some(String::from_utf8_lossy(&masked.bytes).into()),
        Outcome::Spilled(spilled) => Some(Value::String(spilled.text)),
    }
}

fn streamed(engine: &Overspill, call: &Call, mut file: File) -> Option<Outcome<'static>> {
    let mut spill = engine.spill(call.clone(), Options::default());
    let mut buffer = Buffer::new();
    loop {
        match file.read(buffer.space()) {
            Ok(0) => return Some(spill.finish()),
            Ok(len) => spill.push(&buffer.space()[..len]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // What the host has is better than a part of it.
            Err(_) => return None,
        }
    }
}

/// Bounds the text in a list of parts; pictures and all that is no text stay.
fn parts(engine: &Overspill, call: &Call, content: Value, masked: Option<u64>) -> Option<Value> {
    let result = json!({ "output": content });
    let options = Options { masked, ..Options::default() };
    match engine.bound_result(&result, call, &options, &Gates::default()) {
        Bounded::Changed(Value::Object(mut fields)) => {
            fields.remove("output").filter(|bounded| *bounded != result["output"])
        }
        _ => None,
    }
}
