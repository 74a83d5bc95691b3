//! `overspill hook`: hosts call it before or after a tool, with a JSON payload on standard input.
//!
//! It decodes the result of the tool, shortens it, and prints the answer in the form of the host.
//! If anything is unknown, it prints nothing: then every host goes on with its own result. The exit
//! code is always 0, because some hosts take other codes for "do not run this tool".

mod input;

use std::borrow::Cow;
use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

use overspill::core::{Limits, Policy};
use overspill::internal::profile::{Errors, ResultLayout};
use overspill::internal::tool::shorten_any;
use overspill::internal::tool::walk::ResultRules;
use overspill::tool::{Gates, ShortenedResult};
use overspill::{Call, CallEnd, CallOptions, Event, EventKind, Outcome, Overspill, Profile};
use serde_json::Value;

use crate::env::Env;
use crate::hosts::hook::{HookContent, HookFormat, HookResult};
use crate::hosts::{Ceiling, Host, escape};
use crate::mcp::ResultSettings;
use crate::process;
use crate::settings::SettingSources;
use crate::ui;

/// Hook entry point, for agents and not for you.
///
/// Reads the JSON of the agent on standard input, and prints the answer that the agent expects, or nothing if
/// nothing changes. The answer never approves a call. `overspill init` sets the hook up.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  overspill hook copilot < payload.json")]
pub(crate) struct HookArgs {
    /// The agent, such as `claude-code`.
    host: String,
    /// Arguments that a newer host may add. overspill ignores them.
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    more: Vec<String>,
}

impl HookArgs {
    pub(crate) fn of(host: &str) -> HookArgs {
        HookArgs { host: host.to_owned(), more: Vec::new() }
    }
}

pub(crate) fn run(args: &HookArgs, env: &Env) -> u8 {
    match try_hook(&args.host, env) {
        Ok(None) => {}
        Ok(Some(answer)) => {
            let _ = ui::answer(&format!("{answer}\n"));
        }
        Err(why) => ui::warn_line(&format!("{why}; nothing is changed")),
    }
    0
}

fn try_hook(name: &str, env: &Env) -> Result<Option<Value>, String> {
    let (host, format) = Host::named(name)
        .and_then(|host| Some((host, host.hook?)))
        .ok_or_else(|| format!("there is no hook for a host {:?}", ui::short(name, 40)))?;
    let payload = input::read(std::io::stdin().lock())?;
    Ok(answer(host, format, &payload, env))
}

/// Returns the answer to a host. `None` if nothing changes.
fn answer(host: &Host, format: &dyn HookFormat, payload: &Value, env: &Env) -> Option<Value> {
    if let Some(answer) = format.rewrite_command(payload, env) {
        return Some(answer);
    }
    let field = format.result_field(payload)?;
    let sources = SettingSources::read(env);
    let layout = format.layout(payload);
    let profile = profile(&sources, host.ceiling, layout);
    let resolved = sources.resolved(Some(profile));
    let results = ResultSettings::of(&resolved.sources);
    let failure: Arc<Mutex<Option<String>>> = Arc::default();
    let told = failure.clone();
    let observer = move |event: &Event<'_>| {
        if let EventKind::Failed { error } = event.what {
            *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
        }
    };
    let engine = resolved.overspill().to_builder().observer(observer).build();
    // If masking is on, overspill ignores `OVERSPILL=off`: the host has the secrets unmasked.
    let is_whole = |result: &HookResult| {
        engine.redaction().shown().is_none()
            && result.command.as_deref().is_some_and(escape::is_asked)
    };
    let result = format.decode(payload, env).filter(|result| !is_whole(result));
    let has_command = result.as_ref().is_some_and(|result| result.command.is_some());
    let call_host = host.of_results(has_command);
    let engine = engine.to_builder().host(move || Some(call_host.clone())).build();
    // Commands of the host record the session of the environment, so this session comes first.
    let session = env.session().or_else(|| format.session(payload));
    let shortened = result.and_then(|result| shortened(result, session, &engine, &results, env));
    let mut answer = encoded(format, payload, field, shortened, &engine);
    // A plugin that passes on whole results writes this text into the log of its host.
    let failure = failure.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let (Some(answer), Some(error), true) = (&mut answer, failure, layout.is_some()) {
        answer["log"] = format!("the full output was not saved: {error}").into();
    }
    answer
}

/// Returns the profile for the results of a host: the profile of the settings, else our own with
/// the limits of the host.
///
/// The layout of results is the host's in every profile.
fn profile(sources: &SettingSources, ceiling: Ceiling, layout: Option<ResultLayout>) -> Profile {
    let set = sources.profile();
    let policy = match set.host_limits {
        true => ceiling.profile().policy,
        false if ceiling == Ceiling::UNKNOWN => set.policy.clone(),
        // The host would cut a longer text, and our notice with it.
        false => {
            let room = without_notice(ceiling.limits);
            let trigger = set.policy.trigger.tightened(&room);
            let limits = set.policy.limits.tightened(&room);
            Policy { trigger, limits, ..set.policy.clone() }
        }
    };
    let errors = if layout.is_some() { Errors::Pass } else { set.errors };
    Profile { policy, errors, shape: layout.unwrap_or(ResultLayout::OWN), ..set }
}

