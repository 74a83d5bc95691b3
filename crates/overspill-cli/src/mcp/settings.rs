//! What holds for the servers behind us.

use std::collections::BTreeMap;
use std::ffi::OsString;

use jiff::SignedDuration;
use overspill::core::{Limits, Policy};
use overspill::{Overspill, Profile, entries_of};

use super::rewrite::Structured;
use super::scope::{self, OutputScope};
use crate::settings::SettingSources;
use crate::settings::keys::Key;
use crate::settings::value::SettingValue;
use crate::{home, hosts};

/// What holds for a server.
#[derive(Debug)]
pub(super) struct McpSettings {
    /// What the server is called in settings and records.
    pub(super) server: String,
    /// How the names of our tools begin.
    pub(super) prefix: String,
    /// Media of more bytes than this are put into a file.
    pub(super) max_media: u64,
    /// Which outputs can be reached.
    pub(super) scope: OutputScope,
    pub(super) engine: Overspill,
    /// Where we are.
    pub(super) directory: Option<String>,
    structured: Structured,
    /// What single tools have instead of it.
    structured_of: BTreeMap<String, Structured>,
}

/// What holds for a tool.
#[derive(Debug)]
pub(super) struct ToolSettings {
    pub(super) structured: Structured,
}

/// As much as every client shows without cutting it once more.
const LIMITS: Limits = hosts::LIMITS;
/// More than clients send to their models as one picture.
pub(crate) const MAX_MEDIA: u64 = 5 << 20;
/// Longer than most people are away from a client that is still open.
pub(crate) const IDLE: SignedDuration = SignedDuration::from_hours(4);
/// Whose tools they are is seen by their names.
pub(crate) const TOOL_PREFIX: &str = "overspill_";

impl McpSettings {
    /// Reads what is set for the server of this name.
    pub(super) fn read(server: String, all: bool) -> McpSettings {
        let policy = Policy { trigger: LIMITS, limits: LIMITS, ..Profile::OWN.policy };
        let in_force = SettingSources::read().in_force(Some(Profile { policy, ..Profile::OWN }));
        let working = std::env::current_dir().unwrap_or_default();
        let sources = &in_force.sources;
        let max_media = match sources.limit(Key::McpMaxMedia) {
            Some(limit) => Option::from(limit).unwrap_or(u64::MAX),
            None => MAX_MEDIA,
        };
        let prefix = sources.text(Key::McpToolPrefix).unwrap_or(TOOL_PREFIX).to_owned();
        let all = all || sources.choice(Key::McpOutputs) == Some("all");
        let structured_of = sources.user.tools.iter();
        let structured_of = structured_of.filter_map(|(tool, values)| {
            Some((tool.clone(), meant(&values.get(&Key::Structured)?.value)?))
        });
        let structured_of = structured_of.collect();
        let structured = sources.own(Key::Structured).and_then(meant).unwrap_or_default();
        let project = scope::project(home::project_root(&working), home::home().as_deref());
        McpSettings {
            server,
            prefix,
            max_media,
            scope: OutputScope { session: session(), project, all },
            engine: in_force.overspill(),
            directory: Some(working.to_string_lossy().into_owned()),
            structured,
            structured_of,
        }
    }

    pub(super) fn tool(&self, tool: &str) -> ToolSettings {
        let tool = format!("{}/{tool}", self.server);
        let own = entries_of(&tool).find_map(|entry| self.structured_of.get(&*entry).copied());
        let structured = own.unwrap_or(self.structured);
        ToolSettings { structured }
    }
}

fn meant(value: &SettingValue) -> Option<Structured> {
    match value {
        SettingValue::Choice("drop") => Some(Structured::Drop),
        SettingValue::Choice("shrink") => Some(Structured::Shrink),
        SettingValue::Choice("keep") => Some(Structured::Keep),
        _ => None,
    }
}

/// Returns the name of this session in records. No client can send it, so it need not be a secret.
fn session() -> String {
    let now = jiff::Timestamp::now().as_microsecond();
    format!("mcp-{}-{now}", std::process::id())
}

/// Returns what a server is called that nobody has named: its program, or what a program that runs
/// others is told to run.
pub(super) fn server_name(words: &[OsString]) -> String {
    const RUNNERS: [&str; 11] =
        ["npx", "bunx", "uvx", "pipx", "uv", "node", "bun", "deno", "python", "python3", "docker"];
    let base = |word: &OsString| {
        let word = word.to_string_lossy();
        let name = word.rsplit(['/', '\\']).next().unwrap_or(&word);
        name.split('@').next().filter(|name| !name.is_empty()).unwrap_or(name).to_owned()
    };
    let first = words.first().map(base).unwrap_or_default();
    if !RUNNERS.contains(&&*first) {
        return first;
    }
    let told = words[1..].iter().filter(|word| !word.to_string_lossy().starts_with('-'));
    let is_verb = |name: &String| ["run", "exec", "tool", "x"].contains(&&**name);
    told.map(base).find(|name| !is_verb(name)).unwrap_or(first)
}
