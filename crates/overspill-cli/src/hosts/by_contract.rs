//! The table rows of hosts that the tests cannot run, because most of them need an account. Each
//! row describes the files that the host writes or reads.

use super::hook::{ClaudeFormat, CursorFormat, NeovateFormat};
use super::table::{NONE, place};
use super::{Host, HostFile, SetupStep, SlotKind};

const SERVERS_AND_RULES: &str = "MCP proxy and rules text";

const CURSOR_HOOKS: HostFile = place("~/.cursor/hooks.json", ".cursor/hooks.json");

pub(super) const CURSOR: Host = Host {
    name: "cursor",
    title: "Cursor",
    programs: &["cursor-agent", "cursor"],
    home: "~/.cursor",
    how: "hook before each command, and after each MCP tool",
    steps: &[
        SetupStep::JsonDefault { place: CURSOR_HOOKS, path: &["version"], value: "1" },
        SetupStep::JsonItem {
            place: CURSOR_HOOKS,
            path: &["hooks", "preToolUse"],
            value: r#"{"command":"@COMMAND@ hook cursor","matcher":"Shell"}"#,
        },
        SetupStep::JsonItem {
            place: CURSOR_HOOKS,
            path: &["hooks", "postToolUse"],
            value: r#"{"command":"@COMMAND@ hook cursor","matcher":"MCP:.*"}"#,
        },
    ],
    servers: Some(place("~/.cursor/mcp.json", ".cursor/mcp.json")),
    rules: Some(place("", ".cursor/rules/overspill.mdc")),
    hook: Some(&CursorFormat),
    ..NONE
};

pub(super) const NEOVATE: Host = Host {
    name: "neovate",
    title: "neovate",
    programs: &["neovate"],
    home: "~/.neovate",
    how: "plugin (toolResult)",
    steps: &[SetupStep::File {
        place: place("~/.neovate/plugins/overspill.js", ".neovate/plugins/overspill.js"),
        text: include_str!("files/neovate.js"),
    }],
    servers: Some(place("~/.neovate/config.json", ".neovate/config.json")),
    rules: Some(place("", "AGENTS.md")),
    hook: Some(&NeovateFormat),
    ..NONE
};

pub(super) const WINDSURF: Host = Host {
    name: "windsurf",
    title: "Windsurf",
    programs: &["windsurf"],
    home: "~/.codeium/windsurf",
    how: SERVERS_AND_RULES,
    servers: Some(place("~/.codeium/windsurf/mcp_config.json", "")),
    rules: Some(place(
        "~/.codeium/windsurf/memories/global_rules.md",
        ".windsurf/rules/overspill.md",
    )),
    ..NONE
};

/// Qoder has the frame and the hooks of Claude Code. A variable sets a prefix for its commands.
pub(super) const QODER: Host = Host {
    name: "qoder",
    title: "Qoder CLI",
    programs: &["qodercli", "qoder"],
    home: "~/.qoder",
    how: "wraps shell commands (QODER_SHELL_PREFIX in ~/.qoder/.env)",
    slot: Some(SlotKind::Prefix),
    steps: &[
        SetupStep::Link("overspill-sh"),
        SetupStep::Variable {
            place: place("~/.qoder/.env", ""),
            name: "QODER_SHELL_PREFIX",
            value: "@BIN@/overspill-sh",
        },
    ],
    second: &[SetupStep::JsonItem {
        place: place("~/.qoder/settings.json", ".qoder/settings.local.json"),
        path: &["hooks", "PostToolUse"],
        value: r#"{"matcher":"Bash|mcp__.*","hooks":[{"type":"command","command":"@COMMAND@ hook qoder","timeout":10}]}"#,
    }],
    servers: Some(place("~/.qoder/settings.json", ".mcp.json")),
    rules: Some(place("~/.qoder/AGENTS.md", "AGENTS.md")),
    hook: Some(&ClaudeFormat),
    overrides: &[".qoder/.env"],
    ..NONE
};

pub(super) const DROID: Host = Host {
    name: "droid",
    title: "Factory Droid",
    programs: &["droid"],
    home: "~/.factory",
    how: SERVERS_AND_RULES,
    servers: Some(place("~/.factory/mcp.json", ".factory/mcp.json")),
    rules: Some(place("~/.factory/AGENTS.md", "AGENTS.md")),
    ..NONE
};

pub(super) const AUGGIE: Host = Host {
    name: "auggie",
    title: "Auggie",
    programs: &["auggie"],
    home: "~/.augment",
    how: SERVERS_AND_RULES,
    servers: Some(place("~/.augment/settings.json", "")),
    rules: Some(place("", "AGENTS.md")),
    ..NONE
};

pub(super) const AMP: Host = Host {
    name: "amp",
    title: "Amp",
    programs: &["amp"],
    home: "$config/amp",
    how: SERVERS_AND_RULES,
    servers: Some(place("$config/amp/settings.json", ".amp/settings.json")),
    rules: Some(place("$config/amp/AGENTS.md", "AGENTS.md")),
    ..NONE
};

pub(super) const CRUSH: Host = Host {
    name: "crush",
    title: "Crush",
    programs: &["crush"],
    home: "$config/crush",
    how: SERVERS_AND_RULES,
    servers: Some(place("$config/crush/crush.json", "crush.json")),
    rules: Some(place("", "CRUSH.md")),
    ..NONE
};