/// Returns limits that leave room for a notice, because profiles of other systems do not count
/// their notice.
fn without_notice(limits: Limits) -> Limits {
    let less = |limit: Option<u64>, notice: u64| limit.map(|most| most.saturating_sub(notice));
    Limits {
        bytes: less(limits.bytes, 800),
        chars: less(limits.chars, 800),
        lines: less(limits.lines, 10),
        ..limits
    }
}

/// Returns the answer with a result that was shortened, masked or both.
fn encoded(
    format: &dyn HookFormat,
    payload: &Value,
    field: &str,
    shortened: Option<Value>,
    engine: &Overspill,
) -> Option<Value> {
    // The engine masks the text that it takes; the rest of the payload is masked here.
    let (masked, count) = masked(engine, &payload[field]);
    match shortened {
        Some(shortened) if count > 0 => {
            let mut payload = payload.clone();
            payload[field] = masked.into_owned();
            Some(format.encode(&payload, shortened))
        }
        Some(shortened) => Some(format.encode(payload, shortened)),
        // A result that is short, or of an unknown form, stays in the host's own form.
        None => (count > 0).then(|| format.replace(masked.into_owned())),
    }
}

/// Returns a value with its secrets masked, and the number of masked secrets.
fn masked<'a>(engine: &Overspill, value: &'a Value) -> (Cow<'a, Value>, u64) {
    let Some(rules) = engine.redaction().shown() else { return (Cow::Borrowed(value), 0) };
    let mut masked = value.clone();
    let count = rules.value(&mut masked);
    (Cow::Owned(masked), count)
}

/// Returns the text or the parts that replace a result. Returns `None` if the result is within the
/// limits and its file, if it has one, has no secrets.
fn shortened(
    result: HookResult,
    session: Option<String>,
    engine: &Overspill,
    results: &ResultSettings,
    env: &Env,
) -> Option<Value> {
    let rules = results.rules(&result.tool);
    let call = Call {
        command: result.command,
        directory: env.recorded_directory(),
        session,
        ..Call::new(result.tool)
    };
    match result.content {
        HookContent::Text(text) => shortened_text(engine, &call, &text),
        HookContent::File(file, text) => match streamed(engine, &call, file) {
            Some(Outcome::Spilled(spilled)) => Some(Value::String(spilled.text)),
            // The payload does not have the text of this file, so `encoded` cannot mask it.
            Some(Outcome::Masked(masked)) => Some(String::from_utf8_lossy(&masked.bytes).into()),
            Some(Outcome::Whole(_)) | None => shortened_text(engine, &call, &text),
        },
        HookContent::Any(result) => match shorten_any(engine, &result, &call, &rules) {
            // A short result keeps the form of the host, masked or not.
            ShortenedResult::Changed(shortened) if shortened != *masked(engine, &result).0 => {
                Some(shortened)
            }
            ShortenedResult::Changed(_) | ShortenedResult::Unchanged => None,
        },
        HookContent::Result(result) => shortened_result(engine, &call, &result, rules),
        HookContent::Host(result) => {
            let gates = Gates { rules, ..Gates::default() };
            match engine.shorten_result(&result, &call, &CallOptions::default(), &gates) {
                ShortenedResult::Changed(shortened) => Some(shortened),
                ShortenedResult::Unchanged => None,
            }
        }
    }
}

fn shortened_text(engine: &Overspill, call: &Call, text: &str) -> Option<Value> {
    match engine.process(text.as_bytes(), call) {
        Outcome::Spilled(spilled) => Some(Value::String(spilled.text)),
        Outcome::Whole(_) | Outcome::Masked(_) => None,
    }
}

fn streamed(engine: &Overspill, call: &Call, mut file: File) -> Option<Outcome<'static>> {
    let mut spill = engine.spill(call.clone(), CallOptions::default());
    // If the file cannot be read to its end, the host's own result is better than a part of the
    // file.
    process::read_to_end(&mut file, |bytes| spill.push(bytes), || {}).ok()?;
    Some(spill.finish(CallEnd::default()))
}

/// Shortens an MCP result. Returns its list of parts, or the whole result if it still has
/// structured content.
fn shortened_result(
    engine: &Overspill,
    call: &Call,
    result: &Value,
    rules: ResultRules,
) -> Option<Value> {
    let gates = Gates { rules, ..Gates::default() };
    let shortened = engine.shorten_result(result, call, &CallOptions::default(), &gates);
    let ShortenedResult::Changed(mut shortened) = shortened else { return None };
    // A short result keeps the form of the host, masked or not.
    if shortened == *masked(engine, result).0 {
        return None;
    }
    let is_whole = shortened.get("structuredContent").is_some();
    Some(if is_whole { shortened } else { shortened["content"].take() })
}
