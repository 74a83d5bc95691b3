//! Reads the settings for one MCP server.

use std::collections::BTreeMap;
use std::ffi::OsString;

use jiff::SignedDuration;
use overspill::core::{Limits, Policy};
use overspill::internal::settings::entries_of;
use overspill::internal::tool::walk::{ResultRules, Structured};
use overspill::{Overspill, Profile};

use super::scope::{self, OutputScope};
use crate::env::Env;
use crate::hosts;
use crate::settings::SettingSources;
use crate::settings::keys::Key;
use crate::settings::value::SettingValue;

/// The settings for a server.
#[derive(Debug)]
pub(super) struct McpSettings {
    /// The name of the server in settings and records.
    pub(super) server: String,
    /// The prefix of the names of the retrieval tools.
    pub(super) prefix: String,
    /// The outputs that the retrieval tools can read.
    pub(super) scope: OutputScope,
    pub(super) engine: Overspill,
    /// The working directory.
    pub(super) directory: Option<String>,
    /// The environment, which names this program and the directory of temporary files.
    pub(super) env: Env,
    results: ResultSettings,
}

/// The settings for results of tools, for the proxy and for hooks.
#[derive(Debug)]
pub(crate) struct ResultSettings {
    structured: Structured,
    /// The setting `structured` of single tools.
    structured_of: BTreeMap<String, Structured>,
    max_media: u64,
}

impl ResultSettings {
    pub(crate) fn of(sources: &SettingSources) -> ResultSettings {
        let structured_of = sources.user.tools.iter().filter_map(|(tool, values)| {
            Some((tool.clone(), structured_value(&values.get(&Key::Structured)?.value)?))
        });
        ResultSettings {
            structured: sources.own(Key::Structured).and_then(structured_value).unwrap_or_default(),
            structured_of: structured_of.collect(),
            max_media: match sources.limit(Key::McpMaxMedia) {
                Some(limit) => Option::from(limit).unwrap_or(u64::MAX),
                None => MAX_MEDIA,
            },
        }
    }

    /// Returns the rules for a tool, by its name in the settings.
    pub(crate) fn rules(&self, tool: &str) -> ResultRules {
        let own = entries_of(tool).find_map(|entry| self.structured_of.get(&*entry).copied());
        let structured = own.unwrap_or(self.structured);
        ResultRules { structured, schema: None, max_media: self.max_media }
    }
}

/// The limits that every client shows without a cut of its own.
const LIMITS: Limits = hosts::LIMITS;
/// The default number of bytes of an image, sound or blob that stays in a result.
pub(crate) const MAX_MEDIA: u64 = ResultRules::MAX_MEDIA;
/// The default idle timeout of a session: longer than most people leave an open client alone.
pub(crate) const IDLE: SignedDuration = SignedDuration::from_hours(4);
/// The default prefix of the retrieval tools, so that their names show their origin.
pub(crate) const TOOL_PREFIX: &str = "overspill_";

impl McpSettings {
    /// Reads the settings for the server of this name.
    pub(super) fn read(server: String, all: bool, env: &Env) -> McpSettings {
        let policy = Policy { trigger: LIMITS, limits: LIMITS, ..Profile::OWN.policy };
        let resolved = SettingSources::read(env).resolved(Some(Profile { policy, ..Profile::OWN }));
        let sources = &resolved.sources;
        let prefix = sources.text(Key::McpToolPrefix).unwrap_or(TOOL_PREFIX).to_owned();
        let all = all || sources.choice(Key::McpOutputs) == Some("all");
        let project = scope::project(env.project_root(), env.home().as_deref());
        let results = ResultSettings::of(sources);
        McpSettings {
            server,
            prefix,
            scope: OutputScope { session: session(env), project, all },
            engine: resolved.overspill(),
            directory: Some(env.directory_or_empty().to_string_lossy().into_owned()),
            env: env.clone(),
            results,
        }
    }

    /// Returns the rules for the results of a tool.
    pub(super) fn rules(&self, tool: &str) -> ResultRules {
        self.results.rules(&format!("{}/{tool}", self.server))
    }
}

fn structured_value(value: &SettingValue) -> Option<Structured> {
    match value {
        SettingValue::Choice("drop") => Some(Structured::Drop),
        SettingValue::Choice("shrink") => Some(Structured::Shrink),
        SettingValue::Choice("keep") => Some(Structured::Keep),
        _ => None,
    }
}

/// Returns the name of this session in records. No client can send it, so it need not be a secret.
fn session(env: &Env) -> String {
    let now = env.now().as_microsecond();
    format!("mcp-{}-{now}", std::process::id())
}

/// Returns a name for a server without a `--name`: its program or, if the program only runs others
/// such as `npx`, the name of the program that it runs.
pub(crate) fn server_name(words: &[OsString]) -> String {
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
